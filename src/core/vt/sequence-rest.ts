/**
 * Removes the rest of a string sequence from output that begins at an unknown place: behind a gap, or in the middle of a recording. There
 * the terminator of a shell mark comes without its opener, and the mark's nonce would be read as text.
 */
import { joinBytes } from "../bytes/joining.ts";
import { BEL, ESCAPE, ST_FINAL } from "./control-bytes.ts";

/** Longer than any shell mark with a nonce. What has no control character for so long is text. */
const REST_BYTES_MAX = 64;
const EMPTY = new Uint8Array(0);

export class SequenceRest {
  /** What may be the rest of a sequence; null once that is known. */
  #held: Uint8Array | null = null;

  /** What comes next is from an unknown place on. */
  begin(): void {
    this.#held = EMPTY;
  }

  /** The bytes that are held back: what `restore` needs; null if nothing is searched for. */
  save(): readonly number[] | null {
    return this.#held === null ? null : [...this.#held];
  }

  restore(held: readonly number[] | null): void {
    this.#held = held === null ? null : Uint8Array.from(held);
  }

  /** What of the output is not such a rest: the end of the bytes that were held back and of `chunk`. */
  strip(chunk: Uint8Array): Uint8Array {
    const held = this.#held;
    if (held === null || chunk.length === 0) return chunk;
    const bytes = held.length === 0 ? chunk : joinBytes(held, chunk);
    const start = startOfText(bytes.subarray(0, REST_BYTES_MAX));
    // A copy: chunks are memory that is used again.
    this.#held = start === undefined ? bytes.slice() : null;
    return start === undefined ? EMPTY : bytes.subarray(start);
  }
}

/**
 * The same for output that comes as records: a mark is cut in two at the most. Nothing is held back, so that a short word that stands
 * behind a gap is shown at once.
 */
export const withoutRest = (first: Uint8Array): Uint8Array =>
  first.subarray(startOfText(first.subarray(0, REST_BYTES_MAX)) ?? 0);

/** Where text begins; undefined while that is not known. BEL and ST end a string, any other control character stands in text. */
function startOfText(bytes: Uint8Array): number | undefined {
  const end = bytes.findIndex((byte) => byte < 0x20);
  if (end === -1) return bytes.length === REST_BYTES_MAX ? 0 : undefined;
  if (bytes[end] === BEL) return end + 1;
  if (bytes[end] !== ESCAPE) return 0;
  if (end + 1 === bytes.length) return bytes.length === REST_BYTES_MAX ? 0 : undefined;
  return bytes[end + 1] === ST_FINAL ? end + 2 : 0;
}
