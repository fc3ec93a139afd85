/** Prints what a session's terminal shows. */
import { ViewerFilter } from "../../core/text/viewer-filter.ts";
import { removeActingLines } from "../../core/text/escape.ts";
import { LecternError } from "../../core/errors.ts";
import { defineCommand, jsonOption, sessionArgument } from "../command.ts";

export const screen = defineCommand({
  name: "screen",
  aliases: [],
  summary: "Print what the terminal of a session shows now",
  arguments: [sessionArgument],
  options: {
    text: { type: "flag", summary: "As text, soft wraps joined (default)" },
    ansi: { type: "flag", summary: "With colours, for a terminal of the same size" },
    scrollback: { type: "flag", short: "s", summary: "With the lines above the screen" },
    json: jsonOption,
  },
  examples: ["lectern screen work", "lectern screen work --scrollback | tail -50", "lectern screen work --json"],
  async run({ arguments: { session }, options }, context) {
    if ([options.text, options.ansi, options.json].filter(Boolean).length > 1)
      throw new LecternError("USAGE", "Cannot print in two ways: give one of --text, --ansi, --json");
    const client = await context.client();
    const { ansi: withAnsi, scrollback } = { ansi: options.ansi || options.json, scrollback: options.scrollback };
    const shown = await client.call(
      "sessions.screen",
      { session, ansi: withAnsi, scrollback },
      { signal: context.signal },
    );
    if (options.json) await context.print(JSON.stringify(shown));
    else if (options.ansi) {
      const filter = new ViewerFilter({ mode: "replay" });
      await context.write(filter.feed(new TextEncoder().encode(shown.ansi ?? "")));
      await context.write("\u001B[0m\n");
    } else await context.print(removeActingLines(shown.text));
    if (shown.bytesSkipped > 0) context.note(`[lectern: ${shown.bytesSkipped} bytes of output are not on this screen]`);
    return 0;
  },
});
