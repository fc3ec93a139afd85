/**
 * Detects lines in an event stream about which readers disagree. All agree about `data`, `event`, `id`, `retry` and plain comments; they
 * disagree about a field behind a space, a second byte order mark, unusual line separators, and a line of JSON without a field.
 */
const lineFeed = 10;
const carriageReturn = 13;
const colon = 58;
const tab = 9;
const encoder = new TextEncoder();
const byteOrderMark = encoder.encode("\u{feff}");
const data = encoder.encode("data");
const plainFields = ["event", "id", "retry", ""].map((name) => encoder.encode(name));

/** True if readers disagree about a line of the event. */
export function hasForeignLine(event: Uint8Array): boolean {
  for (let at = 0; at < event.length;) {
    const end = lineEnd(event, at);
    if (end > at && !hasField(event, at, { end, name: data })) {
      const isKnown = plainFields.some((name) => hasField(event, at, { end, name }));
      if (!isKnown || !isPlain(event, at, end)) return true;
    }
    at = end + 1;
  }
  return false;
}

/** Without the byte order mark that a stream may start with. */
export const withoutByteOrderMark = (bytes: Uint8Array): Uint8Array =>
  byteOrderMark.every((byte, at) => bytes[at] === byte) ? bytes.subarray(byteOrderMark.length) : bytes;

function lineEnd(event: Uint8Array, start: number): number {
  const feed = event.indexOf(lineFeed, start);
  const end = feed === -1 ? event.length : feed;
  const back = event.subarray(start, end).indexOf(carriageReturn);
  return back === -1 ? end : start + back;
}

/** A comment is a field without a name. */
function hasField(event: Uint8Array, start: number, { end, name }: { end: number; name: Uint8Array }): boolean {
  for (let at = 0; at < name.length; at += 1) if (event[start + at] !== name[at]) return false;
  const after = start + name.length;
  return after === end ? name.length > 0 : after < end && event[after] === colon;
}

function isPlain(event: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = event[at] ?? 0;
    if ((byte < 32 && byte !== tab) || byte > 126) return false;
  }
  return true;
}
