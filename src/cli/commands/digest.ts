import { digestMarkdown, digestText } from "../../core/digest/digest-text.ts";
import { removeActingLines } from "../../core/text/escape.ts";
import { defineCommand, jsonOption, requireOneFormat, sessionArgument } from "../command.ts";

export const digest = defineCommand({
  name: "digest",
  summary: "Summarize a session: answer, commands, files, times, question",
  details: ["Extracts from the session, word for word; no model is used."],
  arguments: [sessionArgument],
  options: {
    turn: {
      type: "text",
      placeholder: "TURN",
      choices: ["last", "all"],
      summary: "last: since the last prompt or input; default: all",
    },
    md: { type: "flag", summary: "As Markdown" },
    json: jsonOption,
  },
  examples: ["lectern digest work", "lectern digest work --turn last --md"],
  async run({ arguments: { session }, options }, context) {
    requireOneFormat(options, "md", "json");
    const turn = options.turn === "last" ? "last" : "all";
    const found = await context.call("sessions.digest", { session, turn });
    if (options.json) await context.print(JSON.stringify(found));
    else await context.write(removeActingLines(options.md ? digestMarkdown(found) : digestText(found)));
  },
});
