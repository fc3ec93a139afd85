/** What comes out of a session: text of the tail, records, raw output, cursors. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { utf8SafeEnd } from "../../core/bytes/utf8.ts";
import { LINE_FEED } from "../../core/vt/control-bytes.ts";
import type { JournalReader } from "../../journal/reader.ts";
import { decodeGap, nextOffset, toServerMessage } from "../../protocol/payloads.ts";
import type { JournalRecord, RecordType } from "../../protocol/records.ts";
import type { ItemOf, OutputOf, ParsedInputOf } from "../../protocol/operations.ts";
import type { SessionCursor, FeedItem } from "../../live/stream.ts";
import type { ByteBody, Handlers, ItemStream, StreamedItem } from "../service.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { Daemon } from "./context.ts";
import { behindSequence, sanitizerAt } from "../views/line-start.ts";
import { withoutTags } from "./events.ts";
import { DamagedTrailer } from "./damaged-trailer.ts";

/** A page of 16 MiB takes a tenth of a second to read as text: between two parts of it the loop does what else there is. */
const TURN_BYTES = 1_048_576;

export function readingHandlers({ registry, views }: Daemon): Pick<Handlers, "sessions.logs" | "sessions.records"> {
  return {
    "sessions.logs": async (input) => {
      const entry = registry.resolve(input.session);
      const { text, ...place } = await entry.reading(() => readLogs(entry, input));
      if (text.length > TURN_BYTES) await nextTurn();
      const whole = { text, tags: 0 };
      const { text: all, tags } = input.raw ? whole : await withoutTags(text, { entry, views, from: place.from });
      if (text.length > TURN_BYTES) await nextTurn();
      const shown = input.tail === undefined ? all : lastLines(all, input.tail);
      return { ...place, text: shown, tags };
    },
    "sessions.records": async ({ session, from, bytesMax, types }) => {
      const entry = registry.resolve(session);
      await entry.refresh();
      const feed = await entry.feed();
      // Not through a cursor, which joins neighbouring output: here each record keeps its own time.
      const { records, next } = await entry.reading(() => feed.reader.read(from, { bytesMax }));
      const wanted = types === undefined ? records : records.filter(({ type }) => types.includes(type));
      return { records: wanted.map((record) => recordAsJson(record)), next, end: feed.end };
    },
  };
}

/** Records from an offset, or from the start of the journal, until the exit. */
export async function followRecords(
  entry: SessionEntry,
  { from, types }: ParsedInputOf<"sessions.follow">,
  signal: AbortSignal,
): Promise<ItemStream<RecordJson>> {
  await entry.refresh();
  const feed = await entry.feed();
  const cursor = feed.openCursor(from ?? feed.start);
  return recordStream(cursor, types, signal);
}

/** The records of these types, or all, as a stream that owns the cursor. */
export function recordStream(
  cursor: SessionCursor,
  types: readonly RecordType[] | undefined,
  signal: AbortSignal,
): ItemStream<RecordJson> {
  const streamed = ({ record, next }: FeedItem): StreamedItem<RecordJson> => ({
    event: record.type,
    item: types?.includes(record.type) === false ? undefined : recordAsJson(record),
    resumeAt: next,
  });
  const batches = async function* () {
    for await (const items of readItems(cursor, { follow: true, signal })) yield items.map(streamed);
  };
  return { isOver: cursor.done, batches: batches(), [Symbol.dispose]: () => cursor[Symbol.dispose]() };
}

/** Output bytes from an offset, or the last ones; with `follow` until the exit or until the caller has enough. */
export async function readOutput(
  entry: SessionEntry,
  input: ParsedInputOf<"sessions.output">,
  signal: AbortSignal,
): Promise<ByteBody> {
  await entry.refresh();
  const feed = await entry.feed();
  const from =
    input.from ?? (input.tailBytes === undefined ? feed.start : await tailStart(feed.reader, input.tailBytes));
  const cursor = feed.openCursor(from);
  const trailer = new DamagedTrailer();
  return {
    contentType: "application/octet-stream",
    headers: { "lectern-offset": String(from), ...trimmedHeader(feed.reader, input.from ?? 0) },
    chunks: outputChunks(cursor, { follow: input.follow, signal, trailer }),
    trailer,
  };
}

const tailStart = async (reader: JournalReader, tailBytes: number): Promise<number> =>
  behindSequence(reader, await reader.tailOffset(tailBytes));

/**
 * `lectern-trimmed: FROM-TO` names the offsets that were asked for and are not in the journal any more. With `tailBytes` it
 * says the same of the whole journal.
 */
export const trimmedHeader = ({ start }: JournalReader, from: number): Record<string, string> =>
  start > from ? { "lectern-trimmed": `${from}-${start}` } : {};

async function* outputChunks(
  cursor: SessionCursor,
  { follow, signal, trailer }: { follow: boolean; signal: AbortSignal; trailer: DamagedTrailer },
): AsyncGenerator<Uint8Array> {
  try {
    for await (const items of readItems(cursor, { follow, signal })) {
      for (const { record } of items) if (record.type === "gap") trailer.note(record);
      // Copies: who takes them may be slow, and the memory of the frames is used again.
      const outputs = items.flatMap(({ record }) => (record.type === "output" ? [record.payload] : []));
      if (outputs.length > 0) yield Buffer.concat(outputs);
    }
  } finally {
    cursor[Symbol.dispose]();
  }
}

