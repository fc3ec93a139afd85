import { LecternError } from "../../core/errors.ts";
import { defineCommand, jsonOption, sessionArgument } from "../command.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { parseLabel } from "../labels.ts";

export const label = defineCommand({
  name: "label",
  summary: "Show or change the labels of a session",
  arguments: [
    sessionArgument,
    {
      name: "changes",
      summary: "KEY=VALUE sets a label, KEY- removes it; without any, labels are shown",
      count: "any",
    },
  ],
  options: { json: jsonOption },
  examples: ["lectern label build project=web stage-", "lectern label build"],
  async run({ arguments: { session, changes }, options }, context) {
    const labels = Object.fromEntries(changes.map(parseChange));
    const after =
      changes.length === 0
        ? await context.call("sessions.get", { session })
        : await context.call("sessions.update", { session, labels });
    if (options.json) await context.print(JSON.stringify(after));
    else
      for (const [key, value] of Object.entries(after.labels)) await context.print(escapeForDisplay(`${key}=${value}`));
  },
});

function parseChange(text: string): readonly [string, string | null] {
  if (!text.includes("=") && text.endsWith("-")) return [text.slice(0, -1), null];
  const found = parseLabel(text);
  if (found !== undefined) return found;
  throw new LecternError("USAGE", `Cannot read "${text}": wanted KEY=VALUE or KEY-`);
}
