/**
 * Reads a journal in any process while its writer appends to it.
 *
 * Law: `read` never looks beyond `end`, and `end` only moves to the end of a complete record on disk:
 * reported by the writer through `advance`, or found by `refresh`, which checks every frame. So a record that is
 * being written is never read in part.
 *
 * A reader costs this object and at most one open file (`OpenReaders` limits those per process). Buffers, indexes
 * and decompressed blocks are shared by all readers of a process.
 */
import { LecternError } from "../core/errors.ts";
import { passDamage, seekIntact, type Landmarks } from "./damage.ts";
import { headerBytes, type FrameBytes } from "./frame.ts";
import { openReaders, type ReaderPosition } from "./open-readers.ts";
import { runAsync, runSync, scanFrames, walkHeaders, type ReadSteps } from "./read-steps.ts";
import { RecordCollector, type JournalReading } from "./record-collector.ts";
import { SegmentFile } from "./segment-file.ts";
import { sharedIndex, type FramePosition } from "./segment-index.ts";
import { listSegments, type Segment } from "./segments.ts";
import { isWriterLocked } from "./writer-lock.ts";

export interface JournalReadOptions {
  /** Limit of payload bytes; a single record that cannot be cut may exceed it. Default 64 KiB. */
  readonly bytesMax?: number;
  /** Memory for the payloads, used as far as it reaches. Default: new memory. */
  readonly arena?: Uint8Array;
}

export interface JournalFollowOptions extends JournalReadOptions {
  readonly signal?: AbortSignal;
}

const defaultBytesMax = 64 * 1024;
const noArena = new Uint8Array(0);
const borrowedArena = new Uint8Array(256 * 1024);
/** A forward jump up to this distance continues from the current position, without the index. */
const nearBytes = 64 * 1024;
/** Bytes this close to the end were just written: they are in the page cache, and a pool thread would cost more. */
const freshBytes = 256 * 1024;
/** The index file is read again for offsets farther than this beyond its last known entry. */
const indexLagBytesMax = 1024 * 1024;

/**
 * A reader of one journal.
 *
 * @example
 * ```ts
 * await using reader = await JournalReader.open(directory);
 * for await (const { records } of reader.follow(reader.start, { signal })) show(records);
 * ```
 */
export class JournalReader implements AsyncDisposable {
  readonly #directory: string;
  #segments: readonly Segment[] = [];
  /** The end when the segments were listed: beyond it, the list may be incomplete. */
  #listedEnd = 0;
  #end = 0;
  #ended = false;
  /** Where the last read stopped. Without it, each read would search the index and open the file again. */
  #place: ReaderPosition | undefined;
  readonly #waiting = new Set<() => void>();

