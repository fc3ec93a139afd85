/**
 * Incremental strict JSON (RFC 8259).
 *
 * Each character is read once, however the text is split, and the live value grows in place, so the work is linear and reading the value
 * is free. JSON.parse is not used, because some engines return wrong keys from it if a key contains an escape (nodejs/node#63785).
 */
import { keepShape } from "../kept-shapes.ts";
import { JsonString } from "./json-string.ts";
import { JsonTree } from "./json-tree.ts";

/** An incomplete piece of the text that is not in the value. */
export interface JsonDropped {
  /**
   * - `number`: a number without a delimiter after it, which may be incomplete
   * - `literal`: a part of `true`, `false` or `null`
   * - `key`: a part of a key
   * - `missing-value`: a complete key without a value
   */
  readonly kind: "number" | "literal" | "key" | "missing-value";
  /** JSON Pointer (RFC 6901) of the dropped value; of the object if the key itself is incomplete. */
  readonly path: string;
}

/**
 * Why a text was refused:
 * - `empty`: it has no complete value
 * - `invalid`: no continuation of the text is JSON
 * - `trailing`: something follows a complete value
 * - `depth`, `size`: a limit was hit
 */
export type JsonRefusal = "empty" | "invalid" | "trailing" | "depth" | "size";

/**
 * `json` is a prefix of the text, then at most one `"`, then closing brackets. `complete`: the text is a whole document, and `json` is the
 * text.
 */
export type HealResult =
  | {
      readonly ok: true;
      readonly complete: boolean;
      readonly json: string;
      /** The value of `json`. `__proto__` is an ordinary own key in it. */
      readonly value: unknown;
      /** JSON Pointer of the string that was truncated and closed; null if there is none. */
      readonly partialString: string | null;
      readonly dropped: JsonDropped | null;
    }
  | {
      readonly ok: false;
      readonly reason: JsonRefusal;
      /** Offset in UTF-16 units of the first character that cannot be. */
      readonly at: number;
    };

/** Limits on the depth and the length of a JSON text. */
export interface JsonLimits {
  /** Open brackets within each other; one more is refused with `depth`. Default 512. */
  readonly depthMax?: number;
  /** UTF-16 units of the text; more is refused with `size`. Default 16 Mi. */
  readonly textCharsMax?: number;
}

/** A piece of the first string argument, as it comes. */
export interface JsonStringPiece {
  /** JSON Pointer of the string, for example `/command`. */
  readonly path: string;
  /** What was added to the string: valid text that will not change. */
  readonly text: string;
  /** True with the last piece. */
  readonly end: boolean;
}

/**
 * Position of the reader:
 * - `value`: before a value; `first-value`, `first-key`: the same, or the container ends at once
 * - `key`: before a key; `colon`: after it; `after`: after a value, before a comma or the end of the container
 * - `in-key`, `in-string`, `in-number`, `in-literal`: inside of it
 * - `done`: the root value is complete
 */
type State =
  | "value"
  | "first-value"
  | "first-key"
  | "key"
  | "colon"
  | "after"
  | "in-key"
  | "in-string"
  | "in-number"
  | "in-literal"
  | "done";

export const depthDefault = 512;
export const textCharsDefault = 16 * 1024 * 1024;

const quote = 34;
const comma = 44;
const minus = 45;
const colon = 58;
const openBracket = 91;
const closeBracket = 93;
const openBrace = 123;
const closeBrace = 125;

const literals: ReadonlyMap<number, readonly [word: string, value: boolean | null]> = new Map([
  [116, ["true", true]],
  [102, ["false", false]],
  [110, ["null", null]],
]);

/**
 * Reads JSON in pieces: `feed` returns the strings that arrived, `value` is the document so far. Linear in the length of the text.
 *
 * @example
 * ```ts
 * const reader = new JsonReader();
 * reader.feed('{"path":"a.ts","content":"let'); // [{ path: "/path", text: "a.ts", end: true }]
 * reader.value; // { path: "a.ts", content: "let" }
 * reader.isPartial("/content"); // true
 * reader.feed(' x"}');
 * reader.end(); // { ok: true, complete: true, ... }
 * ```
 */
export class JsonReader {
  readonly #depthMax: number;
  readonly #textCharsMax: number;
  readonly #tree = new JsonTree();
  readonly #string = new JsonString();
  #text = "";
  #state: State = "value";
  /** The number or literal so far. */
  #token = "";
  #tokenStart = 0;
  #literal: readonly [word: string, value: boolean | null] = ["null", null];
  /** Where the text ends if everything incomplete is dropped: after the last complete value or opening bracket. */
  #keepEnd = 0;
  #refusal: { readonly reason: JsonRefusal; readonly at: number } | null = null;
  /** Path of the first string among the values of the root object; undefined until it starts. */
  #firstString: string | undefined;
  #firstStringOpen = false;
  /** Reported length of the open string, so that only what is new is stored and reported; -1 before the first report. */
  #seen = -1;

  constructor(limits: JsonLimits = {}) {
    this.#depthMax = limits.depthMax ?? depthDefault;
    this.#textCharsMax = limits.textCharsMax ?? textCharsDefault;
  }

