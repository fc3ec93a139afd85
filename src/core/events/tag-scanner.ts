import { decodeBase64Url, encodeBase64Url } from "../bytes/base64url.ts";
import { findByte } from "../bytes/find-byte.ts";
import { GrowingBytes, joinBytes } from "../bytes/joining.ts";
import { Sanitizer } from "../text/sanitizer.ts";
import { CARRIAGE_RETURN, ESCAPE, LINE_FEED } from "../vt/control-bytes.ts";
import { endsInString, SequenceSkipper } from "../vt/sequence-skipper.ts";
import { parseAttributes } from "./tag-head.ts";

/** Limits and names of a `TagScanner`. */
export interface TagScannerOptions {
  /** Name of the tag, ASCII letters, digits, `_` and `-`; default "FORGE_EVENT". */
  readonly tagName?: string;
  /** Bytes from `<` to the closing `>`; default 262,144. A longer tag is abandoned and its text given back. */
  readonly tagBytesMax?: number;
  /** Time from the start tag to its end; default 30,000 ms. A slower tag is abandoned and its text given back. */
  readonly tagMsMax?: number;
  /** Time for what may become a start tag, such as a `<` at the end of a prompt; default 250 ms. It is given back then. */
  readonly headMsMax?: number;
  /** A tag for which it returns false is text. Default: every tag is a tag. */
  readonly isSignal?: (tag: { readonly name: string; readonly body: string }) => boolean;
  /** The bytes are plain text, not the output of a terminal: they have no escape sequences, and bodies are exact. Default false. */
  readonly isPlain?: boolean;
}

/** Plain data: where a scanner stands, for another one to go on. The bytes are in base64url. */
export interface TagScannerState {
  readonly held: string;
  readonly position: ChunkPosition;
  /** What may be the beginning of an escape string. */
  readonly context: string;
  readonly lastTextByte: number;
}

/** The limits of a tag if nothing else is given. */
export const tagDefaults = { tagName: "FORGE_EVENT", tagBytesMax: 262_144, tagMsMax: 30_000 } as const;

export const TAG_NAME = /^[A-Za-z_][\w-]{0,63}$/;

export interface ChunkPosition {
  /** Offset of its first byte. */
  readonly offset: number;
  readonly timeMs: number;
}

/** What stood between text and tags, in order. */
export type TagScanItem =
  /** Bytes that are no tag: what people read. May be a view on the chunk. */
  | { readonly type: "text"; readonly bytes: Uint8Array }
  /** A whole tag. `body` is its sanitized text. */
  | {
      readonly type: "tag";
      readonly offset: number;
      /** Offset behind its last byte. */
      readonly end: number;
      readonly name: string;
      readonly attributes: Readonly<Record<string, string>>;
      readonly body: string;
    }
  | AbandonedTag;

/** A start tag whose end did not come; the text items behind it hold all its bytes. */
export interface AbandonedTag {
  readonly type: "tag-abandoned";
  readonly offset: number;
  /** Offset behind the part that was given up. */
  readonly end: number;
  readonly name: string;
  readonly reason: AbandonReason;
}

/** `nested`: another start tag came first. `end`: the stream ended. */
export type AbandonReason = "size" | "time" | "nested" | "end";

/**
 * - `text`: outside of tags
 * - `after`: behind a tag that stood at the start of a line, whose line end goes with it
 * - `name`: in `<FORGE_EVENT`, as far as it goes
 * - `head`: between the name and `>`
 * - `body`: between the tags, `close`: between `</FORGE_EVENT` and `>`
 */
type State = "text" | "after" | "name" | "head" | "body" | "close";

const HEAD_CHARS_MAX = 1_024;
/** How far back an open control string (a title, say) is looked for, in which a tag does not count. */
const CONTEXT_BYTES = 256;
const LESS_THAN = 0x3c;
const GREATER_THAN = 0x3e;
const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;
/** So many `<` in a row that begin nothing are looked at one by one. */
const MISSES_MAX = 4;
const EMPTY = new Uint8Array(0);
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Finds `<FORGE_EVENT name="...">{...}</FORGE_EVENT>` in a stream of bytes, split anywhere and with escape sequences between any two
 * characters, and takes it out of the text. Any chunking gives the same items, but for where text items are cut.
 *
 * @example
 * ```ts
 * const scanner = new TagScanner();
 * scanner.feed(new TextEncoder().encode('a<FORGE_EVENT name="B">{}</FORGE_EVENT>'), { offset: 0, timeMs: 0 });
 * // text "a", then a tag with name "B" and body "{}"
 * ```
 */
