/** UTF-8 by the WHATWG Encoding Standard (https://encoding.spec.whatwg.org/#utf-8-decoder), in pieces. */
import { joinBytes } from "./joining.ts";

/**
 * How many leading bytes are left when a code point that is not complete is taken off the end. Bytes that can never
 * become a code point count as complete: they are replaced, so waiting for more does not help.
 * `utf8SafeEnd(new Uint8Array([0x61, 0xe2, 0x82])); // 1: two of the three bytes of a euro sign wait for the third`
 */
export const utf8SafeEnd = (bytes: Uint8Array): number => bytes.length - incompleteTailLength(bytes);

/**
 * How many bytes at the end of `bytes` are the beginning of a UTF-8 sequence that the next chunk may complete: 0 to 3.
 * Bytes that no following byte can make valid do not count (WHATWG Encoding, "UTF-8 decoder").
 * `incompleteTailLength(Uint8Array.of(0x41, 0xe2, 0x82)); // 2`
 */
export function incompleteTailLength(bytes: Uint8Array, end = bytes.length): number {
  for (let length = 1; length <= 3 && length <= end; length++) {
    const byte = bytes[end - length] ?? 0;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    if (length >= sequenceLength(byte)) return 0;
    return length === 1 || isSecondByte(byte, bytes[end - length + 1] ?? 0) ? length : 0;
  }
  return 0;
}

/** Length of the sequence that a lead byte opens; 1 for a byte that opens none. */
export function sequenceLength(lead: number): number {
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 1;
}

/**
 * Whether `second` may follow `lead` in UTF-8. Some leads have a narrower range: overlong forms, surrogates and values beyond
 * U+10FFFF are cut off there.
 */
export function isSecondByte(lead: number, second: number): boolean {
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  return second >= low && second <= high;
}

/**
 * Decodes a stream of chunks. Invalid bytes become U+FFFD, a code point split across chunks is held until it is
 * whole, a byte order mark is kept. Any chunking gives the same text.
 *
 * @example
 * ```ts
 * const decoder = new Utf8Decoder();
 * decoder.feed(new Uint8Array([0x61, 0xe2, 0x82])); // "a"
 * decoder.feed(new Uint8Array([0xac])); // "€"
 * decoder.end(); // ""
 * ```
 */
export class Utf8Decoder {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** At most 3 bytes of an incomplete code point; without it a split code point would become two replacements. */
  #rest: Uint8Array;

  /** `rest` is that of another decoder, to continue where it stood. */
  constructor(rest: readonly number[] = []) {
    this.#rest = Uint8Array.from(rest);
  }

  /** The bytes of an incomplete code point. */
  get rest(): readonly number[] {
    return [...this.#rest];
  }

  feed(chunk: Uint8Array): string {
    const bytes = joinBytes(this.#rest, chunk);
    const end = utf8SafeEnd(bytes);
    this.#rest = bytes.slice(end);
    return this.#decoder.decode(bytes.subarray(0, end));
  }

  /** The rest: one U+FFFD for an incomplete code point. The decoder can be used again. */
  end(): string {
    const text = this.#decoder.decode(this.#rest);
    this.#rest = new Uint8Array(0);
    return text;
  }
}

/** U+FFFD. */
const REPLACEMENT = [0xef, 0xbf, 0xbd] as const;

/**
 * Replaces an unfinished sequence at the end of the first `length` bytes by U+FFFD, and returns their new length: what followed it was
 * removed, and what comes next must not complete it.
 */
export function sealTail(out: Uint8Array, length: number): number {
  if (length === 0 || (out[length - 1] ?? 0) < 0x80) return length;
  const tail = incompleteTailLength(out, length);
  if (tail === 0) return length;
  out.set(REPLACEMENT, length - tail);
  return length - tail + REPLACEMENT.length;
}
