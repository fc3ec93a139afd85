/** All kinds of channels. Each is loaded when the configuration has one. */
import type { ChannelSettings } from "../../core/settings.ts";
import type { Channel, ChannelContext, OpenChannel } from "./channel.ts";

const loaders: { readonly [Kind in ChannelSettings["kind"]]: () => Promise<OpenChannel<Kind>> } = {
  command: async () => (await import("./command.ts")).openCommand,
  desktop: async () => (await import("./desktop.ts")).openDesktop,
  discord: async () => (await import("./chat.ts")).openDiscord,
  ntfy: async () => (await import("./ntfy.ts")).openNtfy,
  slack: async () => (await import("./chat.ts")).openSlack,
  webhook: async () => (await import("./webhook.ts")).openWebhook,
};

export async function openChannel(name: string, settings: ChannelSettings, context: ChannelContext): Promise<Channel> {
  // The table pairs each kind with its settings; the compiler cannot follow that through a variable.
  const open = (await loaders[settings.kind]()) as OpenChannel<ChannelSettings["kind"]>;
  return open(name, settings, context);
}