export class TagScanner {
  readonly #openTag: Uint8Array;
  readonly #closeTag: Uint8Array;
  readonly #tagBytesMax: number;
  readonly #tagMsMax: number;
  readonly #headMsMax: number;
  readonly #isPlain: boolean;
  readonly #isSignal: NonNullable<TagScannerOptions["isSignal"]>;
  #state: State = "text";
  /** Skips escape sequences between the characters of a tag. */
  readonly #escape = new SequenceSkipper();
  /** Bytes of the candidate from earlier chunks. */
  readonly #held = new GrowingBytes();
  /** Index of the candidate in this chunk; less than 0 where it began in an earlier one. */
  #start = 0;
  #candidate: Mark = { offset: 0, timeMs: 0 };
  /** What is being matched, and how many of its characters were there already. */
  #pattern: Uint8Array = EMPTY;
  #matched = 0;
  /** Where a match within a body began, counted from the start of the candidate: the end of the body, or a nested tag. */
  #matchStart = 0;
  #match: Mark = { offset: 0, timeMs: 0 };
  #head = "";
  #quote = 0;
  #bodyStart = 0;
  #attributes: Readonly<Record<string, string>> = {};
  /** Last byte of the text before; a tag at the start of a line takes the line's end with it. */
  #lastTextByte = LINE_FEED;
  /** Carriage returns behind a tag, given back where no line feed follows. */
  #returnsAfter = 0;
  /** The last bytes before this chunk, or before the candidate where that began in an earlier one. */
  #context: Uint8Array = EMPTY;
  /** What is behind the last tag of this chunk, and so may be context. */
  #contextStart = 0;
  #chunk: Uint8Array = EMPTY;
  #position: Mark = { offset: 0, timeMs: 0 };
  /** Start of the text of this chunk that is not in `#items` yet. */
  #textStart = 0;
  #items: TagScanItem[] = [];

  constructor(options: TagScannerOptions = {}) {
    const tagName = options.tagName ?? tagDefaults.tagName;
    if (!/^[\w-]{1,64}$/.test(tagName))
      throw new RangeError(`Cannot scan for tag "${tagName}": wanted 1 to 64 of A-Z a-z 0-9 _ -`);
    this.#openTag = new TextEncoder().encode(`<${tagName}`);
    this.#closeTag = new TextEncoder().encode(`</${tagName}`);
    this.#tagBytesMax = options.tagBytesMax ?? tagDefaults.tagBytesMax;
    this.#tagMsMax = options.tagMsMax ?? tagDefaults.tagMsMax;
    this.#headMsMax = options.headMsMax ?? 250;
    this.#isPlain = options.isPlain ?? false;
    this.#isSignal = options.isSignal ?? (() => true);
  }

