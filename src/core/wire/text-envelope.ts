/**
 * Knows the next event of a stream by its bytes, where it is the last text event with another text: so it need not be read as an event
 * of JSON.
 *
 * Why that is right: an event without a backslash in which the text stands in quotes exactly once holds it as one JSON string, and any
 * other plain characters in its place make the same JSON with another string there. Whatever differs elsewhere does not match.
 */

/** Stops looking for an envelope after so many events in a row that had another one: each look costs, and some servers number them. */
const MISSES_MAX = 8;
const quote = 34;
const backslash = 92;
const space = 32;

const encoder = new TextEncoder();
// A byte order mark within a stream is a character of its text.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export class TextEnvelope {
  #head: Uint8Array | undefined;
  #tail: Uint8Array = new Uint8Array();
  #misses = 0;

  /** Takes an event that says `text` and nothing else. */
  learn(event: Uint8Array, text: string): void {
    if (this.#misses >= MISSES_MAX) return;
    if (this.textsIn(event)?.length === 1) {
      this.#misses = 0;
      return;
    }
    this.#misses += 1;
    // A byte that is not UTF-8 reads as U+FFFD, whose own bytes may stand elsewhere: as the name of a field.
    const isExact = !event.includes(backslash) && !text.includes("\ufffd");
    const at = isExact ? onlyPlace(event, encoder.encode(`"${text}"`)) : undefined;
    if (at === undefined) return;
    this.#head = new Uint8Array(event.subarray(0, at.start + 1));
    this.#tail = new Uint8Array(event.subarray(at.end - 1));
  }

  /**
   * The texts of a chunk that is nothing but such events, whole ones; undefined for any other. The chunk must begin where an event
   * begins.
   */
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

/** Undefined where it stands there more than once, or not at all. */
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
