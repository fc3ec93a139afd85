import { createWriteStream } from "node:fs";
import { once } from "node:events";
import { resolve } from "node:path";
import { LecternError } from "../../core/errors.ts";
import type { OffsetRange } from "../../protocol/damaged-ranges.ts";
import { defineCommand, sessionArgument } from "../command.ts";
import type { CliContext } from "../context.ts";
import { noteDamaged, noteTrimmed } from "../missing-note.ts";

const formats = ["asciicast-v3", "asciicast-v2", "raw", "text", "otlp-json", "svg"] as const;
const IDLE_MS_MAX = 2000;

export const exportCommand = defineCommand({
  name: "export",
  summary: "Export a recording as asciicast, bytes, text, spans or SVG",
  details: [
    "A journal keeps its newest output, 1 GiB by default (run --retain-bytes). Trimmed or damaged output",
    "is reported on standard error, and as a marker in an asciicast; the exit code stays 0.",
    "",
    "otlp-json has a span for each turn of an agent, request to its model, tool call and shell command, as",
    "lines that an OpenTelemetry collector reads. Their texts are left out unless you use --content.",
    "",
    "svg is one image that plays by itself, in a browser or a README, for recordings of some minutes.",
  ],
  arguments: [sessionArgument],
  options: {
    format: { type: "text", short: "f", placeholder: "FORMAT", choices: formats, summary: "Default: asciicast-v3" },
    content: { type: "flag", summary: "otlp-json with the texts of prompts, answers and calls; secrets are masked" },
    "idle-max": {
      type: "duration",
      short: "i",
      placeholder: "TIME",
      summary: "svg: shorten longer pauses; default: 2s",
    },
    output: { type: "text", short: "o", placeholder: "FILE", completes: "file", summary: "Default: standard output" },
  },
  examples: [
    "lectern export build -o build.cast",
    "lectern export build --format text | less",
    "lectern export claude --format otlp-json -o spans.jsonl",
    "lectern export demo --format svg -o demo.svg",
  ],
  async run({ arguments: { session }, options }, context) {
    const client = await context.client();
    const format = formats.find((known) => known === options.format) ?? "asciicast-v3";
    if (options.output === undefined && format === "raw" && context.stdout.isTTY)
      throw new LecternError("USAGE", "Cannot write raw bytes to a terminal: give a file with -o, or use a pipe");
    if (options.content && format !== "otlp-json")
      throw new LecternError("USAGE", "Cannot use --content with this format: use it with --format otlp-json");
    if (options["idle-max"] !== undefined && format !== "svg")
      throw new LecternError("USAGE", "Cannot use --idle-max with this format: use it with --format svg");
    await noteTrimmed({ client, session, from: 0, context });
    const onDamaged = (ranges: readonly OffsetRange[]): void => noteDamaged(ranges, { session, context });
    const recording = client.bytes(
      "sessions.export",
      { session, format: format === "svg" ? "asciicast-v3" : format, content: options.content },
      { signal: context.signal, onDamaged },
    );
    const chunks = format === "svg" ? animation(recording, options["idle-max"] ?? IDLE_MS_MAX) : recording;
    if (options.output === undefined || options.output === "-") {
      for await (const chunk of chunks) await context.writeOutput(chunk);
    } else {
      await writeFile(options.output, chunks, context);
    }
  },
});

async function* animation(recording: AsyncIterable<Uint8Array>, idleMsMax: number): AsyncGenerator<Uint8Array> {
  const { animateRecording } = await import("../../replay/animate.ts");
  yield Buffer.from(await animateRecording(recording, { idleMsMax }));
}

/** Awaits the first bytes before it creates the file, so a session that does not exist leaves no file behind. */
async function writeFile(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  { workingDirectory }: CliContext,
): Promise<void> {
  const iterator = chunks[Symbol.asyncIterator]();
  let next = await iterator.next();
  const file = createWriteStream(resolve(workingDirectory, path));
  try {
    await once(file, "open");
    for (; next.done !== true; next = await iterator.next()) if (!file.write(next.value)) await once(file, "drain");
    file.end();
    await once(file, "close");
  } catch (cause) {
    if (cause instanceof LecternError) throw cause;
    throw new LecternError("INVALID_INPUT", `Cannot write "${path}": ${(cause as Error).message}`, { cause });
  }
}
