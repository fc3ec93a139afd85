const START_MARKER = Uint8Array.of(0x1b, 0x5b, 0x32, 0x30, 0x30, 0x7e);
/** `CSI 201 ~` in its 7-bit form, and with U+009B in UTF-8. A raw byte 0x9B is not a control for a program that reads UTF-8. */
const END_MARKERS: readonly Uint8Array[] = [
  Uint8Array.of(0x1b, 0x5b, 0x32, 0x30, 0x31, 0x7e),
  Uint8Array.of(0xc2, 0x9b, 0x32, 0x30, 0x31, 0x7e),
];
const TILDE = 0x7e;
/** What ends a paste. */
export const PASTE_END = END_MARKERS[0] ?? START_MARKER;

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

export interface LinePart {
  readonly bytes: Uint8Array;
  /** It begins with the end of a line: what stands before it acts with it. */
  readonly acts: boolean;
}

/**
 * Cuts what is typed before each end of a line. A part of a paste is a paste of its own.
 * `lineParts(new TextEncoder().encode("y\r")); // "y", and "\r", which acts`
 */
export function lineParts(bytes: Uint8Array): LinePart[] {
  const [endMarker = START_MARKER] = END_MARKERS;
  const starts = [0, ...[...bytes.keys()].filter((at) => at > 0 && isLineEnd(bytes[at]))];
  let isOpen = false;
  return starts.map((start, at) => {
    const line = bytes.subarray(start, starts[at + 1]);
    const head = isOpen ? START_MARKER : [];
    isOpen = includes(line, endMarker) ? false : isOpen || includes(line, START_MARKER);
    return { bytes: Uint8Array.from([...head, ...line, ...(isOpen ? endMarker : [])]), acts: isLineEnd(line[0]) };
  });
}

/**
 * Cuts a paste that the program is to take as one before ends of lines: before each of the first ones, and where there are more than
 * `partsMax` parts, before some of the others.
 */
export function pasteParts(paste: Uint8Array, partsMax: number): LinePart[] {
  const ends = [...paste.keys()].filter((at) => at > 0 && isLineEnd(paste[at]));
  const single = Math.min(ends.length, Math.floor(partsMax / 2));
  const step = Math.max(1, Math.ceil((ends.length - single) / (partsMax - 1 - single)));
  const starts = [0, ...ends.filter((_, index) => index < single || (index - single) % step === 0)];
  return starts.map((start, at) => ({ bytes: paste.subarray(start, starts[at + 1]), acts: at > 0 }));
}

const isLineEnd = (byte: number | undefined): boolean => byte === 0x0a || byte === 0x0d;

const includes = (bytes: Uint8Array, marker: Uint8Array): boolean =>
  bytes.some((byte, at) => byte === TILDE && endsWith(bytes, { start: 0, end: at + 1 }, marker));

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