  /** The live value, which grows with each piece. Undefined before it starts. */
  get value(): unknown {
    return this.#tree.root;
  }

  get text(): string {
    return this.#text;
  }

  /** Set if no continuation can make the text valid JSON, or a limit was exceeded. Further input is ignored. */
  get refusal(): { readonly reason: JsonRefusal; readonly at: number } | null {
    return this.#refusal;
  }

  /** JSON Pointer of the innermost incomplete value; null if there is none. */
  get openPath(): string | null {
    if (this.#state === "done") return null;
    if (this.#state === "in-string") return this.#tree.valuePath(false);
    if (this.#state === "in-number" || this.#state === "in-literal") return this.#tree.valuePath(true);
    return this.#tree.containerPath();
  }

  /** True if the value at this JSON Pointer is incomplete. */
  isPartial(pointer: string): boolean {
    const open = this.openPath;
    return open !== null && (pointer === "" || open === pointer || open.startsWith(`${pointer}/`));
  }

  /** Takes the next piece. Returns what was added to the first string argument, if anything. */
  feed(piece: string): JsonStringPiece[] {
    if (this.#refusal !== null) return [];
    const base = this.#text.length;
    if (base + piece.length > this.#textCharsMax) {
      this.#refuse("size", this.#textCharsMax);
      return [];
    }
    this.#text += piece;
    const strings: JsonStringPiece[] = [];
    let index = 0;
    while (index < piece.length) {
      index = this.#step(piece, index, base, strings);
      if (index < 0) {
        this.#refuse(this.#state === "done" ? "trailing" : "invalid", base - 1 - index);
        return strings;
      }
    }
    if (this.#state === "in-string") this.#showOpenString(strings);
    return strings;
  }

  /**
   * Ends the text: returns its value, with incomplete parts closed or dropped.
   *
   * `numberIsWhole`: a number at the very end is complete without a delimiter, because it came in one piece.
   */
  end(options: { readonly numberIsWhole?: boolean } = {}): HealResult {
    if (this.#state === "in-number") this.#endLastNumber(options.numberIsWhole === true);
    if (this.#refusal !== null) return { ok: false, ...this.#refusal };
    if (this.#state === "done") return this.#result(this.#text, null);
    if (this.#state === "in-string")
      return this.#result(`${this.#text.slice(0, this.#string.safeEnd)}"${this.#tree.closers()}`, null);
    if (this.#keepEnd === 0) return { ok: false, reason: "empty", at: this.#text.length };
    return this.#result(this.#text.slice(0, this.#keepEnd) + this.#tree.closers(), this.#dropped());
  }

  /** Reads one token, or its available part. Returns the index after it, or -1 - index of an invalid character. */
  #step(piece: string, index: number, base: number, strings: JsonStringPiece[]): number {
    switch (this.#state) {
      case "in-string":
        return this.#readString(piece, index, base, strings);
      case "in-key":
        return this.#readKey(piece, index, base);
      case "in-number":
        return this.#readNumber(piece, index, base);
      case "in-literal":
        return this.#readLiteral(piece, index, base);
      default:
        return this.#readStructure(piece, index, base);
    }
  }

  #readStructure(piece: string, index: number, base: number): number {
    const unit = piece.charCodeAt(index);
    if (unit === 32 || unit === 10 || unit === 13 || unit === 9) return index + 1;
    switch (this.#state) {
      case "after":
        if (unit === comma) this.#state = this.#tree.inObject ? "key" : "value";
        else return this.#close(unit, index, base);
        return index + 1;
      case "colon":
        if (unit !== colon) return -1 - index;
        this.#state = "value";
        return index + 1;
      case "first-key":
      case "key":
        if (unit === closeBrace && this.#state === "first-key") return this.#close(unit, index, base);
        if (unit !== quote) return -1 - index;
        this.#state = "in-key";
        this.#string.begin(base + index + 1);
        return index + 1;
      case "first-value":
        if (unit === closeBracket) return this.#close(unit, index, base);
        return this.#beginValue(unit, index, base);
      case "value":
        return this.#beginValue(unit, index, base);
      default:
        return -1 - index;
    }
  }

  #beginValue(unit: number, index: number, base: number): number {
    if (unit === quote) {
      this.#string.begin(base + index + 1);
      this.#seen = -1;
      this.#state = "in-string";
      if (this.#firstString === undefined && this.#tree.inObject && this.#tree.depth === 1) {
        this.#firstString = this.#tree.valuePath(false);
        this.#firstStringOpen = true;
      }
      return index + 1;
    }
    if (unit === openBrace || unit === openBracket) return this.#open(unit, index, base);
    this.#token = "";
    this.#tokenStart = base + index;
    const literal = literals.get(unit);
    if (literal !== undefined) {
      this.#literal = literal;
      this.#state = "in-literal";
      return index;
    }
    if (unit !== minus && (unit < 48 || unit > 57)) return -1 - index;
    this.#state = "in-number";
    return index;
  }

  #open(unit: number, index: number, base: number): number {
    if (this.#tree.depth === this.#depthMax) return this.#refuse("depth", base + index);
    this.#tree.open(unit === openBrace ? {} : []);
    this.#state = unit === openBrace ? "first-key" : "first-value";
    this.#keepEnd = base + index + 1;
    return index + 1;
  }

  #close(unit: number, index: number, base: number): number {
    if (unit !== (this.#tree.inObject ? closeBrace : closeBracket)) return -1 - index;
    this.#tree.close();
    this.#endValue(base + index + 1);
    return index + 1;
  }

  #endValue(end: number): void {
    this.#keepEnd = end;
    this.#state = this.#tree.depth === 0 ? "done" : "after";
  }

  #readString(piece: string, index: number, base: number, strings: JsonStringPiece[]): number {
    const end = this.#string.read(piece, index, base);
    if (this.#string.closed) {
      this.#showOpenString(strings);
      this.#firstStringOpen = false;
      this.#endValue(base + end);
    }
    return end;
  }

  /** Stores what was added to the open string in the live value, and reports it if it is the first argument. */
  #showOpenString(strings: JsonStringPiece[]): void {
    const value = this.#string.value;
    const closed = this.#string.closed;
    const grew = value.length > this.#seen;
    if (this.#seen === -1) this.#tree.put(value);
    else if (grew) this.#tree.replace(value);
    if (this.#firstStringOpen && (closed || value.length > Math.max(this.#seen, 0)))
      strings.push({ path: this.#firstString ?? "", text: value.slice(Math.max(this.#seen, 0)), end: closed });
    this.#seen = value.length;
  }

  #readKey(piece: string, index: number, base: number): number {
    const end = this.#string.read(piece, index, base);
    if (this.#string.closed) {
      this.#tree.key = this.#string.value;
      this.#state = "colon";
    }
    return end;
  }

  #readNumber(piece: string, index: number, base: number): number {
    let end = index;
    while (end < piece.length && isNumberUnit(piece.charCodeAt(end))) end += 1;
    this.#token += piece.slice(index, end);
    if (end === piece.length) return end;
    if (!isNumber(this.#token)) return this.#refuseNumber();
    this.#tree.put(Number(this.#token));
    this.#endValue(base + end);
    return end;
  }

  #readLiteral(piece: string, index: number, base: number): number {
    const [word, value] = this.#literal;
    let end = index;
    for (; end < piece.length && this.#token.length < word.length; end += 1) {
      if (piece[end] !== word[this.#token.length]) return -1 - end;
      this.#token += piece[end];
    }
    if (this.#token.length === word.length) {
      this.#tree.put(value);
      this.#endValue(base + end);
    }
    return end;
  }

  /** In a container a number at the end may be incomplete; a text that is only a number is a valid document. */
  #endLastNumber(isWhole: boolean): void {
    const mayEnd = isWhole || this.#tree.depth === 0;
    if (mayEnd && isNumber(this.#token)) {
      this.#tree.put(Number(this.#token));
      this.#endValue(this.#text.length);
    } else if (numberBeginning(this.#token) < this.#token.length) this.#refuseNumber();
  }

  #refuseNumber(): number {
    return this.#refuse("invalid", this.#tokenStart + numberBeginning(this.#token));
  }

  #dropped(): JsonDropped | null {
    switch (this.#state) {
      case "in-number":
        return { kind: "number", path: this.#tree.valuePath(true) };
      case "in-literal":
        return { kind: "literal", path: this.#tree.valuePath(true) };
      case "in-key":
        return { kind: "key", path: this.#tree.containerPath() };
      case "colon":
        return { kind: "missing-value", path: this.#tree.valuePath(true) };
      case "value":
        return this.#tree.inObject ? { kind: "missing-value", path: this.#tree.valuePath(true) } : null;
      default:
        return null;
    }
  }

  #result(json: string, dropped: JsonDropped | null): HealResult {
    const partialString = this.#state === "in-string" ? this.#tree.valuePath(false) : null;
    return { ok: true, complete: this.#state === "done", json, value: this.#tree.root, partialString, dropped };
  }

  /** Returns an index beyond any piece, so that nothing more is read. */
  #refuse(reason: JsonRefusal, at: number): number {
    this.#refusal = { reason, at };
    return Number.MAX_SAFE_INTEGER;
  }
}

keepShape(new JsonReader());

// The number grammar of RFC 8259, for complete numbers and for prefixes of them.

const whole = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const beginning = /^-?(?:(?:0|[1-9][0-9]*)(?:\.(?![0-9])|(?:\.[0-9]+)?(?:[eE][+-]?[0-9]*)?))?/;

/** True for each UTF-16 unit that a number may hold: digits, signs, point, e and E. */
export const isNumberUnit = (unit: number): boolean =>
  (unit >= 48 && unit <= 57) || unit === 45 || unit === 46 || unit === 43 || unit === 101 || unit === 69;

export const isNumber = (text: string): boolean => whole.test(text);

/** Length of the longest beginning of `text` that is a number or a prefix of one. */
export const numberBeginning = (text: string): number => beginning.exec(text)?.[0].length ?? 0;
