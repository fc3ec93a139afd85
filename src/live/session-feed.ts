/**
 * The main path of a session in the daemon: the journal grows, readers are notified, and each reads what it can use.
 *
 * Ordering law: the window holds consecutive items of the journal, [start, end). A cursor inside it shares the frames of all
 * others there; one at its end loads the next part for everybody; one before it reads the journal for itself.
 * So a reader costs only its position, a slow one delays no other, and nothing is read from disk without a reader.
 */
import type { JournalReader } from "../journal/reader.ts";
import { OUTPUT_HEAD_BYTES, outputHead } from "../protocol/attach-frames.ts";
import { nextOffset, toServerMessage } from "../protocol/payloads.ts";
import type { JournalRecord } from "../protocol/records.ts";
import type { FrameLease, SessionCursor, FeedItem } from "./stream.ts";

// Limits what all readers of a process read in one turn of the event loop. Otherwise a reader whose socket accepts everything would
// continue in microtasks, and a keystroke, which arrives with the next turn, would wait for megabytes.

/** A few milliseconds of reading and sending. */
const TURN_BYTES_MAX = 512 * 1024;

export class ReadTurn {
  readonly #bytesMax: number;
  #bytes = 0;
  #next: Promise<void> | undefined;

  constructor(bytesMax = TURN_BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  /** Undefined while there is room in this turn; otherwise resolves in the next turn, in which it has to be checked again. */
  get next(): Promise<void> | undefined {
    return this.#bytes < this.#bytesMax ? undefined : this.#next;
  }

  /** Counts what was taken. */
  took(bytes: number): void {
    this.#bytes += bytes;
    this.#next ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#bytes = 0;
        this.#next = undefined;
        resolve();
      });
    });
  }
}

// Reusable memory for the frames of a flood. Without it each frame is new memory outside of the JavaScript heap, and at 50 MB/s the
// garbage collector takes half of the daemon's time.
//
// Law: a frame has an owner (the window of a feed) and any number of leases. It is reused after the owner has released it and the last
// lease has ended, so bytes that are still on their way to a slow socket never change.

/** Frames kept for reuse; more are left to the garbage collector. */
const KEPT_MAX = 64;

export class FramePool {
  readonly #frameBytes: number;
  readonly #kept: Uint8Array[] = [];

  /** All frames of a pool have room for `frameBytes`. */
  constructor(frameBytes: number) {
    this.#frameBytes = frameBytes;
  }

