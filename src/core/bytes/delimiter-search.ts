import { LecternError } from "../errors.ts";

/**
 * Finds a delimiter in a stream of chunks, also where it is split across them (Knuth, Morris, Pratt 1977: linear,
 * with no byte looked at twice). Occurrences do not overlap: after one, the search starts anew behind it.
 *
 * @example
 * ```ts
 * const search = new DelimiterSearch(new TextEncoder().encode("--"));
 * search.feed(new TextEncoder().encode("a-")); // []
 * search.feed(new TextEncoder().encode("-b")); // [1]
 * ```
 */
export class DelimiterSearch {
  readonly #delimiter: Uint8Array;
  /** Per matched length, the length that is still matched when the next byte differs. */
  readonly #fallback: Uint32Array;
  /** How much of the delimiter the bytes before this chunk matched; without it one that spans two chunks is missed. */
  #matched = 0;
  #offset: number;

  /** `start` is the absolute position of the first byte that will be fed. */
  constructor(delimiter: Uint8Array, start = 0) {
    if (delimiter.length === 0) throw new LecternError("INVALID_INPUT", "Cannot search for an empty delimiter");
    this.#delimiter = new Uint8Array(delimiter);
    this.#fallback = fallbackTable(this.#delimiter);
    this.#offset = start;
  }

  /** Absolute position of the next byte that will be fed. */
  get position(): number {
    return this.#offset;
  }

  /** Absolute positions of the first byte of each delimiter that ends in this chunk, ascending. */
  feed(chunk: Uint8Array): number[] {
    const found: number[] = [];
    const delimiter = this.#delimiter;
    const first = delimiter[0] ?? 0;
    let matched = this.#matched;
    for (let index = 0; index < chunk.length; index += 1) {
      if (matched === 0) {
        const next = chunk.indexOf(first, index);
        if (next === -1) break;
        index = next;
      }
      const byte = chunk[index];
      while (matched > 0 && byte !== delimiter[matched]) matched = this.#fallback[matched] ?? 0;
      if (byte === delimiter[matched]) matched += 1;
      if (matched === delimiter.length) {
        found.push(this.#offset + index + 1 - matched);
        matched = 0;
      }
    }
    this.#matched = matched;
    this.#offset += chunk.length;
    return found;
  }
}

function fallbackTable(delimiter: Uint8Array): Uint32Array {
  const table = new Uint32Array(delimiter.length + 1);
  let matched = 0;
  for (let index = 1; index < delimiter.length; index += 1) {
    while (matched > 0 && delimiter[index] !== delimiter[matched]) matched = table[matched] ?? 0;
    if (delimiter[index] === delimiter[matched]) matched += 1;
    table[index + 1] = matched;
  }
  return table;
}
