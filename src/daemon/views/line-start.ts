/** Where a reader starts in the middle of a recording, so that it does not take the rest of an escape sequence for text. */
import { LOOK_BACK_BYTES, sanitizerBehind } from "../../core/text/sanitizer-behind.ts";
import type { Sanitizer } from "../../core/text/sanitizer.ts";
import { Tokenizer } from "../../core/vt/tokenizer.ts";
import type { JournalReader } from "../../journal/reader.ts";
import type { JournalRecord } from "../../protocol/records.ts";
import type { SessionFeed } from "../../live/session-feed.ts";

const LINE_FEED = 0x0a;

/** Where the last `tailBytes` of output begin, moved on to the start of a line, or behind the sequence that is open there. */
export async function lineStart(feed: SessionFeed, tailBytes: number): Promise<number> {
  const from = await feed.reader.tailOffset(tailBytes);
  if (from <= feed.start) return feed.start;
  const { records } = await feed.reader.read(from);
  for (const record of records) {
    const line = record.type === "output" ? record.payload.indexOf(LINE_FEED) : -1;
    if (line >= 0) return record.offset + line + 1;
  }
  return await behindSequence(feed.reader, from);
}

/** `from`, or the end of the sequence that is open there; `from` also if that end was not written yet. */
export async function behindSequence(reader: JournalReader, from: number): Promise<number> {
  const tokens = new Tokenizer();
  for (const { type, offset, payload } of await recordsAround(reader, from)) {
    if (type === "gap") tokens.reset();
    if (type !== "output") continue;
    const cut = Math.max(0, from - offset);
    tokens.feed(payload.subarray(0, cut), offset);
    while (tokens.next() !== null);
    if (cut >= payload.length) continue;
    if (!tokens.isOpen) return from;
    tokens.feed(payload.subarray(cut), offset + cut);
    let token = tokens.next();
    while (token === "control") token = tokens.next();
    if (token !== null) return tokens.end;
  }
  return from;
}

/** A sanitizer for the output from `from` on. */
export async function sanitizerAt(reader: JournalReader, from: number): Promise<Sanitizer> {
  const records = await recordsAround(reader, from);
  const before = records.map(({ type, offset, payload }) => ({
    type,
    offset,
    bytes: type === "output" ? payload : undefined,
  }));
  return sanitizerBehind(before, from);
}

async function recordsAround(reader: JournalReader, from: number): Promise<readonly JournalRecord[]> {
  const start = Math.max(0, from - LOOK_BACK_BYTES);
  const { records } = await reader.read(start, { bytesMax: 2 * LOOK_BACK_BYTES });
  return records;
}
