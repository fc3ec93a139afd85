/** A notice for the incoming webhooks of chat servers. A text of a program mentions nobody and makes no link. */
import { escapeMarkup } from "../../../core/text/escape.ts";
import type { OutgoingNotice } from "./notice.ts";

const SLACK_CHARS_MAX = 2900;
const DISCORD_CHARS_MAX = 1900;

/** https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks, as Block Kit. */
export function slackBody({ body, title, url }: OutgoingNotice): string {
  const heading = `*${escapeMarkup(title)}*`;
  const blocks = [
    { type: "section", text: { type: "mrkdwn", text: url === null ? heading : `${heading}  <${url}|Open>` } },
    ...(body === ""
      ? []
      : [{ type: "section", text: { type: "plain_text", text: body.slice(0, SLACK_CHARS_MAX), emoji: false } }]),
  ];
  return JSON.stringify({ text: escapeMarkup(title), blocks });
}

/** https://discord.com/developers/docs/resources/webhook#execute-webhook */
export function discordBody({ body, title, url }: OutgoingNotice): string {
  const lines = [`**${discordText(title)}**`, ...(url === null ? [] : [`<${url}>`])];
  // Nothing ends the block early.
  const quoted = body.slice(0, DISCORD_CHARS_MAX - lines.join("\n").length - 10).replaceAll("```", "'''");
  const content = body === "" ? lines : [...lines, `\`\`\`\n${quoted}\n\`\`\``];
  return JSON.stringify({ content: content.join("\n"), allowed_mentions: { parse: [] } });
}

const discordText = (text: string): string => text.replaceAll(/[\\*_~`|<>@#[\]()]/g, String.raw`\$&`);
