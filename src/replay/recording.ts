/** A recording, or the text of a screen, as the records of a session. */
import { AsciicastDecoder, type ImportedRecord } from "../journal/asciicast-decoder.ts";
import type { JournalRecord } from "../protocol/records.ts";

/** The records of an asciicast, version 2 or 3. Throws `MALFORMED`. */
export function recordsOf(recording: Uint8Array): JournalRecord[] {
  const decoder = new AsciicastDecoder();
  let offset = 0;
  return [...decoder.feed(recording), ...decoder.end()].map((record) => {
    const placed = { ...record, offset };
    offset += record.payload.length;
    return placed;
  });
}

/** It begins like an asciicast. */
export const isRecording = (text: string): boolean => /^\s*\{[^\n]{0,10000}"version"\s*:\s*[23]\b/.test(text);

/** A piece of output of a recording, with its time since the start of the recording. */
export interface RecordedOutput {
  readonly bytes: Uint8Array;
  readonly timeMs: number;
}

/** The output of an asciicast that arrives in chunks. Throws `MALFORMED`. */
export async function* outputsOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<RecordedOutput> {
  for await (const { type, payload, timeMs } of timedRecordsOf(chunks))
    if (type === "output") yield { bytes: payload, timeMs };
}

/** The records of an asciicast that arrives in chunks, with their times since its start. Throws `MALFORMED`. */
export async function* timedRecordsOf(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<ImportedRecord & { readonly timeMs: number }> {
  const decoder = new AsciicastDecoder();
  let startUs: number | undefined;
  const timed = (records: readonly ImportedRecord[]) => {
    startUs ??= records[0]?.timeUs;
    return records.map((record) => ({ ...record, timeMs: (record.timeUs - (startUs ?? 0)) / 1000 }));
  };
  for await (const chunk of chunks) yield* timed(decoder.feed(chunk));
  yield* timed(decoder.end());
}