  private constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * Finds the end from the index of the last segment and a check of the frames after its last entry.
   *
   * @throws LecternError `NOT_FOUND` if there is no journal in the directory
   */
  static async open(directory: string): Promise<JournalReader> {
    const reader = new JournalReader(directory);
    await runAsync(reader.#findEnd());
    return reader;
  }

  /** The oldest offset when the reader last listed the directory. */
  get start(): number {
    return this.#segments[0]?.base ?? 0;
  }

  /** All records before this offset are complete on disk. */
  get end(): number {
    return this.#end;
  }

  /** The `exit` record was read: nothing follows `end`. */
  get ended(): boolean {
    return this.#ended;
  }

  /** To be called when the records before `end` are complete on disk. Wakes `follow`. Never moves backwards. */
  advance(end: number): void {
    if (end <= this.#end) return;
    this.#end = end;
    for (const wake of this.#waiting) wake();
  }

  /** Finds new records beyond `end` and segments that retention removed. Returns the new end. */
  refresh(): number {
    this.#list();
    const kept = this.#place;
    const isNear = kept !== undefined && kept.offset <= this.#end && this.#end - kept.offset <= nearBytes;
    runSync<unknown>(isNear ? this.#scanFrom({ ...kept, file: kept.file.retain() }) : this.#findEnd());
    return this.#end;
  }

  /** Only finds segments that retention removed. Throws `NOT_FOUND` if no segment is left. */
  refreshStart(): void {
    this.#list();
  }

  /**
   * Reads records from `from` on. `records` is empty only at the end; `next` is where to continue.
   *
   * An `output` record is cut at `bytesMax`, and a `from` inside of one returns its remaining bytes with an adjusted
   * offset. Other records are never cut: a `from` inside of one continues after it. Removed records are replaced by
   * a `gap` record (`trimmed`), and so are those that are damaged or whose segment is missing (`damaged`).
   *
   * For records far behind the end: reads on the thread pool. Any number of reads may run at the same time.
   *
   * @throws LecternError `OFFSET_BEYOND_END`, `JOURNAL_CORRUPT` if no segment can be opened
   */
  async read(from: number, options: JournalReadOptions = {}): Promise<JournalReading> {
    this.#checkOffset(from);
    return runAsync(this.#readFrom(from, options.bytesMax ?? defaultBytesMax, options.arena ?? noArena));
  }

  /** The same, synchronously: for records that were just appended and are in the page cache. */
  readSync(from: number, options: JournalReadOptions = {}): JournalReading {
    this.#checkOffset(from);
    return runSync(this.#readFrom(from, options.bytesMax ?? defaultBytesMax, noArena));
  }

  /**
   * `readSync` into one shared buffer: the payloads are valid until the next `borrowSync` of the process.
   * For callers that copy them at once: at 50 MB/s, a new buffer for each read costs half of the time in garbage collection.
   */
  borrowSync(from: number, options: JournalReadOptions = {}): JournalReading {
    this.#checkOffset(from);
    return runSync(this.#readFrom(from, options.bytesMax ?? defaultBytesMax, borrowedArena));
  }

  /** Recorded, then live records, without a gap, until the `exit` record was delivered or the signal is aborted. */
  async *follow(from: number, options: JournalFollowOptions = {}): AsyncGenerator<JournalReading, void, undefined> {
    this.#checkOffset(from);
    if (from === this.#end && !this.#ended) await runAsync(this.#findEnd());
    let next = from;
    while (options.signal?.aborted !== true) {
      if (next >= this.#end) {
        if (this.#ended) return;
        await this.#moved(options.signal);
        continue;
      }
      const fresh = this.#end - next <= freshBytes;
      const result = fresh ? this.readSync(next, options) : await this.read(next, options);
      next = result.next;
      if (result.records.length > 0) yield result;
      if (result.records.at(-1)?.type === "exit") return;
    }
  }

  /**
   * The offset from which the last `outputBytes` bytes of output can be read, for `logs --tail` and attach,
   * or the start of the journal if it holds less.
   */
  async tailOffset(outputBytes: number): Promise<number> {
    const { start, end } = this;
    for (let reach = outputBytes; ; reach = reach * 2 + nearBytes) {
      const from = Math.max(start, end - reach);
      const spans = await this.#outputSpans(from, end);
      let wanted = outputBytes;
      for (const span of spans.toReversed()) {
        if (span.length >= wanted) return span.offset + span.length - wanted;
        wanted -= span.length;
      }
      if (from === start) return from;
    }
  }

  async close(): Promise<void> {
    this.#keep(undefined);
    for (const wake of this.#waiting) wake();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Called by `OpenReaders`; the next read opens the file again. */
  closeFile(): void {
    this.#place?.file.release();
    this.#place = undefined;
  }

  #checkOffset(from: number): void {
    if (!Number.isSafeInteger(from) || from < 0)
      throw new LecternError("INVALID_INPUT", `Cannot read from offset "${from}": wanted a whole number from 0 on`);
    if (from <= this.#end || from <= this.refresh()) return;
    const message = `Cannot read from offset "${from}" of journal "${this.#directory}": it ends at "${this.#end}"`;
    throw new LecternError("OFFSET_BEYOND_END", message, { details: { wanted: from, end: this.#end } });
  }

  #list(): void {
    this.#segments = listSegments(this.#directory);
    this.#listedEnd = this.#end;
    if (this.#segments.length > 0) return;
    throw new LecternError("NOT_FOUND", `Cannot open journal "${this.#directory}": it has no segments`);
  }

  /** Replaces the position of the next read. */
  #keep(place: ReaderPosition | undefined): void {
    this.#place?.file.release();
    this.#place = place;
    if (place === undefined) openReaders.remove(this);
    else openReaders.add(this);
  }

  *#readFrom(from: number, bytesMax: number, arena: Uint8Array): ReadSteps<JournalReading> {
    const collector = new RecordCollector(from, { bytesMax: Math.max(1, bytesMax), end: this.#end, arena });
    if (from === this.#end) return collector.result();
    const found = yield* this.#seek(from);
    let { place } = found;
    collector.skipTo(place.offset, "trimmed");
    // Use what the search has already read; if it is incomplete or damaged, the loop reads again.
    let wanted = found.rest === undefined ? 0 : collector.take(found.rest, place).missing;
    try {
      while (!collector.isFull && place.offset < collector.end) {
        const length = Math.max(wanted, collector.lengthHint(place.offset));
        const chunk = yield { file: place.file, position: place.position, length };
        const { missing, damaged } = collector.take(chunk, place);
        wanted = missing;
        if (!damaged && (missing === 0 || chunk.bytes.length === length)) continue;
        const next: ReaderPosition | undefined = yield* this.#goOn(place, collector);
        if (next === undefined) {
          this.#keep(undefined);
          return collector.result();
        }
        place = next;
        wanted = 0;
      }
    } catch (error) {
      place.file.release();
      throw error;
    }
    this.#keep(place);
    if (collector.sawExit) this.#ended = true;
    return collector.result();
  }

  /** The position at or shortly before the frame that contains `from`. The caller releases its file. */
  *#seek(from: number): ReadSteps<{ place: ReaderPosition; rest?: FrameBytes | undefined }> {
    const kept = this.#place;
    if (kept !== undefined && kept.offset <= from && from - kept.offset <= nearBytes) {
      openReaders.touch(this);
      return { place: { ...kept, file: kept.file.retain() } };
    }
    const file = this.#openAt(from);
    try {
      const index = sharedIndex(this.#directory, file.base);
      if (from - index.last.offset > indexLagBytesMax) index.reload();
      const until = Math.max(from, file.base);
      const walk = yield* walkHeaders(file, { start: index.find(until), until }, index);
      return { place: { file, position: walk.position, offset: walk.offset }, rest: walk.rest };
    } catch (error) {
      file.release();
      throw error;
    }
  }

  /** The segment that contains `from`, or the first one if retention removed it. */
  #openAt(from: number): SegmentFile {
    if (from >= this.#listedEnd) this.#list();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const segment = this.#segments.findLast(({ base }) => base <= from) ?? this.#segments[0];
      const file = segment && SegmentFile.openAny(this.#directory, segment.base);
      if (file !== undefined) return file;
      this.#list();
    }
    throw new LecternError(
      "JOURNAL_CORRUPT",
      `Cannot open journal "${this.#directory}": its segments keep disappearing`,
    );
  }

  /**
   * Where reading continues if no intact frame begins at `place`: at the segment that begins here, or behind a gap. Undefined if
   * nothing more is intact; then everything up to the end is the gap. Takes over the file of `place`.
   */
  *#goOn(place: ReaderPosition, collector: RecordCollector): ReadSteps<ReaderPosition | undefined> {
    const { file, offset } = place;
    const next = offset === file.base ? undefined : SegmentFile.openAny(this.#directory, offset);
    if (next !== undefined) {
      file.release();
      return { file: next, position: 0, offset };
    }
    const intact = yield* seekIntact(file, collector.next, this.#landmarks(file.base));
    if (intact !== undefined) {
      collector.skipTo(intact.offset, "damaged");
      return { file, ...intact };
    }
    this.#list();
    const isRemoved = this.#segments.every(({ base }) => base > offset);
    for (const { base } of this.#segments.filter((segment) => segment.base > file.base)) {
      const later = SegmentFile.openAny(this.#directory, base);
      if (later === undefined) continue;
      file.release();
      collector.skipTo(base, isRemoved ? "trimmed" : "damaged");
      return { file: later, position: 0, offset: base };
    }
    file.release();
    collector.skipTo(collector.end, "damaged");
    return undefined;
  }

  #landmarks(base: number): Landmarks {
    const nextBase = this.#segments.find((segment) => segment.base > base)?.base;
    return { entries: sharedIndex(this.#directory, base).entries, nextBase };
  }

  /** Sets `end` from the index of the last segment and a check of the frames after its last entry. */
  *#findEnd(): ReadSteps<void> {
    this.#list();
    const base = this.#segments.at(-1)?.base ?? 0;
    const file = SegmentFile.openAny(this.#directory, base);
    if (file === undefined) return;
    const index = sharedIndex(this.#directory, base);
    index.reload();
    const { last } = index;
    const found = yield* this.#scanFrom({ file: file.retain(), ...last });
    try {
      if (!found && last.position > 0) {
        const intact = yield* seekIntact(file, last.offset, this.#landmarks(base));
        yield* this.#scanFrom({ file: file.retain(), ...(intact ?? { offset: base, position: 0 }) });
      }
    } finally {
      file.release();
    }
    this.#listedEnd = this.#end;
  }

  /** Moves `end` over complete records from `start` on, across segments. Releases the file. False if there were none. */
  *#scanFrom(start: ReaderPosition): ReadSteps<boolean> {
    let place = start;
    let found = false;
    try {
      while (true) {
        const scan = yield* scanFrames(place.file, place, ignore);
        found ||= scan.last !== undefined;
        if (scan.last?.type === "exit") this.#ended = true;
        // A start without a record is wrong if it came from the index; the start of a segment is always right.
        if (scan.last !== undefined || place.position === 0) this.advance(scan.offset);
        const next = this.#openBehind(place.file.base, scan.offset);
        if (next === undefined) {
          const behind = yield* this.#behindDamage(place.file, scan);
          if (behind === undefined) return found;
          place = { file: place.file, ...behind };
          continue;
        }
        place.file.release();
        place = { file: next, position: 0, offset: next.base };
      }
    } finally {
      place.file.release();
    }
  }

  /** The first intact frame behind bytes of the last segment that are not one; undefined also if they are just being written. */
  *#behindDamage(file: SegmentFile, { offset, position }: FramePosition): ReadSteps<FramePosition | undefined> {
    const rest = file.size - position;
    if (rest <= headerBytes) return undefined;
    const header = yield { file, position, length: headerBytes };
    if (header.frameLength(0, offset) > rest && isWriterLocked(this.#directory)) return undefined;
    return yield* passDamage(file, { offset, position }, this.#landmarks(file.base));
  }

  /** The segment that begins at `offset`, or the first listed after it if that was removed or never completed. */
  #openBehind(base: number, offset: number): SegmentFile | undefined {
    const next = offset === base ? undefined : SegmentFile.openAny(this.#directory, offset);
    const later = this.#segments.find((segment) => segment.base > Math.max(base, offset));
    return next ?? (later && SegmentFile.openAny(this.#directory, later.base));
  }

  async #outputSpans(from: number, end: number): Promise<{ offset: number; length: number }[]> {
    const spans: { offset: number; length: number }[] = [];
    for (let next = from; next < end;) {
      const result = await this.read(next, { bytesMax: freshBytes });
      for (const { type, offset, payload } of result.records) {
        const length = Math.min(payload.length, end - offset);
        if (type === "output" && length > 0) spans.push({ offset, length });
      }
      next = result.next;
    }
    return spans;
  }

  /** Resolves when `end` has moved, or the signal is aborted, or the reader is closed. */
  #moved(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal?.addEventListener("abort", wake);
    });
  }
}

const ignore = (): void => {};
