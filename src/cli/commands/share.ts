import { defineCommand, jsonOption } from "../command.ts";
import { unitMs } from "../../core/waits.ts";
import { shareLabel, shareLink } from "../../protocol/share.ts";
import { linkOfReachable } from "./open.ts";

const DAY_SECONDS = unitMs.d / unitMs.s;

export const share = defineCommand({
  name: "share",
  summary: "Print a link that lets a browser read one session",
  details: [
    "Whoever opens it sees the terminal, conversation and recording of this session.",
    "Nothing can be typed or answered, and no other session is seen.",
    "The link works until it expires or is revoked: `lectern token ls`, `lectern token revoke ID`.",
  ],
  arguments: [{ name: "session", summary: "Name or id", completes: "session" }],
  options: {
    expires: {
      type: "duration",
      placeholder: "TIME",
      summary: "How long the link works, such as 1h or 7d; default: 1d",
    },
    json: jsonOption,
  },
  examples: ["lectern share work", "lectern share work --expires 1h"],
  async run({ arguments: { session }, options: { expires, json } }, context) {
    const { id, name } = await context.call("sessions.get", { session });
    const { origin } = new URL((await linkOfReachable("read", context)).url);
    const made = await context.call("tokens.create", {
      scope: "read",
      session: id,
      label: shareLabel(name),
      expiresInSeconds: expires === undefined ? DAY_SECONDS : Math.ceil(expires / unitMs.s),
    });
    const url = shareLink(origin, made.token);
    if (json) await context.print(JSON.stringify({ url, token: made.id, session: id, expiresAt: made.expiresAt }));
    else {
      await context.print(url);
      context.note(
        `Reads session "${name}" until ${made.expiresAt ?? "it is revoked"}; end it with "lectern token revoke ${made.id}"`,
      );
    }
  },
});
