/** Bracketed paste: a program that asked for it (`CSI ? 2004 h`) sees pasted text between two markers and does not act on its keys. */

const start = Uint8Array.of(0x1b, 0x5b, 0x32, 0x30, 0x30, 0x7e);
const end = Uint8Array.of(0x1b, 0x5b, 0x32, 0x30, 0x31, 0x7e);

/**
 * The text between the markers. An end marker inside the text would let its rest be taken for typed keys, so each one is removed,
 * also one that only comes together when another is removed from its middle.
 */
export function bracketedPaste(text: Uint8Array): Uint8Array {
  const result = new Uint8Array(start.length + text.length + end.length);
  result.set(start);
  let length = start.length;
  for (const byte of text) {
    result[length++] = byte;
    if (byte === 0x7e && endsWithMarker(result, length)) length -= end.length;
  }
  result.set(end, length);
  return result.subarray(0, length + end.length);
}

/** The start marker before the text cannot be part of a match: it ends in a byte that an end marker does not begin with. */
function endsWithMarker(bytes: Uint8Array, length: number): boolean {
  return end.every((byte, index) => bytes[length - end.length + index] === byte);
}
