/** A reader with a keyboard. */
import { LecternError } from "../../core/errors.ts";
import type { ParsedInputOf } from "../../protocol/operations.ts";
import type { SessionFeed } from "../../session/session-feed.ts";
import type { Attachment } from "../service.ts";
import type { SessionEntry } from "../session-entry.ts";
import { signalName } from "./signal-name.ts";

const LINE_FEED = 0x0a;

export async function attach(entry: SessionEntry, input: ParsedInputOf<"sessions.attach">): Promise<Attachment> {
  await entry.refresh();
  const feed = await entry.feed();
  const cursor = feed.openCursor(input.from ?? (await lineStart(feed, input.tailBytes)));
  entry.viewers++;
  const assertWritable = (): void => {
    if (input.readOnly) throw new LecternError("FORBIDDEN", "Cannot type: this reader is attached read-only");
  };
  return {
    sessionId: entry.id,
    cursor,
    columns: entry.stored.columns,
    rows: entry.stored.rows,
    input: async (bytes) => {
      assertWritable();
      await entry.input(bytes, false);
    },
    resize: async (size) => {
      assertWritable();
      await entry.resize(size);
    },
    signal: async (name) => {
      assertWritable();
      const { client, handle } = entry.requireSeat();
      await client.call("signal", { handle, signal: signalName(name) });
    },
    snapshot: async () => undefined,
    [Symbol.dispose]: () => {
      cursor[Symbol.dispose]();
      entry.viewers--;
    },
  };
}

/**
 * Where the last `tailBytes` of output begin, moved on to the start of a line: in the middle of one a reader could
 * begin inside an escape sequence.
 */
async function lineStart(feed: SessionFeed, tailBytes: number): Promise<number> {
  const from = await feed.reader.tailOffset(tailBytes);
  if (from <= feed.start) return feed.start;
  using cursor = feed.openCursor(from);
  for (const { record } of await cursor.read()) {
    const line = record.type === "output" ? record.payload.indexOf(LINE_FEED) : -1;
    if (line >= 0) return record.offset + line + 1;
  }
  return from;
}