  /** Between two chunks. */
  save(): TagScannerState {
    return {
      held: encodeBase64Url(this.#held.bytes()),
      position: this.#candidate,
      context: encodeBase64Url(endsInString(this.#context) ? this.#context : EMPTY),
      lastTextByte: this.#lastTextByte,
    };
  }

  /** For a new scanner: goes on where the one stood that was saved. */
  restore({ held, position, context, lastTextByte }: TagScannerState): void {
    this.#context = decodeBase64Url(context) ?? EMPTY;
    this.#lastTextByte = lastTextByte;
    if (held !== "") this.feed(decodeBase64Url(held) ?? EMPTY, position);
  }

  /** Something is held back. */
  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  /** Returns what `chunk` finished, in order. Held back is only what may belong to a tag. */
  feed(chunk: Uint8Array, position: ChunkPosition): TagScanItem[] {
    this.#expire(position.timeMs);
    this.#chunk = chunk;
    this.#position = position;
    this.#textStart = 0;
    this.#contextStart = 0;
    this.#start = -this.#held.length;
    for (let index = 0; index < chunk.length;) index = this.#read(index);
    this.#keepRest();
    return this.#takeItems();
  }

  /** Gives back what took too long until now. */
  tick(timeMs: number): TagScanItem[] {
    this.#expire(timeMs);
    return this.#takeItems();
  }

  /** Gives back what is held: no more bytes will come. */
  end(): TagScanItem[] {
    this.#giveBack("end");
    return this.#takeItems();
  }

  #read(index: number): number {
    if (this.#state === "text") return this.#readText(index);
    if (this.#state === "after") return this.#readAfter(index);
    const limit = this.#start + this.#tagBytesMax;
    if (this.#state === "body" && this.#matched === 0) return this.#readBody(index, limit);
    return index < limit ? this.#readTagByte(index) : this.#passLimit(limit);
  }

  #readText(start: number): number {
    const index = nextStart(this.#chunk, start, this.#openTag[1] ?? 0);
    if (index === -1) return this.#chunk.length;
    this.#begin(index);
    return index + 1;
  }

  #begin(index: number): void {
    this.#state = "name";
    this.#pattern = this.#openTag;
    this.#matched = 1;
    this.#start = index;
    this.#candidate = this.#markOf(index);
    this.#escape.reset();
  }

  #markOf(index: number): Mark {
    return { offset: this.#position.offset + index, timeMs: this.#position.timeMs };
  }

  /** Takes the end of the line of a tag that had the line for itself. */
  #readAfter(index: number): number {
    const byte = this.#chunk[index];
    if (byte === CARRIAGE_RETURN) {
      this.#returnsAfter++;
      return index + 1;
    }
    if (byte === LINE_FEED) this.#returnsAfter = 0;
    this.#giveBackReturns();
    this.#textStart = byte === LINE_FEED ? index + 1 : index;
    return this.#textStart;
  }

  #giveBackReturns(): void {
    if (this.#returnsAfter > 0) this.#pushText(new Uint8Array(this.#returnsAfter).fill(CARRIAGE_RETURN));
    this.#returnsAfter = 0;
    this.#state = "text";
  }

  /** Looks for the next `<` in a body. */
  #readBody(start: number, limit: number): number {
    const found = findByte(this.#chunk, LESS_THAN, start);
    const index = found === -1 ? this.#chunk.length : found;
    if (index >= limit) return this.#passLimit(limit);
    if (found !== -1) this.#beginMatch(index);
    return index + 1;
  }

  #beginMatch(index: number): void {
    this.#matchStart = index - this.#start;
    this.#match = this.#markOf(index);
    this.#matched = 1;
    this.#escape.reset();
  }

  /** Reads a byte of the name, the head, or of what may be a tag within the body. */
  #readTagByte(index: number): number {
    const byte = this.#chunk[index] ?? 0;
    if (!this.#isPlain && this.#escape.skips(byte)) return index + 1;
    const continues = this.#state === "head" ? this.#readHead(byte, index) : this.#readPattern(byte, index);
    return continues ? index + 1 : this.#mismatch(byte, index);
  }

  /** False where `byte` shows that this is no tag; likewise below. */
  #readPattern(byte: number, index: number): boolean {
    if (this.#state === "close") return this.#readClose(byte, index);
    if (this.#matched === this.#pattern.length) return this.#readBehindName(byte);
    if (this.#matched === 1 && this.#state === "body")
      this.#pattern = byte === this.#closeTag[1] ? this.#closeTag : this.#openTag;
    if (byte !== this.#pattern[this.#matched]) return false;
    this.#matched++;
    if (this.#matched === this.#pattern.length && this.#pattern === this.#closeTag) this.#state = "close";
    return true;
  }

  /** `<FORGE_EVENT` is a start tag only where a blank and attributes follow: `<FORGE_EVENTS` and `<FORGE_EVENT>` are text. */
  #readBehindName(byte: number): boolean {
    if (!isBlank(byte)) return false;
    if (this.#state === "body") this.#abandonOuter("nested");
    else if (!this.#isPlain && this.#isInControlString()) return false;
    this.#state = "head";
    this.#head = " ";
    this.#quote = 0;
    return true;
  }

  #readHead(byte: number, index: number): boolean {
    if (byte === LESS_THAN || this.#head.length >= HEAD_CHARS_MAX) return false;
    if (byte === GREATER_THAN && this.#quote === 0) return this.#endHead(index);
    if (byte === this.#quote) this.#quote = 0;
    else if (this.#quote === 0 && (byte === DOUBLE_QUOTE || byte === SINGLE_QUOTE)) this.#quote = byte;
    this.#head += String.fromCharCode(byte);
    return true;
  }

  #endHead(index: number): boolean {
    const attributes = parseAttributes(this.#head);
    if (attributes?.["name"] === undefined) return false;
    this.#attributes = attributes;
    this.#state = "body";
    this.#matched = 0;
    this.#bodyStart = index + 1 - this.#start;
    return true;
  }

  #readClose(byte: number, index: number): boolean {
    if (byte === GREATER_THAN) this.#finishTag(index + 1);
    return byte === GREATER_THAN || isBlank(byte);
  }

  /** What looked like a tag is text; the byte that shows it may begin another one. */
  #mismatch(byte: number, index: number): number {
    if (this.#state === "body" || this.#state === "close") {
      this.#state = "body";
      this.#matched = 0;
      if (byte !== LESS_THAN) return index;
      this.#beginMatch(index);
      return index + 1;
    }
    this.#release();
    return index;
  }

  #finishTag(end: number): void {
    const raw = this.#candidateBytes(end);
    const body = this.#bodyText(raw.subarray(this.#bodyStart, this.#matchStart));
    this.#pushTextBefore();
    const { name = "", ...attributes } = this.#attributes;
    const { offset } = this.#candidate;
    const isSignal = this.#isSignal({ name, body });
    if (isSignal) this.#items.push({ type: "tag", offset, end: this.#position.offset + end, name, attributes, body });
    else this.#pushText(raw.slice());
    this.#held.clear();
    this.#textStart = end;
    this.#contextStart = end;
    this.#context = EMPTY;
    this.#matched = 0;
    this.#match = this.#position;
    this.#state = isSignal && this.#lastTextByte === LINE_FEED ? "after" : "text";
  }

  #bodyText(bytes: Uint8Array): string {
    if (this.#isPlain) return decoder.decode(bytes);
    const body = new Sanitizer({ lineCharsMax: this.#tagBytesMax });
    return body.feed(bytes) + body.end();
  }

  #candidateBytes(end: number): Uint8Array {
    if (this.#start >= 0) return this.#chunk.subarray(this.#start, end);
    this.#held.append(this.#chunk.subarray(0, end));
    return this.#held.bytes();
  }

  #pushTextBefore(): void {
    if (this.#start > this.#textStart) this.#pushText(this.#chunk.subarray(this.#textStart, this.#start));
  }

  /** The candidate turned out to be text. */
  #release(): void {
    if (this.#start < 0) {
      const held = this.#held.bytes().slice();
      this.#held.clear();
      this.#pushText(held);
      this.#context = lastBytes(this.#context, held);
    }
    this.#state = "text";
  }

  /** Gives the text of a tag back, up to the match within its body, which becomes the candidate. */
  #abandonOuter(reason: AbandonReason): void {
    this.#pushTextBefore();
    this.#items.push(this.#abandoned(reason, this.#matchStart));
    const inner = this.#start + this.#matchStart;
    if (this.#start >= 0) this.#textStart = this.#start;
    else {
      const held = this.#held.bytes().slice();
      const heldText = held.subarray(0, Math.min(held.length, this.#matchStart));
      this.#pushText(heldText);
      this.#context = lastBytes(this.#context, heldText);
      this.#held.clear();
      this.#held.append(held.subarray(heldText.length));
    }
    this.#start = inner;
    this.#candidate = this.#match;
  }

  #abandoned(reason: AbandonReason, length: number): TagScanItem {
    const { offset } = this.#candidate;
    return { type: "tag-abandoned", offset, end: offset + length, name: this.#attributes["name"] ?? "", reason };
  }

  /** The candidate is longer than `tagBytesMax`: it is text, but what may be a start tag at its end is not yet. */
  #passLimit(limit: number): number {
    const isStartTag = this.#matched > 0 && (this.#matched === 1 || this.#pattern === this.#openTag);
    if (this.#state === "name" || this.#state === "head") this.#release();
    else {
      if (this.#matched === 0 || !isStartTag) this.#matchStart = limit - this.#start;
      this.#abandonOuter("size");
      this.#state = isStartTag && this.#state === "body" ? "name" : "text";
      this.#pattern = this.#openTag;
    }
    return limit;
  }

  /** From when on a `tick` gives something back; null where nothing is held. */
  get wakeMs(): number | null {
    if (this.#state === "text") return null;
    const isHead = this.#state === "name" || this.#state === "head";
    const since = this.#state === "after" ? this.#match.timeMs : this.#candidate.timeMs;
    return since + (isHead || this.#state === "after" ? this.#headMsMax : this.#tagMsMax);
  }

  #expire(timeMs: number): void {
    const { wakeMs } = this;
    if (wakeMs !== null && timeMs > wakeMs) this.#giveBack("time");
  }

  /** Between chunks: gives back all that is held. */
  #giveBack(reason: AbandonReason): void {
    if (this.#state === "after") this.#giveBackReturns();
    if (this.#state === "text") return;
    if (this.#state === "body" || this.#state === "close") this.#items.push(this.#abandoned(reason, this.#held.length));
    this.#start = -this.#held.length;
    this.#release();
  }

  #isInControlString(): boolean {
    if (this.#start < 0) return endsInString(this.#context);
    return endsInString(lastBytes(this.#context, this.#chunk.subarray(this.#contextStart, this.#start)));
  }

  #keepRest(): void {
    const isText = this.#state === "text";
    if (isText && this.#textStart < this.#chunk.length) this.#pushText(this.#chunk.subarray(this.#textStart));
    if (!isText && this.#state !== "after") {
      this.#pushTextBefore();
      this.#held.append(this.#chunk.subarray(Math.max(0, this.#start)));
    }
    const contextEnd = isText ? this.#chunk.length : Math.max(this.#contextStart, this.#start);
    this.#context = lastBytes(this.#context, this.#chunk.subarray(this.#contextStart, contextEnd));
    this.#chunk = EMPTY;
  }

  #pushText(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#items.push({ type: "text", bytes });
    this.#lastTextByte = bytes[bytes.length - 1] ?? LINE_FEED;
  }

  #takeItems(): TagScanItem[] {
    const items = this.#items;
    this.#items = [];
    return items;
  }
}

/**
 * Index of the next `<` that `first` or ESC follows, or that ends the chunk; -1 where there is none. Where `<` is frequent, as in HTML, it
 * goes on at the next `first` or ESC instead; both are looked for again only when they are passed, which keeps it linear.
 */
function nextStart(chunk: Uint8Array, start: number, first: number): number {
  const last = chunk.length - 1;
  let nextFirst = -1;
  let nextEscape = -1;
  let misses = 0;
  let index = findByte(chunk, LESS_THAN, start);
  while (index !== -1 && index < last) {
    const next = chunk[index + 1];
    if (next === first || next === ESCAPE) return index;
    let from = index + 1;
    misses++;
    if (misses > MISSES_MAX) {
      if (nextFirst <= from) nextFirst = indexOrEnd(chunk, first, from + 1);
      if (nextEscape <= from) nextEscape = indexOrEnd(chunk, ESCAPE, from + 1);
      from = Math.min(nextFirst, nextEscape) - 1;
    }
    index = findByte(chunk, LESS_THAN, from);
  }
  return index;
}

function indexOrEnd(chunk: Uint8Array, byte: number, start: number): number {
  const index = findByte(chunk, byte, start);
  return index === -1 ? chunk.length : index;
}

/** Where and when something began. */
type Mark = ChunkPosition;

/** The last `CONTEXT_BYTES` of `first` and `second` together, not as a view. */
function lastBytes(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (second.length >= CONTEXT_BYTES) return second.slice(-CONTEXT_BYTES);
  return joinBytes(first.slice(-(CONTEXT_BYTES - second.length)), second).slice();
}

const isBlank = (byte: number): boolean =>
  byte === 0x20 || byte === 0x09 || byte === LINE_FEED || byte === CARRIAGE_RETURN;
