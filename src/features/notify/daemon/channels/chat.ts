/** Incoming webhooks of Slack and Discord: text and a link. Their address is a secret. */
import { discordBody, slackBody } from "../../core/chat-format.ts";
import type { OutgoingNotice } from "../../core/notice.ts";
import type { SecretText } from "../../core/settings.ts";
import { post } from "../post.ts";
import type { Channel, ChannelContext, OpenChannel } from "./channel.ts";

const open = (
  { bodyOf, kind }: { readonly kind: "slack" | "discord"; readonly bodyOf: (notice: OutgoingNotice) => string },
  { name, url }: { readonly name: string; readonly url: SecretText },
  { privateTargets, secret }: ChannelContext,
): Channel => ({
  name,
  kind,
  target: `incoming webhook of ${kind === "slack" ? "Slack" : "Discord"}`,
  // A chat has many readers, and link previews.
  answers: false,
  send: async (notice, signal) =>
    await post({
      url: secret(url),
      headers: { "content-type": "application/json" },
      body: bodyOf(notice),
      privateTargets: privateTargets(),
      signal,
    }),
});

export const openSlack: OpenChannel<"slack"> = (name, { url }, context) =>
  open({ kind: "slack", bodyOf: slackBody }, { name, url }, context);

export const openDiscord: OpenChannel<"discord"> = (name, { url }, context) =>
  open({ kind: "discord", bodyOf: discordBody }, { name, url }, context);
