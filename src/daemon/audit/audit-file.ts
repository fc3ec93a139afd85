/**
 * The audit log on disk: one line for each row (`writeAuditLine`), append-only, in segments of a limited size, and beside them the head:
 * how far the log goes, which a chain cannot say of itself, and in which segment that is.
 *
 * Ordering law: a new segment is made and its directory synced, then rows are written to it and synced, then the head is written. So
 * after a crash the log may be ahead of the head, by rows that nobody was told of, or end in an empty segment; a log behind its head
 * was cut. No segment is renamed or changed once there is a next one. The next row always follows the one that is further: a log
 * that was cut stays a log in which rows are missing.
 */
import {
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { chainRow, chainStart, readAuditLine, writeAuditLine } from "../../core/gate/audit-chain.ts";
import type { AuditRow, ChainHead } from "../../core/gate/audit-chain.ts";
import { type AuditSegment, readSegment, segmentName, segmentsIn } from "./audit-segments.ts";
import { sha256 } from "./sha256.ts";

export interface PlacedRow {
  readonly row: AuditRow;
  readonly sequence: number;
  /** Byte of the log at which its line begins, and the bytes of the line, without the line feed. */
  readonly at: number;
  readonly bytes: number;
}

export interface AuditFileOptions {
  /** A segment that has so many bytes takes no further rows. Default 64 MiB. */
  readonly segmentBytesMax?: number | undefined;
}

/** A longer line is no row. */
const LINE_BYTES_MAX = 65_536;
const lineFeed = 10;
/** At the end of a head that was begun beside rows without one. */
const LOST = " lost";
const { O_APPEND, O_CREAT, O_RDWR } = constants;

export class AuditFile {
  readonly #directory: string;
  readonly #segmentBytesMax: number;
  readonly #headFile: number;
  /** Those that are full. */
  #sealed: AuditSegment[];
  /** The segment that takes rows: its file, its place, and the byte of the log at which it begins. */
  #rows: number;
  #active: { readonly ordinal: number; readonly start: number };
  #head: ChainHead;
  /** The head has this from then on: later rows hide nothing that was removed before. */
  readonly #wasHeadLost: boolean;
  /** Bytes of the whole lines of the log. */
  #end: number;
  /** A write failed and what it left could not be cut off: what follows would stand behind half a line. */
  #torn = false;

  /** Makes the files where there are none; the directory is there. Throws what the file system throws. */
  constructor(directory: string, options: AuditFileOptions = {}) {
    this.#directory = directory;
    this.#segmentBytesMax = options.segmentBytesMax ?? 64 * 1024 * 1024;
    this.#headFile = openSync(join(directory, "head"), O_RDWR | O_CREAT, 0o600);
    const recorded = readHead(this.#headFile);
    const found = segmentsIn(directory);
    const last = found.at(-1);
    const isMissing = (last?.ordinal ?? -1) < (recorded?.ordinal ?? 0);
    // Behind one that is missing another begins, so that it stays missing.
    const active = isMissing || last === undefined ? placeBehind(last, recorded?.ordinal) : last;
    this.#sealed = isMissing ? found : found.slice(0, -1);
    this.#active = active;
    this.#rows = this.#openRows(active);
    this.#end = active.start + cutTornLine(this.#rows);
    this.#head = furthest(recorded, this.#lastRow());
    this.#wasHeadLost = recorded?.wasLost ?? this.#head.sequence > 0;
    if (recorded === undefined && !this.#wasHeadLost) this.#begin();
  }

  /** Rows stood beside no recorded head once, or do now: what was at their end may have been removed. */
  get isHeadMissing(): boolean {
    return (this.#wasHeadLost || !existsSync(join(this.#directory, "head"))) && this.#head.sequence > 0;
  }

  /** The last row that is durable. */
  get head(): ChainHead {
    return this.#head;
  }

  /** Bytes of whole lines. */
  get end(): number {
    return this.#end;
  }

  get directory(): string {
    return this.#directory;
  }

  /** The place of the segment that takes rows among all, from 0. */
  get lastOrdinal(): number {
    return this.#active.ordinal;
  }

  /** Durable when it returns. Throws what the file system throws; then none of the rows is in the log. */
  append(rows: readonly AuditRow[]): readonly PlacedRow[] {
    if (this.#torn) this.#cutBack();
    if (this.#end - this.#active.start >= this.#segmentBytesMax) this.#rotate();
    const placed: PlacedRow[] = [];
    const lines: string[] = [];
    let head = this.#head;
    let at = this.#end;
    for (const row of rows) {
      const chained = chainRow(head, row, sha256);
      const line = writeAuditLine(chained);
      const bytes = Buffer.byteLength(line);
      if (bytes > LINE_BYTES_MAX)
        throw new RangeError(`an audit row has ${bytes} bytes, the limit is ${LINE_BYTES_MAX}`);
      lines.push(line);
      placed.push({ row, sequence: chained.sequence, at, bytes });
      at += bytes + 1;
      head = { sequence: chained.sequence, hash: chained.hash };
    }
    this.#write(Buffer.from(`${lines.join("\n")}\n`));
    this.#end = at;
    this.#head = head;
    writeSync(this.#headFile, headText(head, this.#active.ordinal, this.#wasHeadLost), 0);
    return placed;
  }

  /** The bytes of the log from `at` on, at most to the end of their segment; none where that is missing. */
  read(at: number, bytes: number): Buffer {
    if (at >= this.#active.start) {
      const buffer = Buffer.alloc(Math.min(bytes, this.#end - at));
      return buffer.subarray(0, readSync(this.#rows, buffer, { position: at - this.#active.start }));
    }
    const index = this.#sealed.findLastIndex(({ start }) => start <= at);
    const segment = this.#sealed[index];
    if (segment === undefined) return Buffer.alloc(0);
    const limit = Math.min(segment.start + segment.bytes, this.#startBehind(index));
    if (at >= limit) return Buffer.alloc(0);
    const place = { directory: this.#directory, name: segment.name };
    return readSegment(place, at - segment.start, Math.min(bytes, limit - at));
  }

  /** Where the log goes on behind a place of which there are no bytes. */
  resumeAt(at: number): number {
    return this.#startBehind(this.#sealed.findLastIndex(({ start }) => start <= at));
  }

  close(): void {
    closeSync(this.#rows);
    closeSync(this.#headFile);
  }

  #startBehind(index: number): number {
    return this.#sealed[index + 1]?.start ?? this.#active.start;
  }

  /** A new log has its head before its first row: a crash between the two does not look like a head that was removed. */
  #begin(): void {
    writeSync(this.#headFile, headText(this.#head, this.#active.ordinal, false), 0);
    fsyncSync(this.#headFile);
    syncDirectory(this.#directory);
  }

  #openRows({ ordinal, start }: { readonly ordinal: number; readonly start: number }): number {
    const file = openSync(join(this.#directory, segmentName(ordinal, start)), O_RDWR | O_CREAT | O_APPEND, 0o600);
    syncDirectory(this.#directory);
    return file;
  }

  #rotate(): void {
    const { ordinal, start } = this.#active;
    const next = { ordinal: ordinal + 1, start: this.#end };
    const rows = this.#openRows(next);
    closeSync(this.#rows);
    this.#sealed.push({ name: segmentName(ordinal, start), ordinal, start, bytes: this.#end - start });
    this.#active = next;
    this.#rows = rows;
  }

  /** Of the last segment that has one; the start of the chain where its last line is no row. */
  #lastRow(): ChainHead {
    const { start } = this.#active;
    const last =
      this.#end > start ? { start, bytes: this.#end - start } : this.#sealed.findLast(({ bytes }) => bytes > 0);
    if (last === undefined) return chainStart;
    const bytes = Math.min(last.bytes, LINE_BYTES_MAX + 1);
    const tail = this.read(last.start + last.bytes - bytes, bytes);
    const row = readAuditLine(tail.toString("utf8").trimEnd().split("\n").at(-1) ?? "");
    return row === undefined ? chainStart : { sequence: row.sequence, hash: row.hash };
  }

  #write(bytes: Buffer): void {
    try {
      for (let done = 0; done < bytes.length;) done += writeSync(this.#rows, bytes, done);
      fdatasyncSync(this.#rows);
    } catch (error) {
      this.#torn = true;
      this.#cutBack();
      throw error;
    }
  }

  #cutBack(): void {
    ftruncateSync(this.#rows, this.#end - this.#active.start);
    fdatasyncSync(this.#rows);
    this.#torn = false;
  }
}

interface RecordedHead extends ChainHead {
  /** Of the segment in which the row stands. */
  readonly ordinal: number;
  /** It was begun beside rows that had none. */
  readonly wasLost: boolean;
}

const furthest = (recorded: RecordedHead | undefined, own: ChainHead): ChainHead =>
  recorded !== undefined && recorded.sequence >= own.sequence
    ? { sequence: recorded.sequence, hash: recorded.hash }
    : own;

/** The segment to begin where the one that the head names is missing, or where there is none at all. */
const placeBehind = (
  last: AuditSegment | undefined,
  recorded: number | undefined,
): { readonly ordinal: number; readonly start: number } => ({
  ordinal: recorded === undefined ? 0 : recorded + 1,
  start: last === undefined ? 0 : last.start + last.bytes,
});

/** Fixed width, so that a new head covers the old one. */
const headText = ({ hash, sequence }: ChainHead, ordinal: number, wasLost: boolean): string =>
  `${String(sequence).padStart(16, "0")} ${hash} ${String(ordinal).padStart(6, "0")}${wasLost ? LOST : ""}\n`;

/** Without the segment: written before there were several. */
function readHead(file: number): RecordedHead | undefined {
  const buffer = Buffer.alloc(128);
  const text = buffer.toString("latin1", 0, readSync(file, buffer, { position: 0 }));
  const match = /^(\d{16}) ([0-9a-f]{64})(?: (\d{6})( lost)?)?\n$/.exec(text);
  return match === null
    ? undefined
    : {
        sequence: Number(match[1]),
        hash: match[2] ?? "",
        ordinal: Number(match[3] ?? 0),
        wasLost: match[4] !== undefined,
      };
}

/** Bytes behind the last line feed are a row that nobody was told of. Returns where the whole lines end. */
function cutTornLine(file: number): number {
  const { size } = fstatSync(file);
  const tail = tailOf(file, size);
  const end = size - (tail.length - (tail.lastIndexOf(lineFeed) + 1));
  if (end < size) ftruncateSync(file, end);
  return end;
}

function tailOf(file: number, end: number): Buffer {
  const start = Math.max(0, end - LINE_BYTES_MAX - 1);
  const buffer = Buffer.alloc(end - start);
  readSync(file, buffer, { position: start });
  return buffer;
}

function syncDirectory(path: string): void {
  const directory = openSync(path, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
