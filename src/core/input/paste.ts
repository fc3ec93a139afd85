const START_MARKER = Uint8Array.of(0x1b, 0x5b, 0x32, 0x30, 0x30, 0x7e);
/** `CSI 201 ~` in its 7-bit form, and with U+009B in UTF-8. A raw byte 0x9B is not a control for a program that reads UTF-8. */
const END_MARKERS: readonly Uint8Array[] = [
  Uint8Array.of(0x1b, 0x5b, 0x32, 0x30, 0x31, 0x7e),
  Uint8Array.of(0xc2, 0x9b, 0x32, 0x30, 0x31, 0x7e),
];
const TILDE = 0x7e;

/**
 * Encodes `data` as a bracketed paste: `ESC [ 200 ~`, the data, `ESC [ 201 ~`. End markers in the data are removed, also those that only
 * arise when another one is removed: otherwise the rest would be typed.
 *
 * @example
 * ```ts
 * encodePaste(new TextEncoder().encode("ls\n")); // bytes of "\u001B[200~ls\n\u001B[201~"
 * ```
 */
export function encodePaste(data: Uint8Array): Uint8Array<ArrayBuffer> {
  const [endMarker = START_MARKER] = END_MARKERS;
  const out = new Uint8Array(START_MARKER.length + data.length + endMarker.length);
  out.set(START_MARKER);
  const length = copyWithoutMarkers(data, out, START_MARKER.length);
  out.set(endMarker, length);
  return out.subarray(0, length + endMarker.length);
}

/** Copies `data` to `start` of `out`. Returns the end of the copy. */
function copyWithoutMarkers(data: Uint8Array, out: Uint8Array, start: number): number {
  let length = start;
  for (const byte of data) {
    out[length++] = byte;
    if (byte !== TILDE) continue;
    const marker = END_MARKERS.find((candidate) => endsWith(out, { start, end: length }, candidate));
    if (marker !== undefined) length -= marker.length;
  }
  return length;
}

function endsWith(
  bytes: Uint8Array,
  range: { readonly start: number; readonly end: number },
  tail: Uint8Array,
): boolean {
  const from = range.end - tail.length;
  return from >= range.start && tail.every((byte, index) => bytes[from + index] === byte);
}