/** Everything from the cursor on; without `follow` up to where the journal ends now. */
export async function* readItems(
  cursor: SessionCursor,
  options: { readonly follow: boolean; readonly signal: AbortSignal },
): AsyncGenerator<readonly FeedItem[]> {
  const stopAt = options.follow ? Infinity : cursor.end;
  while (!options.signal.aborted && !cursor.done && cursor.offset < stopAt) {
    const items = await cursor.read();
    if (items.length > 0) yield items;
    else if (options.follow) await advanced(cursor, options.signal);
    else return;
  }
}

/** Settles when the journal has grown or is finished, or when the signal is aborted. */
function advanced(cursor: SessionCursor, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      cursor.onAdvance = undefined;
      signal.removeEventListener("abort", settle);
      resolve();
    };
    if (cursor.offset < cursor.end || cursor.done || signal.aborted) return resolve();
    cursor.onAdvance = settle;
    signal.addEventListener("abort", settle);
  });
}

async function readLogs(
  entry: SessionEntry,
  input: ParsedInputOf<"sessions.logs">,
): Promise<Omit<OutputOf<"sessions.logs">, "tags">> {
  await entry.refresh();
  const feed = await entry.feed();
  const tailOffset = await feed.reader.tailOffset(input.bytesMax);
  const wanted = input.from ?? feed.start;
  // The newest bytes are what is wanted where a tail is; from an offset on, the oldest, and no more than these.
  const isExact = input.tail === undefined && input.from !== undefined;
  const from = isExact ? wanted : Math.max(wanted, tailOffset);
  using cursor = feed.openCursor(from);
  const sanitizer = await sanitizerAt(feed.reader, from);
  const parts: PagePart[] = [];
  let bytes = 0;
  let damagedBytes = 0;
  let isFull = false;
  for await (const items of readItems(cursor, { follow: false, signal: new AbortController().signal })) {
    for (const { record, next } of items) {
      if (isFull) break;
      if (record.type === "gap") {
        parts.push({ payload: null, next });
        const gap = decodeGap(record.payload);
        if (gap.reason === "damaged") damagedBytes += gap.bytes;
      }
      if (record.type !== "output") continue;
      const { payload } = record;
      const leftBytes = input.bytesMax - bytes;
      isFull = isExact && (payload.length > leftBytes || (payload.length === leftBytes && next < feed.end));
      parts.push({ payload, next });
      bytes += payload.length;
    }
    if (isFull || (!isExact && bytes >= input.bytesMax)) break;
  }
  const end = isFull ? cutPage(parts, input.bytesMax) : undefined;
  let text = "";
  let turnBytes = 0;
  for (const { payload } of parts) {
    if (payload === null) sanitizer.gap();
    else text += sanitizer.feed(payload);
    turnBytes += payload?.length ?? 0;
    if (turnBytes < TURN_BYTES) continue;
    turnBytes = 0;
    await nextTurn();
  }
  text += sanitizer.end();
  const trimmedBytes = Math.max(0, feed.start - (input.from ?? 0));
  return {
    text,
    from,
    next: end ?? cursor.offset,
    more: end !== undefined,
    omittedBytes: Math.max(0, from - wanted),
    trimmedBytes,
    damagedBytes,
  };
}

/** Of one record; null: a gap. */
interface PagePart {
  payload: Uint8Array | null;
  readonly next: number;
}

/**
 * Leaves the first bytes, up to the end of a line, else without a character that is cut in two unless it is the first one; lines and characters may
 * be in several records. Returns the offset behind them.
 */
function cutPage(parts: PagePart[], bytesMax: number): number {
  const all = Buffer.concat(parts.flatMap(({ payload }) => payload ?? [])).subarray(0, bytesMax);
  let leftBytes = all.lastIndexOf(LINE_FEED) + 1 || utf8SafeEnd(all) || all.length;
  for (const [index, part] of parts.entries()) {
    const { payload, next } = part;
    if (payload === null) continue;
    if (leftBytes <= payload.length) {
      part.payload = payload.subarray(0, leftBytes);
      parts.length = index + 1;
      return next - payload.length + leftBytes;
    }
    leftBytes -= payload.length;
  }
  throw new RangeError("The page is not full");
}

type RecordJson = ItemOf<"sessions.follow">;

function recordAsJson(record: JournalRecord): RecordJson {
  if (record.type !== "output") {
    // Every message about a record has these four fields.
    return toServerMessage(record) as { type: string; offset: number; next: number; timeUs: number };
  }
  const data = Buffer.from(record.payload).toString("base64");
  return { type: "output", offset: record.offset, next: nextOffset(record), timeUs: record.timeUs, data };
}

/**
 * The last `count` lines, as `tail -n` counts them: a line ends with its line feed, and what is after the last line feed is a line too.
 * `lastLines("a\nb\nc\n", 2); // "b\nc\n"`
 */
export function lastLines(text: string, count: number): string {
  if (count <= 0) return "";
  let at = text.endsWith("\n") ? text.length - 1 : text.length;
  for (let line = 0; line < count; line += 1) {
    if (at === 0) return text;
    at = text.lastIndexOf("\n", at - 1);
    if (at === -1) return text;
  }
  return text.slice(at + 1);
}
