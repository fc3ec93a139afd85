import { basename } from "node:path";
import { defineCommand, jsonOption } from "../command.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { readRecording } from "../recording-file.ts";

export const importCommand = defineCommand({
  name: "import",
  reachesHosts: true,
  summary: "Import an asciicast recording as an ended session",
  arguments: [
    { name: "file", summary: "FILE.cast or FILE.cast.gz, version 2 or 3; - for standard input", completes: "file" },
  ],
  options: {
    name: { type: "text", short: "n", placeholder: "NAME", summary: "Name of the session" },
    json: jsonOption,
  },
  examples: ["lectern import demo.cast", "lectern import --name demo recording.cast.gz"],
  async run({ arguments: { file }, options }, context) {
    const client = await context.client();
    const recording = file === "-" ? (context.stdin as AsyncIterable<Uint8Array>) : await readRecording(file);
    const session = await client.importRecording(recording, { name: options.name, signal: context.signal });
    if (options.json) await context.print(JSON.stringify(session));
    else await context.print(context.addressOf(session.name));
    if (context.stdout.isTTY && !options.json) {
      context.note(
        `${escapeForDisplay(basename(file))} imported as "${session.name}": play it with "lectern replay ${context.host === undefined ? "" : `--host ${context.host} `}${session.name}"`,
      );
    }
  },
});
