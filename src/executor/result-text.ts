/** What a model gets of a tool's output: head and tail, with the hash of the whole where the middle is missing. */
import { HeadTail } from "../core/bytes/head-tail.ts";
import { utf8SafeEnd } from "../core/bytes/utf8.ts";
import { Sanitizer } from "../core/text/sanitizer.ts";
import type { BlobSink, BlobWriter, KeptBlob } from "../terminal/blob-sink.ts";

export interface ResultTextOptions {
  readonly blobs: BlobSink;
  /** Bytes of UTF-8 that are shown, half of them from the beginning. Default 32 KiB. */
  readonly shownBytesMax?: number;
}

export interface FinishedText {
  /** For the model and for people; without escape sequences. */
  readonly text: string;
  /** Of the raw output. */
  readonly blob: KeptBlob;
  readonly omittedBytes: number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Takes an output as it comes, however long: what is held is bounded by `shownBytesMax`.
 *
 * @example
 * ```ts
 * const result = new ResultText({ blobs, shownBytesMax: 1000 });
 * result.feed(chunk);
 * result.end().text; // "first lines ... [123456 bytes are left out; all of it: lectern blob 5f1c...] ... last lines"
 * ```
 */
export class ResultText {
  readonly #blob: BlobWriter;
  readonly #sanitizer = new Sanitizer();
  readonly #shown: HeadTail;

  constructor({ blobs, shownBytesMax = 32_768 }: ResultTextOptions) {
    this.#blob = blobs.open();
    const half = Math.max(1, Math.floor(shownBytesMax / 2));
    this.#shown = new HeadTail({ headBytesMax: half, tailBytesMax: half });
  }

  /** Bytes as a program wrote them to its terminal. */
  feed(chunk: Uint8Array): void {
    this.#blob.write(chunk);
    this.#shown.feed(encoder.encode(this.#sanitizer.feed(chunk)));
  }

  /** Text that came from no terminal: it is shown as it is. */
  feedText(text: string): void {
    const bytes = encoder.encode(text);
    this.#blob.write(bytes);
    this.#shown.feed(bytes);
  }

  end(): FinishedText {
    this.#shown.feed(encoder.encode(this.#sanitizer.end()));
    const blob = this.#blob.end();
    const { head, omittedBytes, tail } = this.#shown.end();
    if (omittedBytes === 0) return { text: textOf(head) + textOf(tail), blob, omittedBytes };
    const headEnd = utf8SafeEnd(head);
    const tailStart = characterStart(tail);
    const omitted = omittedBytes + head.length - headEnd + tailStart;
    const where = blob.kept ? `all of it: lectern blob ${blob.hash.slice(0, 16)}` : "it was too long to be kept";
    const note = `\n[${omitted} bytes are left out here; ${where}]\n`;
    return {
      text: textOf(head.subarray(0, headEnd)) + note + textOf(tail.subarray(tailStart)),
      blob,
      omittedBytes: omitted,
    };
  }
}

const textOf = (bytes: Uint8Array): string => decoder.decode(bytes);

/** Where the first whole character of the bytes begins. */
function characterStart(bytes: Uint8Array): number {
  let start = 0;
  while (start < 3 && start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return start;
}
