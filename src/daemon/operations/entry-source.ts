/** A session of this daemon as the source of a terminal. */
import { decodeExit, decodeMark } from "../../protocol/payloads.ts";
import type { SessionCursor, FeedItem } from "../../live/stream.ts";
import { TERMINAL_LOOK_BACK_BYTES, SessionSource, type SessionItem } from "../../terminal/session-source.ts";
import type { SourceItem } from "../../terminal/terminal-source.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import { readNonce } from "../sessions/shell-nonce.ts";

/** What a program shows before its first prompt: its banner, or the output of its start-up files. */
const HEAD_BYTES_MAX = 64 * 1024;

/**
 * Resolves when everything that is in the journal now has been received. Input is refused once the session has ended. `withHead`: also
 * what the program showed first, if that is no longer part of the end.
 */
export async function openEntrySource(
  entry: SessionEntry,
  receive: (item: SourceItem) => void,
  { withHead }: { readonly withHead: boolean },
): Promise<SessionSource> {
  await entry.refresh();
  const feed = await entry.feed();
  const nonce = await readNonce(entry.directory);
  const start = Math.max(feed.start, await feed.reader.tailOffset(TERMINAL_LOOK_BACK_BYTES));
  const head = withHead && start > feed.start ? await readHead(feed.openCursor(feed.start), start) : [];
  const cursor = feed.openCursor(start);
  const stop = new AbortController();
  return await SessionSource.open(
    {
      nonce,
      head,
      items: itemsOf(cursor, stop.signal),
      start,
      end: feed.end,
      write: async (bytes) => await entry.input(bytes, false),
      close: async () => stop.abort(),
    },
    receive,
  );
}

async function readHead(cursor: SessionCursor, end: number): Promise<readonly SessionItem[]> {
  using _ = cursor;
  const items: SessionItem[] = [];
  const stop = Math.min(end, cursor.offset + HEAD_BYTES_MAX);
  while (cursor.offset < stop && !cursor.done) {
    const read = await cursor.read();
    if (read.length === 0) break;
    for (const item of read) if (item.next <= end) items.push(copied(sessionItemOf(item)));
  }
  return items;
}

/** Bytes are valid until the next read. */
function copied(item: SessionItem): SessionItem {
  if (item.type === "output") return { ...item, bytes: item.bytes.slice() };
  return item.type === "input" && item.payload !== undefined ? { ...item, payload: item.payload.slice() } : item;
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
