/**
 * Appends to a journal. Laws:
 * - One writer per directory, by a lock that the kernel releases when the process ends (`writer-lock.ts`).
 * - When `append` returns, the record is in the page cache: it survives the death of this process, and readers in
 *   any process may read it. A power loss destroys at most what the last 50 ms wrote.
 * - A record is on disk entirely or not at all. After a failed write the file is truncated before anything else is
 *   written, so the bytes of a failed record are never read as records.
 */
import * as nodeFiles from "node:fs";
import { LecternError, errorMessage } from "../core/errors.ts";
import type { RecordType } from "../protocol/records.ts";
import { HeaderBuffer, headerBytes, payloadBytesMax } from "./frame.ts";
import { IndexAppender, type JournalFiles } from "./index-appender.ts";
import { inspectSegment, repairActive, type RepairReport, type SegmentEnd } from "./repair.ts";
import { segmentBytesFor, trimSegments } from "./retention.ts";
import { listSegments, segmentPath } from "./segments.ts";
import { FileSync, type SyncMode } from "./file-sync.ts";
import { takeSqliteLock, takeWriterLock, type TakeWriterLock, type WriterLock } from "./writer-lock.ts";

export interface JournalWriterOptions {
  /** Bytes of all segments on disk. Checked when a segment is sealed, so it can be exceeded by about one segment. */
  readonly retainBytesMax?: number | undefined;
  /** A segment of this length is sealed and a new one begun. Default: a quarter of `retainBytesMax`, from 64 KiB to 64 MiB. */
  readonly segmentBytesMax?: number;
  /** Default `interval`. */
  readonly fsync?: SyncMode;
  /** Reports errors outside of `append`: a failed sync or removal of old segments. The session continues. */
  readonly onProblem?: (error: LecternError) => void;
  /** Default: through SQLite, which works everywhere. */
  readonly lock?: TakeWriterLock;
  /** For tests with a failing disk. */
  readonly files?: JournalFiles;
}

export interface AppendOptions {
  /** Microseconds since the Unix epoch, raised to the time of the last record if it is earlier. */
  readonly timeUs: number;
  /** Only for `input`: the payload is already masked. */
  readonly secret?: boolean;
}

/** Longer output is split into several records, so a reader of a small part need not check megabytes. */
const outputRecordBytesMax = 256 * 1024;

interface Active {
  readonly base: number;
  readonly descriptor: number;
  readonly index: IndexAppender;
  /** Of the next frame. */
  position: number;
}

/**
 * @example
 * ```ts
 * await using writer = await JournalWriter.open(directory);
 * writer.append("output", bytes, { timeUs: Date.now() * 1000 });
 * ```
 */
export class JournalWriter implements AsyncDisposable {
  /** What the repair at `open` cut off; undefined if the journal was intact. */
  readonly repair: RepairReport | undefined;
  readonly #directory: string;
  readonly #options: JournalWriterOptions;
  readonly #files: JournalFiles;
  readonly #segmentBytesMax: number;
  readonly #header = new HeaderBuffer();
  /** Header and payload, reused for each record that is not split. */
  readonly #pair: Uint8Array[] = [this.#header.bytes, this.#header.bytes];
  readonly #sync: FileSync;
  readonly #lock: WriterLock;
  readonly #listeners = new Set<(end: number) => void>();
  #active: Active;
  #end: number;
  #timeUs: number;
  #ended: boolean;
  #closed = false;
  /** Bytes of a failed append may follow the last record. */
  #dirtyTail = false;
  #trimming: Promise<void> = Promise.resolve();

  private constructor(directory: string, options: JournalWriterOptions, { found, lock }: Locked) {
    this.#directory = directory;
    this.#lock = lock;
    this.#options = options;
    this.#files = options.files ?? nodeFiles;
    this.#segmentBytesMax = options.segmentBytesMax ?? segmentBytesFor(options.retainBytesMax);
    this.#sync = new FileSync(this.#files, options.fsync ?? "interval", (cause) => this.#report("sync", cause));
    this.repair = found.repair;
    this.#end = found.end.offset;
    this.#timeUs = found.end.timeUs;
    this.#ended = found.end.ended;
    this.#active = this.#openSegment(found.base, found.end.position, found.end.index);
  }

