/** Sessions that have ended go on, with the conversation of their agent. */
import type { Feature } from "../feature.ts";

export const resumeFeature: Feature = {
  name: "resume",
  commands: { start: { resume: async () => (await import("./cli/resume.ts")).resume } },
  open: async (daemon) => {
    const { Conversations } = await import("./daemon/conversations.ts");
    const { resumeHandlers } = await import("./daemon/resume-handlers.ts");
    const conversations = new Conversations(daemon);
    return {
      handlers: resumeHandlers(daemon),
      start: () => conversations.begin(),
      close: () => conversations[Symbol.dispose](),
    };
  },
};
