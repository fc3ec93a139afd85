/** A session of this daemon as the source of a terminal. */
import type { ActTarget } from "../../core/acting/target.ts";
import { LecternError } from "../../core/errors.ts";
import { CommandTracker } from "../../core/readiness/command-tracker.ts";
import type { JournalReader } from "../../journal/reader.ts";
import { decodeExit, decodeMark } from "../../protocol/payloads.ts";
import type { Written } from "../../host/messages.ts";
import type { SessionFeed } from "../../live/session-feed.ts";
import type { SessionCursor, FeedItem } from "../../live/stream.ts";
import { TERMINAL_LOOK_BACK_BYTES, SessionSource, type SessionItem } from "../../terminal/session-source.ts";
import type { SourceItem } from "../../terminal/terminal-source.ts";
import type { TerminalState } from "../../terminal/terminal-state.ts";
import { findActDirectory } from "../sessions/act-directory.ts";
import { typeFor } from "../acting/executor.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";

/** What a program shows before its first prompt: its banner, or the output of its start-up files. */
const HEAD_BYTES_MAX = 64 * 1024;
/** What a program shows when it comes to its prompt, before the kernel reports that it reads. */
const PROMPT_BYTES = 64 * 1024;
/** How far back the last reports of kernel and shell are searched: jobs in the background print while a shell stays at its prompt. */
const REPORT_LOOK_BACK_BYTES_MAX = 16 * 1024 * 1024;

interface EntrySourceOptions {
  /** The receiver has seen everything up to here, and goes on. */
  readonly resumed?: SeenTo | undefined;
  /** For whom it types now; null for whoever reads. */
  readonly target?: () => ActTarget | null;
}

/** Up to where in its journal a session was received, and what was seen of it. */
export interface SeenTo {
  readonly next: number;
  readonly state: TerminalState;
}

/** Whether so little came since that a receiver goes on; otherwise it begins anew, at what was reported last. */
export const mayResume = ({ start, end }: SessionFeed, { next }: SeenTo): boolean =>
  next >= start && next <= end && end - next <= TERMINAL_LOOK_BACK_BYTES;

/**
 * Resolves when everything that is in the journal now has been received. Input is refused once the session has ended.
 */
export async function openEntrySource(
  entry: SessionEntry,
  receive: (item: SourceItem) => void,
  { resumed, target = () => null }: EntrySourceOptions,
): Promise<SessionSource> {
  await entry.refresh();
  const feed = await entry.feed();
  const nonce = await entry.markNonce();
  const start = resumed?.next ?? (await lookBackStart(feed, nonce));
  // Also what the program showed first, if that is no longer part of the end.
  const head = resumed === undefined && start > feed.start ? await readHead(feed.openCursor(feed.start), start) : [];
  const cursor = feed.openCursor(start);
  const stop = new AbortController();
  return await SessionSource.open(
    {
      nonce,
      actDirectory: findActDirectory(entry.directory),
      leaderPid: entry.leaderPid,
      size: () => entry.size,
      head,
      items: itemsOf(cursor, stop.signal),
      start,
      end: feed.end,
      ...(resumed && { resumed: resumed.state }),
      write: async (bytes) => await writeFor(entry, bytes, target()),
      probe: async () => ((await entry.probe()) ? entry.stored.end : null),
      close: async () => stop.abort(),
    },
    receive,
  );
}

/** Resolves with where the input is. Throws `CONFLICT` if another program has come to the foreground. */
async function writeFor(entry: SessionEntry, bytes: Uint8Array, target: ActTarget | null): Promise<Written> {
  const typed = await typeFor(entry, target, { bytes });
  if ("next" in typed) return typed;
  const left = typed.isBegun
    ? "; the command was typed and not entered, and what was not read of it is left in the line"
    : "";
  throw new LecternError("CONFLICT", `${typed.why}${left}`);
}

/** Where a terminal begins to read: at what was reported last, and at least `TERMINAL_LOOK_BACK_BYTES` of output before the end. */
async function lookBackStart({ start, end, reader }: SessionFeed, nonce: string | null): Promise<number> {
  const tail = await reader.tailOffset(TERMINAL_LOOK_BACK_BYTES);
  const oldest = Math.max(start, end - REPORT_LOOK_BACK_BYTES_MAX);
  let last: LastReports = { foreground: undefined, shell: undefined };
  for (let to = end, from = tail; to > oldest; to = from, from = Math.max(oldest, 2 * from - end)) {
    const before = await lastReports(reader, { from, to, nonce });
    last = { foreground: last.foreground ?? before.foreground, shell: last.shell ?? before.shell };
    if (last.foreground !== undefined && (last.shell !== undefined || nonce === null)) break;
  }
  const { foreground = tail, shell = tail } = last;
  return Math.max(start, Math.min(tail, foreground - PROMPT_BYTES, shell - PROMPT_BYTES));
}

/** Offsets of records. */
interface LastReports {
  /** With a report of the kernel about the foreground. */
  readonly foreground: number | undefined;
  /** With a mark of the session's shell. */
  readonly shell: number | undefined;
}

async function lastReports(
  reader: JournalReader,
  { from, to, nonce }: { readonly from: number; readonly to: number; readonly nonce: string | null },
): Promise<LastReports> {
  const tracker = nonce === null ? undefined : new CommandTracker({ nonce });
  let foreground: number | undefined;
  let shell: number | undefined;
  for (let next = from; next < to;) {
    const read = await reader.read(next, { bytesMax: Math.min(TERMINAL_LOOK_BACK_BYTES, to - next) });
    for (const { type, offset, payload } of read.records) {
      if (type === "mark" && decodeMark(payload).type === "foreground") foreground = offset;
      const steps = type === "output" ? tracker?.feed(payload, offset) : undefined;
      if (steps?.some((step) => step.type !== "output") === true) shell = offset;
    }
    if (read.next === next) break;
    next = read.next;
  }
  return { foreground, shell };
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