  /**
   * Opens the journal in a directory, which is created if necessary (mode 0700). The last segment is checked byte
   * by byte and truncated after its last complete record, while the lock is held.
   *
   * @throws LecternError `CONFLICT` if another writer has it open; `JOURNAL_WRITE_FAILED`
   */
  static async open(directory: string, options: JournalWriterOptions = {}): Promise<JournalWriter> {
    let lock: WriterLock | undefined;
    try {
      nodeFiles.mkdirSync(directory, { recursive: true, mode: 0o700 });
      lock = takeWriterLock(directory, options.lock ?? takeSqliteLock);
      if (lock !== undefined) return new JournalWriter(directory, options, { found: await findEnd(directory), lock });
    } catch (cause) {
      lock?.release();
      throw new LecternError("JOURNAL_WRITE_FAILED", `Cannot open journal "${directory}": ${errorMessage(cause)}`, {
        cause,
      });
    }
    throw new LecternError("CONFLICT", `Cannot open journal "${directory}" for writing: another process writes it`);
  }

  /** Offset of the next record. */
  get end(): number {
    return this.#end;
  }

  /** The `exit` record is written: nothing more can be appended. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Calls back with the new end after each append. Returns a function that unsubscribes. */
  onAppend(listener: (end: number) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Appends one record and returns its offset. Synchronous: `payload` can be reused when it returns.
   * Output of more than 256 KiB becomes several records.
   *
   * @throws LecternError `JOURNAL_WRITE_FAILED` if the disk fails: nothing was appended, `end` is unchanged, and
   *   appends work again as soon as the disk does; `SESSION_ENDED` after the `exit` record; `TOO_LARGE`; `INVALID_INPUT`
   */
  append(type: RecordType, payload: Uint8Array, options: AppendOptions): number {
    this.#checkAppend(type, payload);
    if (this.#active.position >= this.#segmentBytesMax) this.#roll();
    const offset = this.#end;
    const timeUs = options.timeUs > this.#timeUs ? options.timeUs : this.#timeUs;
    const fields = { offset, timeUs, type, secret: options.secret === true };
    const { position, index } = this.#active;
    if (type === "output" && payload.length > outputRecordBytesMax) {
      this.#write(framesOf(payload, fields));
    } else {
      this.#header.encode(fields, payload);
      this.#pair[1] = payload;
      this.#write(this.#pair);
    }
    if (index.isDue(position)) index.note({ offset, position, timeUs });
    this.#timeUs = timeUs;
    this.#end = offset + payload.length;
    if (type === "exit") this.#ended = true;
    for (const listener of this.#listeners) listener(this.#end);
    return offset;
  }

  /** Syncs (unless `fsync` is `never`) and closes. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#listeners.clear();
    this.#active.index.close();
    await this.#trimming;
    try {
      await this.#sync.close(this.#active.descriptor);
    } finally {
      this.#lock.release();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #checkAppend(type: RecordType, payload: Uint8Array): void {
    if (this.#closed || this.#ended) {
      const state = this.#closed ? "it is closed" : "the session has ended";
      throw new LecternError("SESSION_ENDED", `Cannot append to journal "${this.#directory}": ${state}`);
    }
    if (payload.length === 0) throw new LecternError("INVALID_INPUT", `Cannot append an empty ${type} record`);
    if (type !== "output" && payload.length > payloadBytesMax) {
      const message = `Cannot append a ${type} record of ${payload.length} bytes: the limit is ${payloadBytesMax}`;
      throw new LecternError("TOO_LARGE", message);
    }
  }

  /** Writes everything at the end of the active segment, or nothing. */
  #write(buffers: readonly Uint8Array[]): void {
    const active = this.#active;
    const total = buffers.length === 2 ? headerBytes + (buffers[1]?.length ?? 0) : totalLength(buffers);
    try {
      if (this.#dirtyTail) this.#cutBack();
      const written = this.#files.writevSync(active.descriptor, buffers, active.position);
      if (written !== total) this.#writeRest(buffers, written);
      this.#sync.written(active.descriptor);
    } catch (cause) {
      this.#dirtyTail = true;
      try {
        this.#cutBack();
      } catch {
        // `#dirtyTail` stays set: the next append truncates first, and fails if that fails.
      }
      throw this.#failure(cause);
    }
    active.position += total;
  }

  /** After a short write: a full disk reports its error only on the next one. */
  #writeRest(buffers: readonly Uint8Array[], writtenBytes: number): void {
    const { descriptor, position } = this.#active;
    const bytes = Buffer.concat(buffers);
    let written = writtenBytes;
    while (written < bytes.length) {
      const count = this.#files.writeSync(descriptor, bytes, written, bytes.length - written, position + written);
      if (count === 0) throw new Error("the disk accepts no more bytes");
      written += count;
    }
  }

  #cutBack(): void {
    this.#files.ftruncateSync(this.#active.descriptor, this.#active.position);
    this.#dirtyTail = false;
  }

  #failure(cause: unknown): LecternError {
    const message = `Cannot append to journal "${this.#directory}" at offset "${this.#end}": ${errorMessage(cause)}`;
    return new LecternError("JOURNAL_WRITE_FAILED", message, { details: { offset: this.#end }, cause });
  }

  #openSegment(base: number, position: number, known: SegmentEnd["index"]): Active {
    const path = segmentPath(this.#directory, base, "seg");
    const descriptor = this.#files.openSync(path, position === 0 ? "w+" : "r+", 0o600);
    return { base, descriptor, position, index: new IndexAppender(this.#files, this.#directory, { base, known }) };
  }

  /** Seals the active segment and begins a new one. If that fails, the old one continues to grow. */
  #roll(): void {
    const sealed = this.#active;
    try {
      if (this.#dirtyTail) this.#cutBack();
      this.#active = this.#openSegment(this.#end, 0, []);
    } catch (cause) {
      this.#report("begin a new segment of", cause);
      return;
    }
    sealed.index.close();
    this.#sync.retire(sealed.descriptor, this.#directory);
    this.#trimming = this.#trim(this.#trimming);
  }

  /** Removals run one after the other, because they work on the same files. */
  async #trim(previous: Promise<void>): Promise<void> {
    await previous;
    try {
      await trimSegments(this.#directory, this.#options.retainBytesMax ?? Number.POSITIVE_INFINITY);
    } catch (cause) {
      this.#report("remove old segments of", cause);
    }
  }

  #report(action: string, cause: unknown): void {
    const message = `Cannot ${action} journal "${this.#directory}": ${errorMessage(cause)}`;
    this.#options.onProblem?.(new LecternError("JOURNAL_WRITE_FAILED", message, { cause }));
  }
}

interface Locked {
  readonly found: Found;
  readonly lock: WriterLock;
}

interface Found {
  readonly base: number;
  readonly end: Pick<SegmentEnd, "offset" | "position" | "timeUs" | "ended" | "index">;
  readonly repair: RepairReport | undefined;
}

const nothing = { offset: 0, position: 0, timeUs: 0, ended: false, index: [] };

async function findEnd(directory: string): Promise<Found> {
  const segments = listSegments(directory);
  const last = segments.at(-1);
  if (last === undefined) return { base: 0, end: nothing, repair: undefined };
  const end = await inspectSegment(directory, { ...last, next: undefined });
  if (last.suffix === "zseg") return { base: end.offset, end: { ...end, position: 0, index: [] }, repair: undefined };
  const repair = await repairActive(directory, last.base, end);
  const before = segments.at(-2);
  const empty = end.position === 0 && before !== undefined;
  const timeUs = empty ? (await inspectSegment(directory, { ...before, next: last.base })).timeUs : end.timeUs;
  return { base: last.base, end: { ...end, timeUs }, repair };
}

function framesOf(payload: Uint8Array, fields: { offset: number; timeUs: number; type: RecordType; secret: boolean }) {
  const buffers: Uint8Array[] = [];
  for (let at = 0; at < payload.length; at += outputRecordBytesMax) {
    const piece = payload.subarray(at, at + outputRecordBytesMax);
    const header = new HeaderBuffer();
    header.encode({ ...fields, offset: fields.offset + at }, piece);
    buffers.push(header.bytes, piece);
  }
  return buffers;
}

const totalLength = (buffers: readonly Uint8Array[]): number => buffers.reduce((sum, { length }) => sum + length, 0);
