/** Recordings go out in other formats and come in as ended sessions. */
import { mkdir, rm } from "node:fs/promises";
import { Sanitizer } from "../../core/text/sanitizer.ts";
import { AsciicastDecoder, type ImportedRecord } from "../../journal/asciicast-decoder.ts";
import { AsciicastEncoder } from "../../journal/asciicast-encoder.ts";
import { JournalWriter } from "../../journal/writer.ts";
import { decodeExit, decodeMark } from "../../protocol/payloads.ts";
import type { OutputOf, ParsedInputOf } from "../../protocol/operations.ts";
import type { ExitStatus, JournalRecord } from "../../protocol/records.ts";
import type { ByteBody } from "../service.ts";
import { SessionEntry } from "../session-entry.ts";
import type { StoredSession } from "../store/schema.ts";
import type { Daemon } from "./context.ts";
import { writeMeta } from "./lifecycle.ts";
import { readItems } from "./reading.ts";

type ExportInput = ParsedInputOf<"sessions.export">;

const contentTypes: Readonly<Record<ExportInput["format"], string>> = {
  "asciicast-v3": "application/x-asciicast",
  "asciicast-v2": "application/x-asciicast",
  raw: "application/octet-stream",
  text: "text/plain; charset=utf-8",
};

/** What one format makes of records. */
interface RecordEncoder {
  feed(record: JournalRecord): Uint8Array;
  end(): Uint8Array;
}

/** The whole journal as it is now. */
export async function exportRecording(entry: SessionEntry, input: ExportInput, signal: AbortSignal): Promise<ByteBody> {
  await entry.refresh();
  const feed = await entry.feed();
  const cursor = feed.openCursor(feed.start);
  const encoder = encoderFor(input.format, entry);
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for await (const items of readItems(cursor, { follow: false, signal })) {
        const encoded = Buffer.concat(items.map(({ record }) => encoder.feed(record)));
        if (encoded.length > 0) yield encoded;
      }
      yield encoder.end();
    } finally {
      cursor[Symbol.dispose]();
    }
  }
  return { contentType: contentTypes[input.format], headers: {}, chunks: chunks() };
}

function encoderFor(format: ExportInput["format"], entry: SessionEntry): RecordEncoder {
  const none = new Uint8Array();
  switch (format) {
    case "raw":
      return { feed: (record) => (record.type === "output" ? record.payload : none), end: () => none };
    case "text": {
      const sanitizer = new Sanitizer();
      return {
        feed: (record) => (record.type === "output" ? Buffer.from(sanitizer.feed(record.payload)) : none),
        end: () => Buffer.from(sanitizer.end()),
      };
    }
    case "asciicast-v2":
    case "asciicast-v3": {
      const { columns, rows, name } = entry.stored;
      const encoder = new AsciicastEncoder({ version: format === "asciicast-v2" ? 2 : 3, columns, rows, title: name });
      return {
        feed: (record) => Buffer.from(encoder.feed(record).join("")),
        end: () => Buffer.from(encoder.end().join("")),
      };
    }
  }
}

/** Writes the recording as a journal of its own. Throws `MALFORMED` naming the line; then nothing is left behind. */
export async function importRecording(
  daemon: Daemon,
  input: ParsedInputOf<"sessions.import">,
  body: AsyncIterable<Uint8Array>,
): Promise<OutputOf<"sessions.import">> {
  const { registry, paths } = daemon;
  const entry = new SessionEntry(
    importedSession(registry.freshId(), input.name ?? "recording"),
    paths.sessionsDirectory,
  );
  await mkdir(entry.directory, { mode: 0o700 });
  try {
    await writeJournal(entry, body);
    await registry.add(entry);
    await writeMeta(entry);
    return entry.view;
  } catch (error) {
    await rm(entry.directory, { recursive: true, force: true });
    throw error;
  }
}

async function writeJournal(entry: SessionEntry, body: AsyncIterable<Uint8Array>): Promise<void> {
  await using writer = await JournalWriter.open(entry.directory);
  const decoder = new AsciicastDecoder({ startUs: Date.parse(entry.stored.createdAt) * 1000 });
  let exit: ExitStatus = { reason: "lost", code: null, signal: null };
  let endedUs = 0;
  const write = (records: readonly ImportedRecord[]): void => {
    for (const record of records) {
      writer.append(record.type, record.payload, { timeUs: record.timeUs, secret: record.secret });
      if (record.type === "mark") describe(entry, record.payload);
      if (record.type === "exit") exit = decodeExit(record.payload);
      endedUs = record.timeUs;
    }
  };
  for await (const chunk of body) write(decoder.feed(chunk));
  write(decoder.end());
  entry.end(exit, writer.end, new Date(endedUs / 1000));
}

/** The header of a recording says what ran in it. */
function describe(entry: SessionEntry, payload: Uint8Array): void {
  const event = decodeMark(payload);
  if (event.type === "session-start") {
    const { command, columns, rows } = event;
    entry.stored = { ...entry.stored, columns, rows, command: command.length > 0 ? command : entry.stored.command };
  } else if (event.type === "recording-imported" && event.title !== null && entry.stored.name === "recording") {
    entry.stored = { ...entry.stored, labels: { ...entry.stored.labels, title: event.title.slice(0, 256) } };
  }
}

function importedSession(id: string, name: string): StoredSession {
  return {
    id,
    name,
    state: "exited",
    command: ["recording"],
    agent: null,
    workingDirectory: "/",
    labels: {},
    columns: 80,
    rows: 24,
    pid: null,
    host: null,
    createdAt: new Date().toISOString(),
    endedAt: null,
    exit: null,
    end: 0,
  };
}
