/**
 * The audit log on disk: one line for each row (`writeAuditLine`), append-only, and beside it the head: how far the log
 * goes, which a chain cannot say of itself.
 *
 * Ordering law: rows are written and synced, then the head is written. So after a crash the log may be ahead of the head, by
 * rows that nobody was told of; a log behind its head was cut. The next row always follows the one that is further: a log
 * that was cut stays a log in which rows are missing.
 */
import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { chainRow, chainStart, readAuditLine, writeAuditLine } from "../../core/gate/audit-chain.ts";
import type { AuditRow, ChainHead } from "../../core/gate/audit-chain.ts";
import { sha256 } from "./sha256.ts";

/** A row in its place in the file. */
export interface PlacedRow {
  readonly row: AuditRow;
  readonly sequence: number;
  /** Byte offset and length of its line, without the line feed. */
  readonly at: number;
  readonly bytes: number;
}

export interface AuditFilePaths {
  readonly rowsFile: string;
  readonly headFile: string;
}

/** A longer line is no row. */
const LINE_BYTES_MAX = 65_536;
const lineFeed = 10;
const { O_APPEND, O_CREAT, O_RDWR } = constants;

export class AuditFile {
  readonly #rows: number;
  readonly #headFile: number;
  #head: ChainHead;
  #end: number;
  /** A write failed and what it left could not be cut off: what follows would stand behind half a line. */
  #torn = false;

  /** Makes the files where there are none. Throws what the file system throws. */
  constructor(paths: AuditFilePaths) {
    this.#rows = openSync(paths.rowsFile, O_RDWR | O_CREAT | O_APPEND, 0o600);
    this.#headFile = openSync(paths.headFile, O_RDWR | O_CREAT, 0o600);
    syncDirectory(dirname(paths.rowsFile));
    this.#end = cutTornLine(this.#rows);
    this.#head = furthest(readHead(this.#headFile), lastRow(this.#rows, this.#end));
  }

  /** The last row that is durable. */
  get head(): ChainHead {
    return this.#head;
  }

  /** Bytes of whole lines. */
  get end(): number {
    return this.#end;
  }

  /** Durable when it returns. Throws what the file system throws; then none of the rows is in the log. */
  append(rows: readonly AuditRow[]): readonly PlacedRow[] {
    if (this.#torn) this.#cutBack();
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
    writeSync(this.#headFile, headText(head), 0);
    return placed;
  }

  /** The bytes from `at` on. */
  read(at: number, bytes: number): Buffer {
    const buffer = Buffer.alloc(bytes);
    return buffer.subarray(0, readSync(this.#rows, buffer, { position: at }));
  }

  close(): void {
    closeSync(this.#rows);
    closeSync(this.#headFile);
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
    ftruncateSync(this.#rows, this.#end);
    fdatasyncSync(this.#rows);
    this.#torn = false;
  }
}

const furthest = (recorded: ChainHead | undefined, own: ChainHead): ChainHead =>
  recorded !== undefined && recorded.sequence >= own.sequence ? recorded : own;

/** Fixed width, so that a new head covers the old one. */
const headText = (head: ChainHead): string => `${String(head.sequence).padStart(16, "0")} ${head.hash}\n`;

function readHead(file: number): ChainHead | undefined {
  const buffer = Buffer.alloc(128);
  const text = buffer.toString("latin1", 0, readSync(file, buffer, { position: 0 }));
  const match = /^(\d{16}) ([0-9a-f]{64})\n$/.exec(text);
  return match === null ? undefined : { sequence: Number(match[1]), hash: match[2] ?? "" };
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

/** Of the last line; the start of the chain where it is no row. */
function lastRow(file: number, end: number): ChainHead {
  const lines = tailOf(file, end).toString("utf8").trimEnd().split("\n");
  const last = readAuditLine(lines.at(-1) ?? "");
  return last === undefined ? chainStart : { sequence: last.sequence, hash: last.hash };
}

function syncDirectory(path: string): void {
  const directory = openSync(path, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
