/** Reads the content of one JSON string from pieces that may be split anywhere. */

const quote = 34;
const backslash = 92;
const letterU = 117;

/** Below this the engine's own reader is not worth its call. */
const longChars = 256;
/** The longest escape, `\uXXXX`. */
const escapeChars = 6;

/** The meaning of each one-letter escape, by character code. */
const escapes: ReadonlyMap<number, string> = new Map(
  Object.entries({ '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }).map(
    ([letter, text]) => [letter.charCodeAt(0), text],
  ),
);

/**
 * `value` is the text so far. It never ends in half a surrogate pair or half an escape, so the text of an open string is valid.
 */
export class JsonString {
  #value = "";
  /** A high surrogate until it is known what follows. */
  #high = "";
  /** The available part of an incomplete escape. */
  #escape = "";
  /** Offset in the whole text after what `value` covers: a truncated text is closed there. */
  #safeEnd = 0;
  #closed = false;

  get value(): string {
    return this.#value;
  }

  get safeEnd(): number {
    return this.#safeEnd;
  }

  /** True once the closing quote was read. */
  get closed(): boolean {
    return this.#closed;
  }

  /** `at` is the offset of the first character inside the quotes. */
  begin(at: number): void {
    this.#value = "";
    this.#high = "";
    this.#escape = "";
    this.#safeEnd = at;
    this.#closed = false;
  }

  /**
   * Reads `text` from `from`; `base` is the offset of `text` in the whole. Returns the index after what it read, which
   * is all up to the closing quote, or -1 - index of a character that cannot be.
   */
  read(text: string, from: number, base: number): number {
    let index = this.#readLong(text, from, base);
    while (index < text.length) {
      if (this.#escape !== "") {
        const end = this.#readEscape(text, index, base);
        if (end < 0) return end;
        index = end;
        continue;
      }
      const end = plainEnd(text, index);
      if (end > index) this.#addPlain(text.slice(index, end), base + end);
      if (end === text.length) return end;
      const unit = text.charCodeAt(end);
      if (unit === quote) {
        this.#add("", base + end);
        this.#closed = true;
        return end + 1;
      }
      if (unit !== backslash) return -1 - end;
      const plain = escapes.get(text.charCodeAt(end + 1));
      if (plain === undefined) this.#escape = "\\";
      else this.#add(plain, base + end + 2);
      index = plain === undefined ? end + 1 : end + 2;
    }
    return index;
  }

  /**
   * The fast path: reads a long part by one call of the engine, up to the closing quote or to an escape or a pair that may be incomplete.
   * Returns where to continue: `from` if there is no such part or it is invalid, which the slow path then locates.
   */
  #readLong(text: string, from: number, base: number): number {
    if (text.length - from < longChars || this.#escape !== "" || this.#high !== "") return from;
    const closing = closingQuote(text, from);
    const end = closing === -1 ? certainEnd(text, from) : closing;
    if (end - from < longChars) return from;
    const value = unescaped(text.slice(from, end));
    if (value === undefined) return from;
    if (!isHighSurrogate(value.charCodeAt(value.length - 1))) {
      this.#add(value, base + end);
      return end;
    }
    // The high surrogate was `\uD83D` or a raw character: the next one may complete the pair.
    const half = text.charCodeAt(end - 1) === value.charCodeAt(value.length - 1) ? 1 : 6;
    this.#add(value.slice(0, -1), base + end - half);
    return end - half;
  }

  #readEscape(text: string, from: number, base: number): number {
    let index = from;
    if (this.#escape.length === 1) {
      const unit = text.charCodeAt(index);
      const plain = escapes.get(unit);
      if (plain !== undefined) {
        this.#escape = "";
        this.#add(plain, base + index + 1);
        return index + 1;
      }
      if (unit !== letterU) return -1 - index;
      this.#escape = "\\u";
      index += 1;
    }
    for (; this.#escape.length < 6 && index < text.length; index += 1) {
      if (!isHexDigit(text.charCodeAt(index))) return -1 - index;
      this.#escape += text[index];
    }
    if (this.#escape.length === 6) {
      const unit = Number.parseInt(this.#escape.slice(2), 16);
      this.#escape = "";
      this.#addUnit(unit, base + index);
    }
    return index;
  }

  #addUnit(unit: number, end: number): void {
    if (isHighSurrogate(unit)) {
      // The previous high surrogate is a lone one; its raw text ends where this escape begins.
      this.#add("", end - 6);
      this.#high = String.fromCharCode(unit);
    } else this.#add(String.fromCharCode(unit), end);
  }

  #addPlain(text: string, end: number): void {
    const last = text.charCodeAt(text.length - 1);
    if (!isHighSurrogate(last)) return this.#add(text, end);
    if (text.length > 1 || this.#high !== "") this.#add(text.slice(0, -1), end - 1);
    this.#high = String.fromCharCode(last);
  }

  #add(text: string, end: number): void {
    if (this.#high !== "") {
      this.#value += this.#high;
      this.#high = "";
    }
    this.#value += text;
    this.#safeEnd = end;
  }
}

/** Index of the quote that ends the string whose content starts at `from`; -1 if it is missing. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at !== -1 && (at - backslashesStart(text, from, at)) % 2 === 1) at = text.indexOf('"', at + 1);
  return at;
}

/** Start of the backslashes right before `end`. */
function backslashesStart(text: string, from: number, end: number): number {
  let start = end;
  while (start > from && text.charCodeAt(start - 1) === backslash) start -= 1;
  return start;
}

/** The end of `text`, or the start of an escape that may be incomplete there. */
function certainEnd(text: string, from: number): number {
  const last = text.lastIndexOf("\\");
  return last < from || text.length - last > escapeChars ? text.length : backslashesStart(text, from, last);
}

/** The value of the content of a string; undefined if it is invalid. */
function unescaped(inside: string): string | undefined {
  try {
    return JSON.parse(`"${inside}"`) as string;
  } catch {
    return undefined;
  }
}

/** Index of the first character from `from` on that is not plain inside of a string. */
function plainEnd(text: string, from: number): number {
  let index = from;
  for (; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === quote || unit === backslash || unit < 32) return index;
  }
  return index;
}

const isHighSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xd800;

const isHexDigit = (unit: number): boolean =>
  (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 70) || (unit >= 97 && unit <= 102);
