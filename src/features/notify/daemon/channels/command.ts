/** A command of the user, with the notice on its standard input as a webhook would have it. */
import { basename } from "node:path";
import { webhookBody } from "../../core/webhook-format.ts";
import { runCommand } from "../run-command.ts";
import type { OpenChannel } from "./channel.ts";

export const openCommand: OpenChannel<"command"> = (name, settings, { homeDirectory }) => ({
  name,
  kind: "command",
  target: basename(settings.command[0] ?? ""),
  answers: settings.answers,
  send: async (notice, signal) =>
    await runCommand({
      command: settings.command,
      input: `${webhookBody(notice)}\n`,
      workingDirectory: settings.workingDirectory ?? homeDirectory,
      timeoutMs: settings.timeoutMs,
      signal,
    }),
});
