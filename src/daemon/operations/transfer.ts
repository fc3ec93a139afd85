/** Recordings go out in other formats and come in as ended sessions. */
import { mkdir, rm } from "node:fs/promises";
import type { JournalReader } from "../../journal/reader.ts";
import {
  exportAsciicast,
  exportOutput,
  exportText,
  importAsciicast,
  type ExportRange,
} from "../../journal/transfer.ts";
import { LecternError } from "../../core/errors.ts";
import { decodeMark } from "../../protocol/payloads.ts";
import type { OutputOf, ParsedInputOf } from "../../protocol/operations.ts";
import type { Mark } from "../../core/records.ts";
import { endAsWritten } from "../sessions/recovery.ts";
import type { ByteBody } from "../service.ts";
import { SessionEntry } from "../sessions/session-entry.ts";
import type { Daemon } from "./context.ts";
import { DamagedTrailer } from "./damaged-trailer.ts";
import { trimmedHeader } from "./reading.ts";

type ExportInput = ParsedInputOf<"sessions.export">;

const contentTypes: Readonly<Record<ExportInput["format"], string>> = {
  "asciicast-v3": "application/x-asciicast",
  "asciicast-v2": "application/x-asciicast",
  raw: "application/octet-stream",
  text: "text/plain; charset=utf-8",
  "otlp-json": "application/x-ndjson",
};

/** The whole journal as it is now. */
export async function exportRecording(
  { features, registry }: Pick<Daemon, "features" | "registry">,
  input: ExportInput,
  signal: AbortSignal,
): Promise<ByteBody> {
  const entry = registry.resolve(input.session);
  await entry.refresh();
  const { reader } = await entry.feed();
  const trailer = new DamagedTrailer();
  const exporter = features.exporter(input.format);
  return {
    contentType: contentTypes[input.format],
    headers: trimmedHeader(reader, 0),
    chunks:
      exporter === undefined
        ? exported(entry, reader, input.format, { signal, onGap: trailer.note })
        : encoded(exporter(entry, { content: input.content, signal })),
    trailer,
  };
}

function exported(
  { stored: { columns, rows, name } }: SessionEntry,
  reader: JournalReader,
  format: ExportInput["format"],
  range: Pick<ExportRange, "signal" | "onGap">,
): AsyncIterable<Uint8Array> {
  switch (format) {
    case "raw":
      return exportOutput(reader, range);
    case "text":
      return encoded(exportText(reader, range));
    case "asciicast-v2":
      // From 0, so that what was trimmed is a marker at its beginning.
      return encoded(exportAsciicast(reader, { from: 0, version: 2, columns, rows, title: name, ...range }));
    case "asciicast-v3":
      return encoded(exportAsciicast(reader, { from: 0, version: 3, columns, rows, title: name, ...range }));
    default:
      throw new LecternError("NOT_AVAILABLE", `Cannot export as "${format}": no feature of this daemon writes it`);
  }
}

async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield Buffer.from(text);
}

/** Writes the recording as a journal of its own. Throws `MALFORMED` naming the line; then nothing is left behind. */
export async function importRecording(
  { registry, paths }: Daemon,
  input: ParsedInputOf<"sessions.import">,
  body: AsyncIterable<Uint8Array>,
): Promise<OutputOf<"sessions.import">> {
  const name = input.name ?? registry.freeNameFor(["recording"]);
  registry.assertNameFree(name);
  const entry = SessionEntry.fresh(
    { id: registry.freshId(), name, command: ["recording"], workingDirectory: "/" },
    paths.sessionsDirectory,
  );
  await mkdir(entry.directory, { mode: 0o700 });
  try {
    await importAsciicast(entry.directory, body, { startUs: Date.parse(entry.stored.createdAt) * 1000 });
    await endAsWritten(entry);
    await describe(entry);
    await registry.add(entry);
    await registry.save(entry);
    return entry.view;
  } catch (error) {
    await rm(entry.directory, { recursive: true, force: true });
    throw error;
  }
}

/** The marks at its beginning say what ran, in what size, and what the recording is called. */
async function describe(entry: SessionEntry): Promise<void> {
  const { reader } = await entry.feed();
  const { records } = await reader.read(reader.start);
  const firstOther = records.findIndex(({ type }) => type !== "mark");
  const marks = firstOther === -1 ? records : records.slice(0, firstOther);
  for (const { payload } of marks) entry.stored = { ...entry.stored, ...described(decodeMark(payload), entry) };
  const { columns, rows } = entry.stored;
  entry.size = { columns, rows };
}

function described(event: Mark, { stored }: SessionEntry): Partial<SessionEntry["stored"]> {
  if (event.type === "session-start") {
    const { command, columns, rows } = event;
    return { columns, rows, command: command.length > 0 ? command : stored.command };
  }
  if (event.type !== "recording-imported" || event.title === null) return {};
  return { labels: { ...stored.labels, title: event.title.slice(0, 256) } };
}
