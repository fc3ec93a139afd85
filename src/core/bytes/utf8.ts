/** UTF-8 by the WHATWG Encoding Standard (https://encoding.spec.whatwg.org/#utf-8-decoder), in pieces. */

/**
 * How many leading bytes are left when a code point that is not complete is taken off the end. Bytes that can never
 * become a code point count as whole: they will be replaced, and waiting for more does not help.
 *
 * @example
 * ```ts
 * utf8SafeEnd(new Uint8Array([0x61, 0xe2, 0x82])); // 1: two of the three bytes of a euro sign wait for the third
 * ```
 */
export function utf8SafeEnd(bytes: Uint8Array): number {
  const end = bytes.length;
  for (let back = 1; back <= Math.min(3, end); back += 1) {
    const byte = bytes[end - back] ?? 0;
    if (byte < 0x80) return end;
    if (byte >= 0xc0) return isUnfinished(byte, bytes[end - back + 1], back) ? end - back : end;
  }
  return end;
}

/** Is a sequence of `length` bytes, continuation bytes after `lead`, the beginning of a longer valid one? */
function isUnfinished(lead: number, second: number | undefined, length: number): boolean {
  const needed = lead >= 0xf5 || lead < 0xc2 ? 0 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (length >= needed) return false;
  if (second === undefined || length === 1) return true;
  // The second byte has narrower bounds after some leads: no overlong forms, no surrogates, nothing above U+10FFFF.
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
  /** At most 3 bytes of a code point that has begun; without it a split code point would become two replacements. */
  #rest: Uint8Array = new Uint8Array(0);

  feed(chunk: Uint8Array): string {
    const bytes = this.#rest.length === 0 ? chunk : joined(this.#rest, chunk);
    const end = utf8SafeEnd(bytes);
    this.#rest = bytes.slice(end);
    return this.#decoder.decode(bytes.subarray(0, end));
  }

  /** What is left: one U+FFFD for a code point that never became whole. The decoder can be used anew. */
  end(): string {
    const text = this.#decoder.decode(this.#rest);
    this.#rest = new Uint8Array(0);
    return text;
  }
}

function joined(left: Uint8Array, right: Uint8Array): Uint8Array {
  const result = new Uint8Array(left.length + right.length);
  result.set(left, 0);
  result.set(right, left.length);
  return result;
}
