/** What a journal has of an agent's record: its end is read backwards, so a long session costs no more than a short one. */
import { RECORD_SOURCE, readRecordFact } from "../../core/transcripts/record-fact.ts";
import type { JournalReader } from "../../journal/reader.ts";
import { decodeMark } from "../../protocol/payloads.ts";

const STEP_BYTES = 1024 * 1024;
/** An entry that is further back is not found: then all are appended again, and the host ignores those that it remembers. */
const SEARCHED_BYTES_MAX = 64 * 1024 * 1024;

/** Id of the last entry of the conversation that was appended; null if there is none. */
export async function lastEntryIn(reader: JournalReader, conversation: string): Promise<string | null> {
  const first = Math.max(reader.start, reader.end - SEARCHED_BYTES_MAX);
  for (let end = reader.end; end > first; end -= STEP_BYTES) {
    let last: string | null = null;
    for (let at = Math.max(first, end - STEP_BYTES); at < end;) {
      const { next, records } = await reader.read(at);
      for (const { payload, type } of records) if (type === "mark") last = entryIn(payload, conversation) ?? last;
      if (next <= at) break;
      at = next;
    }
    if (last !== null) return last;
  }
  return null;
}

function entryIn(payload: Uint8Array, conversation: string): string | null {
  const mark = decodeMark(payload);
  if (mark.type !== "fact" || mark.source !== RECORD_SOURCE) return null;
  const fact = readRecordFact(mark.payload);
  return fact?.conversation === conversation && "entry" in fact ? mark.id : null;
}
