/** Notices on other devices, and hooks. */
import type { Feature } from "../feature.ts";

export const notifyFeature: Feature = {
  name: "notify",
  commands: { administration: { notify: async () => (await import("./cli/notify-command.ts")).notify } },
  open: async (daemon) => {
    const { Notify } = await import("./daemon/notify.ts");
    const { notifyHandlers } = await import("./daemon/notify-handlers.ts");
    const notices = new Notify(daemon);
    return {
      handlers: notifyHandlers(notices, daemon.registry),
      terminals: notices.terminals,
      start: () => notices.start(),
      created: ({ stored }) => {
        if (stored.options.onBlocked !== undefined) notices.configured();
      },
      answerLink: async (token, use) => await notices.answerLink(token, use),
      close: async () => await notices[Symbol.asyncDispose](),
    };
  },
};
