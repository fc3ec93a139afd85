/** Tells in short what happened in a session. */
import { digestMarkdown, digestText } from "../../core/digest/digest-text.ts";
import { LecternError } from "../../core/errors.ts";
import { removeActingLines } from "../../core/text/escape.ts";
import { defineCommand, jsonOption, sessionArgument } from "../command.ts";

export const digest = defineCommand({
  name: "digest",
  aliases: [],
  summary: "Tell in short what happened in a session: answer, commands, tools, files, times, open question",
  details: ["Taken out of the session as it stands there; no model words it."],
  arguments: [sessionArgument],
  options: {
    turn: {
      type: "text",
      placeholder: "TURN",
      choices: ["last", "all"],
      summary: "last: since somebody asked or typed something; default all",
    },
    md: { type: "flag", summary: "As Markdown" },
    json: jsonOption,
  },
  examples: ["lectern digest work", "lectern digest work --turn last --md"],
  async run({ arguments: { session }, options }, context) {
    if (options.md && options.json)
      throw new LecternError("USAGE", "Cannot print in two ways: give one of --md, --json");
    const client = await context.client();
    const turn = options.turn === "last" ? "last" : "all";
    const found = await client.call("sessions.digest", { session, turn }, { signal: context.signal });
    if (options.json) await context.print(JSON.stringify(found));
    else await context.write(removeActingLines(options.md ? digestMarkdown(found) : digestText(found)));
    return 0;
  },
});
