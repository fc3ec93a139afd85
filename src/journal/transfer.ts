/** Exports a whole journal as a recording and imports a recording as a journal. Memory is bounded by one read. */
import { existsSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { LecternError } from "../core/errors.ts";
import { Sanitizer } from "../core/text/sanitizer.ts";
import type { JournalRecord } from "../protocol/records.ts";
import { AsciicastDecoder, type AsciicastDecoderOptions } from "./asciicast-decoder.ts";
import { AsciicastEncoder, type AsciicastOptions } from "./asciicast-encoder.ts";
import type { JournalReader } from "./reader.ts";
import { JournalWriter } from "./writer.ts";

export interface ExportRange {
  /** Default: the start of the journal. */
  readonly from?: number;
  readonly signal?: AbortSignal;
  /** Called with each gap, before what is behind it. */
  readonly onGap?: (gap: JournalRecord) => void;
}

const bytesMax = 256 * 1024;

/** Text of an asciicast in pieces of whole lines. Records appended after the start are not included. */
export async function* exportAsciicast(
  reader: JournalReader,
  options: AsciicastOptions & ExportRange = {},
): AsyncGenerator<string, void, undefined> {
  const { from, signal, onGap, ...format } = options;
  const encoder = new AsciicastEncoder(format);
  for await (const records of batches(reader, { from, signal, onGap })) {
    yield records.flatMap((record) => encoder.feed(record)).join("");
  }
  yield encoder.end().join("");
}

/** Only the output bytes, as the program wrote them. */
export async function* exportOutput(
  reader: JournalReader,
  range: ExportRange = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const records of batches(reader, range)) {
    for (const { type, payload } of records) if (type === "output") yield payload;
  }
}

/** The output as a person would read it. */
export async function* exportText(
  reader: JournalReader,
  { signal, onGap }: Pick<ExportRange, "signal" | "onGap"> = {},
): AsyncGenerator<string, void, undefined> {
  const sanitizer = new Sanitizer();
  // From 0, so that what was trimmed is a gap in front of the rest.
  for await (const records of batches(reader, { from: 0, signal, onGap })) {
    for (const { type, payload } of records) {
      if (type === "gap") sanitizer.gap();
      if (type === "output") yield sanitizer.feed(payload);
    }
  }
  yield sanitizer.end();
}

/**
 * Writes an asciicast as a new journal and returns its end.
 *
 * @throws LecternError `MALFORMED` (with the line; nothing is left behind), `CONFLICT` if the directory is not empty
 */
export async function importAsciicast(
  directory: string,
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: AsciicastDecoderOptions = {},
): Promise<number> {
  if (existsSync(directory) && readdirSync(directory).length > 0)
    throw new LecternError("CONFLICT", `Cannot import into "${directory}": it is not empty`);
  const decoder = new AsciicastDecoder(options);
  const writer = await JournalWriter.open(directory);
  try {
    for await (const chunk of source) {
      for (const record of decoder.feed(chunk)) writer.append(record.type, record.payload, record);
    }
    for (const record of decoder.end()) writer.append(record.type, record.payload, record);
    await writer.close();
  } catch (error) {
    await writer.close();
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
  return writer.end;
}

async function* batches(
  reader: JournalReader,
  range: { readonly [Option in keyof ExportRange]?: ExportRange[Option] | undefined },
): AsyncGenerator<readonly JournalRecord[], void, undefined> {
  const { end } = reader;
  for (let next = range.from ?? reader.start; next < end;) {
    range.signal?.throwIfAborted();
    const result = await reader.read(next, { bytesMax: Math.min(bytesMax, end - next) });
    if (range.onGap !== undefined) result.records.filter(({ type }) => type === "gap").forEach(range.onGap);
    yield result.records;
    next = result.next;
  }
}
