/**
 * Recognises text events by their bytes, so that most events of a stream need no JSON parser: an event that equals the last text event
 * except for the text.
 *
 * Correct because an event without backslashes that contains the quoted text exactly once has it as one JSON string, and other plain
 * characters in its place give the same JSON with another string. Any other difference does not match.
 */

/** Stops learning after so many misses in a row, because learning costs and some servers number their events. */
const MISSES_MAX = 8;
const quote = 34;
const backslash = 92;
const space = 32;

const encoder = new TextEncoder();
// Within a stream a byte order mark is a character of the text.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export class TextEnvelope {
  #head: Uint8Array | undefined;
  #tail: Uint8Array = new Uint8Array();
  #misses = 0;

  learn(event: Uint8Array, text: string): void {
    if (this.#misses >= MISSES_MAX) return;
    if (this.textsIn(event)?.length === 1) {
      this.#misses = 0;
      return;
    }
    this.#misses += 1;
    // Invalid UTF-8 decodes to U+FFFD, whose own bytes may be elsewhere in the event, such as in a field name.
    const isExact = !event.includes(backslash) && !text.includes("\ufffd");
    const at = isExact ? onlyPlace(event, encoder.encode(`"${text}"`)) : undefined;
    if (at === undefined) return;
    this.#head = new Uint8Array(event.subarray(0, at.start + 1));
    this.#tail = new Uint8Array(event.subarray(at.end - 1));
  }

  /** The texts of a chunk that consists of whole such events; undefined for any other. The chunk must start with an event. */
  textsIn(chunk: Uint8Array): string[] | undefined {
    const head = this.#head;
    if (head === undefined || chunk.length === 0) return undefined;
    const texts: string[] = [];
    for (let at = 0; at < chunk.length;) {
      if (!standsAt(chunk, head, at)) return undefined;
      const start = at + head.length;
      let end = start;
      while (end < chunk.length && isPlain(chunk[end] ?? quote)) end += 1;
      if (!standsAt(chunk, this.#tail, end)) return undefined;
      texts.push(decoder.decode(chunk.subarray(start, end)));
      at = end + this.#tail.length;
    }
    return texts;
  }
}

const isPlain = (byte: number): boolean => byte >= space && byte !== quote && byte !== backslash;

function standsAt(bytes: Uint8Array, wanted: Uint8Array, start: number): boolean {
  if (start + wanted.length > bytes.length) return false;
  for (let at = 0; at < wanted.length; at += 1) if (bytes[start + at] !== wanted[at]) return false;
  return true;
}

/** Undefined if it does not occur exactly once. */
function onlyPlace(
  bytes: Uint8Array,
  wanted: Uint8Array,
): { readonly start: number; readonly end: number } | undefined {
  let found: number | undefined;
  for (let at = bytes.indexOf(quote); at !== -1; at = bytes.indexOf(quote, at + 1)) {
    if (!standsAt(bytes, wanted, at)) continue;
    if (found !== undefined) return undefined;
    found = at;
  }
  return found === undefined ? undefined : { start: found, end: found + wanted.length };
}
