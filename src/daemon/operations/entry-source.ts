/** A session of this daemon as the source of a terminal. */
import { decodeExit, decodeMark } from "../../protocol/payloads.ts";
import type { SessionCursor, FeedItem } from "../../live/stream.ts";
import { TERMINAL_LOOK_BACK_BYTES, SessionSource, type SessionItem } from "../../terminal/session-source.ts";
import type { SourceItem } from "../../terminal/terminal-source.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import { readNonce } from "../sessions/shell-nonce.ts";

/** Resolves when everything that is in the journal now has been received. Input is refused once the session has ended. */
export async function openEntrySource(
  entry: SessionEntry,
  receive: (item: SourceItem) => void,
): Promise<SessionSource> {
  await entry.refresh();
  const feed = await entry.feed();
  const nonce = await readNonce(entry.directory);
  const start = Math.max(feed.start, await feed.reader.tailOffset(TERMINAL_LOOK_BACK_BYTES));
  const cursor = feed.openCursor(start);
  const stop = new AbortController();
  return await SessionSource.open(
    {
      nonce,
      items: itemsOf(cursor, stop.signal),
      start,
      end: feed.end,
      write: async (bytes) => await entry.input(bytes, false),
      close: async () => stop.abort(),
    },
    receive,
  );
}

/** What the cursor reads, until the session ends or `stop` is aborted; then the cursor is released. */
async function* itemsOf(cursor: SessionCursor, stop: AbortSignal): AsyncGenerator<SessionItem, void> {
  let advanced = Promise.withResolvers<void>();
  cursor.onAdvance = () => advanced.resolve();
  stop.addEventListener("abort", () => advanced.resolve(), { once: true });
  try {
    while (!stop.aborted && !cursor.done) {
      advanced = Promise.withResolvers<void>();
      const read = await cursor.read();
      for (const item of read) {
        if (stop.aborted) return;
        yield sessionItemOf(item);
      }
      if (read.length === 0 && !stop.aborted && !cursor.done) await advanced.promise;
    }
  } finally {
    cursor[Symbol.dispose]();
  }
}

function sessionItemOf({ next, record: { offset, payload, type } }: FeedItem): SessionItem {
  switch (type) {
    case "output":
      return { type, next, bytes: payload };
    case "mark":
      return { type, offset, next, event: decodeMark(payload) };
    case "exit":
      return { type, next, exit: decodeExit(payload) };
    case "input":
      return { type, next, payload };
    case "gap":
    case "resize":
      return { type, next };
  }
}
