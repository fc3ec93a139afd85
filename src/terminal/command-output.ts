/** The output of one command, bounded: head and tail stay, what is between is counted, hashed, and kept where there is a place for it. */
import { createHash } from "node:crypto";
import { HeadTail } from "../core/bytes/head-tail.ts";
import { joinBytes } from "../core/bytes/joining.ts";
import { LOOK_BACK_BYTES } from "../core/text/sanitizer-behind.ts";
import { Sanitizer } from "../core/text/sanitizer.ts";
import type { BlobSink, BlobWriter, KeptBlob } from "./blob-sink.ts";

export interface CommandOutputOptions {
  /** Half of it is head, half is tail. */
  readonly bytesMax: number;
  /** Where an output that is longer is kept as a whole, under its SHA-256. */
  readonly blobs: BlobSink | undefined;
}

const EMPTY = new Uint8Array(0);
const ROW_END = "   \r \r";
const ROW_ENDS = /(?:\u001b\[[\d;]*m)+[%#](?:\u001b\[[\d;]*m)+ +\r \r(?:\r(?:\u001b\[[\d;]*m)*\u001b\[J)?/g;
/**
 * What was left out of an output over its limit. Counts and hash are of the bytes as the terminal gave them, with escape sequences and the
 * carriage returns that it adds; if the output is not `exact`, also with echo and prompt.
 */
export interface OmittedOutput {
  /** Left out between head and tail, and gone from the journal before they were read. */
  readonly bytes: number;
  readonly totalBytes: number;
  /** Of the whole, `totalBytes` long, in hexadecimal; where some of it had left the journal before, of what was read and the lines about the rest. */
  readonly sha256: string;
  /** The whole can be had: as the file at `path`, or of a session of the daemon by its hash (`blobs.get`, `lectern blob HASH`). */
  readonly kept: boolean;
  /** Null where no directory for it was given, and where it was not kept. */
  readonly path: string | null;
}

export interface CollectedOutput {
  /** As a person would read it. Where something is left out a line says so. */
  readonly text: string;
  /** As the program wrote it, without what was left out. */
  readonly bytes: Uint8Array;
  readonly omitted: OmittedOutput | null;
}

/** Small outputs are neither hashed nor written: what is needed for that is still there when one becomes too long. */
export class CommandOutput {
  readonly #options: CommandOutputOptions;
  /** Made when the output becomes too long. */
  #kept: HeadTail | undefined;
  /** The pieces while the output is short: no copy is made of one that came in one piece. */
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  /** Missing bytes, without those of the lines that say so. */
  #missingBytes = 0;
  #blob: BlobWriter | undefined;

  constructor(options: CommandOutputOptions) {
    this.#options = options;
  }

  get totalBytes(): number {
    return this.#bytes;
  }

  feed(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    if (this.#blob !== undefined) return this.#keep(bytes);
    this.#pieces.push(Buffer.from(bytes));
    if (this.#bytes <= this.#options.bytesMax) return;
    const half = Math.max(1, this.#options.bytesMax >> 1);
    this.#kept = new HeadTail({ headBytesMax: half, tailBytesMax: half + LOOK_BACK_BYTES });
    this.#blob = openBlob(this.#options.blobs);
    for (const piece of this.#pieces) this.#keep(piece);
    this.#pieces = [];
  }

  /** So much cannot be read any more; a line says so. */
  gap(bytes: number): void {
    const note = Buffer.from(`\n[... ${bytes} bytes missing ...]\n`);
    this.#missingBytes += bytes - note.length;
    this.feed(note);
  }

  /** The result; nothing may be fed after it. */
  end(): CollectedOutput {
    const { omitted, ...rest } = this.#end();
    const missing = this.#missingBytes;
    if (missing === 0) return { ...rest, omitted };
    const {
      bytes = 0,
      totalBytes = this.#bytes,
      sha256 = createHash("sha256").update(rest.bytes).digest("hex"),
    } = omitted ?? {};
    const known = { bytes: bytes + missing, totalBytes: totalBytes + missing, sha256 };
    return { ...rest, omitted: { ...known, kept: false, path: null } };
  }

  #end(): CollectedOutput {
    if (this.#blob === undefined || this.#kept === undefined) {
      const bytes = this.#pieces.length === 1 ? (this.#pieces[0] ?? EMPTY) : Buffer.concat(this.#pieces);
      return { text: textOf(bytes), bytes, omitted: null };
    }
    const { head, tail: end, omittedBytes: bytesBefore, totalBytes } = this.#kept.end();
    const tailStart = Math.max(0, end.length - Math.max(1, this.#options.bytesMax >> 1));
    const tail = end.subarray(tailStart);
    const omittedBytes = bytesBefore + tailStart;
    const { hash: sha256, kept } = this.#blob.end();
    const path = (kept ? this.#options.blobs?.pathOf?.(sha256) : undefined) ?? null;
    const note = `\n[... ${omittedBytes} bytes omitted ...]\n`;
    return {
      text: `${textOf(head)}${note}${textOf(tail, end.subarray(0, tailStart))}`,
      bytes: joinBytes(head, tail),
      omitted: { bytes: omittedBytes, totalBytes, sha256, kept, path },
    };
  }

  /** Forgets all; for a command whose result nobody gets. */
  discard(): void {
    this.#pieces = [];
    this.#blob?.discard();
  }

  #keep(bytes: Uint8Array): void {
    this.#kept?.feed(bytes);
    this.#blob?.write(bytes);
  }
}

/** `before` stands in front of the bytes, which may begin in the middle of a sequence. */
function textOf(bytes: Uint8Array, before: Uint8Array = EMPTY): string {
  const sanitizer = new Sanitizer();
  sanitizer.skip(before);
  return sanitizer.feed(withoutRowEnd(bytes)) + sanitizer.end();
}

/**
 * In front of its prompt zsh prints a mark and a row of blanks, which a terminal wraps behind output without a line feed (PROMPT_SP), and erases the
 * row that it comes to. Text without rows would lose its last line so.
 */
function withoutRowEnd(bytes: Uint8Array): Uint8Array {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (!buffer.includes(ROW_END)) return bytes;
  return Buffer.from(buffer.toString("latin1").replaceAll(ROW_ENDS, ""), "latin1");
}

/** A disk that is full or cannot be written takes nothing away from the command: its output is hashed, and not kept. */
function openBlob(blobs: BlobSink | undefined): BlobWriter {
  try {
    return blobs?.open() ?? new HashOnly();
  } catch {
    return new HashOnly();
  }
}

/** Where nothing is kept. */
class HashOnly implements BlobWriter {
  readonly #hash = createHash("sha256");
  #bytes = 0;

  write(chunk: Uint8Array): void {
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
  }

  end(): KeptBlob {
    return { hash: this.#hash.digest("hex"), bytes: this.#bytes, kept: false };
  }

  discard(): void {
    this.#bytes = 0;
  }
}
