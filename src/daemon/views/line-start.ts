import type { SessionFeed } from "../../live/session-feed.ts";

const LINE_FEED = 0x0a;

/**
 * Where the last `tailBytes` of output begin, moved on to the start of a line: in the middle of one a reader could
 * begin inside an escape sequence.
 */
export async function lineStart(feed: SessionFeed, tailBytes: number): Promise<number> {
  const from = await feed.reader.tailOffset(tailBytes);
  if (from <= feed.start) return feed.start;
  const { records } = await feed.reader.read(from);
  for (const record of records) {
    const line = record.type === "output" ? record.payload.indexOf(LINE_FEED) : -1;
    if (line >= 0) return record.offset + line + 1;
  }
  return from;
}