  /** A frame of `length` bytes, owned by the caller; undefined if it does not fit. It is not cleared. */
  take(length: number): LeasedFrame | undefined {
    if (length > this.#frameBytes) return undefined;
    // Not a `Buffer`: its `slice` would not copy, for those who keep bytes longer.
    const memory = this.#kept.pop() ?? new Uint8Array(this.#frameBytes);
    return new LeasedFrame(memory, length, () => {
      if (this.#kept.length < KEPT_MAX) this.#kept.push(memory);
    });
  }
}

class LeasedFrame {
  readonly bytes: Uint8Array;
  readonly #onFree: () => void;
  #users = 1;

  constructor(memory: Uint8Array, length: number, onFree: () => void) {
    this.bytes = memory.subarray(0, length);
    this.#onFree = onFree;
  }

  /** Keeps the bytes unchanged until `release`. Only while another holder has them. */
  retain(): void {
    if (this.#users === 0) throw new TypeError("A frame that is free cannot be retained");
    this.#users++;
  }

  release(): void {
    if (this.#users === 0) throw new TypeError("A frame cannot be released twice");
    this.#users--;
    if (this.#users === 0) this.#onFree();
  }
}

const READ_BYTES = 65_536;
/** What the newest readers share. A reader that is further behind reads from the journal. */
const WINDOW_BYTES_MAX = 2 * 1024 * 1024;
/** Written not long ago, so it is in the page cache and read synchronously: in the thread pool it would cost more than twice as much. */
const RECENT_BYTES = 32 * 1024 * 1024;

/** Its payload is reason, code and signal. */
const EXIT_BYTES_MAX = 4096;

/** Frames of all sessions, and memory for what is read in the thread pool. */
const framePool = new FramePool(READ_BYTES + OUTPUT_HEAD_BYTES);

/** Shared by all readers of the process. */
const readTurn = new ReadTurn();

interface WindowItem extends FeedItem {
  readonly lease?: LeasedFrame | undefined;
}

export class SessionFeed {
  readonly #reader: JournalReader;
  readonly #onDemand: (wanted: boolean) => void;
  readonly #cursors = new Set<Cursor>();
  readonly #watchers = new Set<() => void>();
  #items: WindowItem[] = [];
  #windowStart = 0;
  #windowEnd = 0;
  #ended = false;

  /** `onDemand` is called when the first reader opens and when the last one closes. */
  constructor(reader: JournalReader, onDemand: (wanted: boolean) => void) {
    this.#reader = reader;
    this.#onDemand = onDemand;
  }

  get start(): number {
    return this.#reader.start;
  }

  get end(): number {
    return this.#reader.end;
  }

  /** The `exit` record has been written: nothing follows `end`. */
  get ended(): boolean {
    return this.#ended || this.#reader.ended;
  }

  get reader(): JournalReader {
    return this.#reader;
  }

  /** The journal is whole on disk up to `end`. */
  advance(end: number): void {
    if (end <= this.#reader.end) return;
    this.#reader.advance(end);
    this.#tell();
  }

  /** Finds what is written and was not reported yet: a host that has no processor reports late. */
  refresh(): void {
    const { end } = this;
    if (this.#reader.refresh() > end) this.#tell();
  }

  /** The journal is closed at `end`. */
  finish(end: number): void {
    this.#ended = true;
    this.#reader.advance(end);
    // Even if it has not grown: readers that wait at the end are done now.
    this.#tell();
  }

  #tell(): void {
    for (const cursor of this.#cursors) cursor.onAdvance?.();
    for (const onAdvance of this.#watchers) onAdvance();
  }

  /** `offset`, or where the `exit` record starts if `offset` is the end: each reader gets that record, which draws nothing. */
  beforeExit(offset: number): number {
    const { start, end } = this;
    if (offset !== end || end === start) return offset;
    const last = this.#reader.readSync(Math.max(start, end - EXIT_BYTES_MAX), { bytesMax: EXIT_BYTES_MAX });
    const record = last.records.at(-1);
    return record?.type === "exit" ? record.offset : offset;
  }

  /** Throws `OFFSET_BEYOND_END`. An offset that was trimmed gives a `gap` record first. */
  openCursor(from: number): SessionCursor {
    // The reader looks at the files again and then reports what is wrong.
    if (from > this.end) this.#reader.readSync(from, { bytesMax: 1 });
    const cursor = new Cursor(this, from);
    this.#cursors.add(cursor);
    this.#demand(1);
    return cursor;
  }

  closeCursor(cursor: Cursor): void {
    if (!this.#cursors.delete(cursor)) return;
    if (this.#cursors.size === 0) this.#clear();
    this.#demand(0);
  }

  /** Calls back (synchronously, cheap) whenever the journal has grown. For a listener that reads with `reader` at its own pace. */
  watch(onAdvance: () => void): Disposable {
    this.#watchers.add(onAdvance);
    this.#demand(1);
    return {
      [Symbol.dispose]: () => {
        if (this.#watchers.delete(onAdvance)) this.#demand(0);
      },
    };
  }

  /** Items whose frames are leased to the caller. */
  read(from: number, bytesMax: number): Promise<readonly FeedItem[]> | readonly FeedItem[] {
    if (from >= this.end) return [];
    const recent = this.end - from <= RECENT_BYTES;
    if (this.#items.length > 0 && from >= this.#windowStart && from < this.#windowEnd) {
      const shared = this.#sharedFrom(from, bytesMax);
      if (shared.length > 0) return retained(shared);
    } else if (recent && (this.#items.length === 0 || from >= this.#windowEnd)) {
      return retained(this.#load(from, bytesMax));
    }
    return recent ? toItems(this.#reader.borrowSync(from, { bytesMax }).records) : this.#readCold(from, bytesMax);
  }

  async close(): Promise<void> {
    for (const cursor of this.#cursors) this.closeCursor(cursor);
    await this.#reader.close();
  }

  async #readCold(from: number, bytesMax: number): Promise<readonly FeedItem[]> {
    const memory = framePool.take(READ_BYTES);
    try {
      const { records } = await this.#reader.read(
        from,
        memory === undefined ? { bytesMax } : { bytesMax, arena: memory.bytes },
      );
      return toItems(records);
    } finally {
      memory?.release();
    }
  }

  /** A reader or listener was added or removed; with `size` of them left, the demand starts or stops. */
  #demand(size: 0 | 1): void {
    if (this.#cursors.size + this.#watchers.size === size) this.#onDemand(size === 1);
  }

  /** Reads on after the window, or starts a new one if a reader has jumped ahead. */
  #load(from: number, bytesMax: number): readonly WindowItem[] {
    const loaded = toItems(this.#reader.borrowSync(from, { bytesMax }).records);
    const last = loaded.at(-1);
    if (last === undefined) return loaded;
    if (this.#items.length === 0 || from !== this.#windowEnd) {
      this.#clear();
      this.#windowStart = from;
    }
    for (const item of loaded) this.#items.push(item);
    this.#windowEnd = last.next;
    this.#trim(loaded.length);
    return loaded;
  }

  /** Keeps the `newest` items, which a reader is about to take: a gap among them can be larger than the window. */
  #trim(newest: number): void {
    let dropped = 0;
    while (this.#windowEnd - this.#windowStart > WINDOW_BYTES_MAX && dropped < this.#items.length - newest) {
      this.#windowStart = this.#items[dropped]?.next ?? this.#windowEnd;
      dropped++;
    }
    if (dropped > 0) for (const { lease } of this.#items.splice(0, dropped)) lease?.release();
  }

  #clear(): void {
    for (const { lease } of this.#items) lease?.release();
    this.#items = [];
  }

  /** Items of the window from an offset; empty if the offset is inside an item, which is then read for this reader alone. */
  #sharedFrom(from: number, bytesMax: number): readonly WindowItem[] {
    let low = 0;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#items[middle]?.record.offset ?? 0) < from) low = middle + 1;
      else high = middle;
    }
    if (this.#items[low]?.record.offset !== from) return [];
    const taken: WindowItem[] = [];
    let bytes = 0;
    for (let index = low; index < this.#items.length && bytes < bytesMax; index++) {
      const item = this.#items[index];
      if (item === undefined) break;
      taken.push(item);
      bytes += item.record.payload.length;
    }
    return taken;
  }
}

class Cursor implements SessionCursor {
  readonly #feed: SessionFeed;
  onAdvance: (() => void) | undefined;
  #offset: number;
  #done = false;
  #isDisposed = false;
  /** Keep the items that were returned last valid until the next read, whatever other readers do with the window. */
  #leases: FrameLease[] = [];

  constructor(feed: SessionFeed, from: number) {
    this.#feed = feed;
    this.#offset = from;
  }

  get offset(): number {
    return this.#offset;
  }

  get end(): number {
    return this.#feed.end;
  }

  get done(): boolean {
    // A reader that resumes after the exit record has read it.
    return this.#done || (this.#feed.ended && this.#offset >= this.#feed.end);
  }

  read(bytesMax = READ_BYTES): Promise<readonly FeedItem[]> | readonly FeedItem[] {
    if (this.#isDisposed) return [];
    const later = readTurn.next;
    if (later !== undefined) return later.then(() => this.read(bytesMax));
    this.#letGo();
    const items = this.#feed.read(this.#offset, bytesMax);
    return items instanceof Promise ? items.then((read) => this.#take(read)) : this.#take(items);
  }

  skipTo(offset: number): void {
    if (offset > this.#offset && offset <= this.end) this.#offset = this.#feed.beforeExit(offset);
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.onAdvance = undefined;
    this.#letGo();
    this.#feed.closeCursor(this);
  }

  #take(items: readonly FeedItem[]): readonly FeedItem[] {
    for (const { lease } of items) if (lease !== undefined) this.#leases.push(lease);
    // It was disposed while the read was on its way.
    if (this.#isDisposed) this.#letGo();
    const last = items.at(-1);
    if (last === undefined || this.#isDisposed) return [];
    readTurn.took(last.next - this.#offset);
    this.#offset = last.next;
    this.#done = last.record.type === "exit";
    return items;
  }

  #letGo(): void {
    for (const lease of this.#leases) lease.release();
    this.#leases = [];
  }
}

/** The same items, for one more holder. */
function retained(items: readonly WindowItem[]): readonly WindowItem[] {
  for (const { lease } of items) lease?.retain();
  return items;
}

/** Records as they go to readers: consecutive output becomes one item, so that a flood costs few frames. */
function toItems(records: readonly JournalRecord[]): WindowItem[] {
  const items: WindowItem[] = [];
  for (let index = 0; index < records.length; index++) {
    const record = records[index];
    if (record === undefined) break;
    if (record.type !== "output") {
      const payload = Uint8Array.from(record.payload);
      const copy = { ...record, payload };
      items.push({ record: copy, next: nextOffset(copy), frame: JSON.stringify(toServerMessage(copy)) });
      continue;
    }
    let last = index;
    while (records[last + 1]?.type === "output") last++;
    items.push(outputItem(records.slice(index, last + 1), record));
    index = last;
  }
  return items;
}

/** Copies once: the bytes go directly after the head of their frame, and the payload of the record is a view of them. */
function outputItem(run: readonly JournalRecord[], first: JournalRecord): WindowItem {
  const length = run.reduce((sum, record) => sum + record.payload.length, 0);
  const lease = framePool.take(OUTPUT_HEAD_BYTES + length);
  const frame = lease?.bytes ?? new Uint8Array(OUTPUT_HEAD_BYTES + length);
  frame.set(outputHead(first.offset));
  let at = OUTPUT_HEAD_BYTES;
  for (const { payload } of run) {
    frame.set(payload, at);
    at += payload.length;
  }
  return {
    record: { ...first, payload: frame.subarray(OUTPUT_HEAD_BYTES) },
    next: first.offset + length,
    frame,
    lease,
  };
}
