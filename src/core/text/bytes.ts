/** Names of the bytes that the terminal parsers look at, ECMA-48 section 5. */
export const BEL = 0x07;
export const BACKSPACE = 0x08;
export const TAB = 0x09;
export const LINE_FEED = 0x0a;
export const CARRIAGE_RETURN = 0x0d;
export const CANCEL = 0x18;
export const SUBSTITUTE = 0x1a;
export const ESCAPE = 0x1b;
export const DELETE = 0x7f;
/** First byte of U+0080 to U+00BF in UTF-8; with a second byte of 0x80 to 0x9F it is a C1 control. */
export const C1_LEAD = 0xc2;

/** The kinds of control string, by the second byte of their 7-bit opener. The 8-bit opener is that byte plus 0x40. */
export const STRING_OPENERS: ReadonlySet<number> = new Set([0x50, 0x58, 0x5d, 0x5e, 0x5f]);
export const CONTROL_SEQUENCE_OPENER = 0x5b;
export const OSC_OPENER = 0x5d;

/**
 * How many bytes at the end of `bytes` are the beginning of a UTF-8 sequence that the next chunk may complete: 0 to 3.
 * Bytes that no following byte can make valid do not count (WHATWG Encoding, "UTF-8 decoder").
 *
 * @example
 * ```ts
 * incompleteTailLength(Uint8Array.of(0x41, 0xe2, 0x82)); // 2
 * ```
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

/** `first` followed by `second`; `second` itself where `first` is empty. */
export function joinBytes(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second;
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}

/** `bytes` in views of `blockBytes` each, the last one shorter. */
export function blocksOf(bytes: Uint8Array, blockBytes: number): Uint8Array[] {
  const count = Math.ceil(bytes.length / blockBytes);
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * blockBytes, (index + 1) * blockBytes));
}
