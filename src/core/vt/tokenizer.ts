/**
 * The only reader of escape sequences besides the emulator: bytes in, tokens with their places out. What a token means is for the
 * small functions over it: clamp, viewer filter, OSC reader, frame cuts, mode tracker. `parser-state.ts` has the grammar.
 *
 * Laws: any chunking gives the same tokens, but for where text is cut (never within a code point) and
 * which plain sequences are part of it. Memory is bounded by `sequenceBytesMax`. Each byte belongs to one token, except the controls within a sequence: each
 * comes as a token of its own in front of the sequence, because a terminal executes it at once.
 */
import { findByte } from "../bytes/find-byte.ts";
import { GrowingBytes } from "../bytes/joining.ts";
import { incompleteTailLength, isSecondByte, sequenceLength } from "../bytes/utf8.ts";
import { BEL, C1_LEAD, CANCEL, CSI_OPENER, DELETE, ESCAPE, ST_FINAL, SUBSTITUTE, isC1Second } from "./control-bytes.ts";
import { nextState, opened, type ParserState, type StringType } from "./parser-state.ts";

/**
 * - `text`: bytes outside of sequences, line feeds, tabs and other C0 controls among them
 * - `control`: a C0 control within a sequence, which comes behind it
 * - `escape`: ESC, intermediate bytes and a final byte, or a C1 control that opens nothing
 * - `csi`: a control sequence, `osc` and `dcs`: these strings, `string`: SOS, PM or APC
 */
export type TokenType = "text" | "control" | "escape" | "csi" | StringType;

/**
 * - `whole`: its end was read
 * - `cut`: CAN, SUB or something else came instead of its end; it has no effect
 * - `too-long`: it was longer than `sequenceBytesMax` and its bytes are gone, wherever it ended
 * - `released`: it was longer than `releaseBytesMax`; what follows is text
 */
export type TokenEnding = "whole" | "cut" | "too-long" | "released";

export interface TokenizerOptions {
  /** Bytes of a sequence from its ESC to its end. Those of a longer one are not kept. Default 8192. */
  readonly sequenceBytesMax?: number;
  /** Bytes behind the opener; an opener that nothing ends so long was binary data. Default 1 GiB, because a terminal has no limit. */
  readonly releaseBytesMax?: number;
  /** Control sequences that are no tokens but part of the text: for a consumer that needs to see few. Default none. */
  readonly plain?: PlainSequences;
}

interface PlainSequences {
  /** Their final bytes. */
  readonly finals: string;
  /** `numbers`: only sequences with nothing but numbers of up to four digits. */
  readonly parameters: "any" | "numbers";
}

/** The middle of a sequence or code point, plain data. */
export interface TokenizerState {
  readonly state: ParserState;
  readonly start: number;
  readonly held: readonly number[];
  /** How many bytes of it came, held or gone. */
  readonly heldLength: number;
}

const stringAt = { "osc-lead": "osc", "dcs-lead": "dcs", "string-lead": "string" } as const;
/** The token that is open in a state. */
const typeOf: Readonly<Record<ParserState, Exclude<TokenType, "control">>> = {
  ground: "text",
  "ground-lead": "text",
  escape: "escape",
  "escape-intermediate": "escape",
  csi: "csi",
  osc: "osc",
  "osc-escape": "osc",
  "osc-lead": "osc",
  dcs: "dcs",
  "dcs-escape": "dcs",
  "dcs-lead": "dcs",
  string: "string",
  "string-escape": "string",
  "string-lead": "string",
};
const EMPTY = new Uint8Array(0);
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
/** In 31 bits with an index added, which the engine keeps unboxed. */
const RELEASE_BYTES_MAX = 0x3fff_ffff;
const PLAIN_BYTES_MAX = 32;
const PLAIN_DIGITS_MAX = 4;
/** What a byte of a control sequence is for `PlainSequences`; others make it a token. */
const plainByte = { separator: 1, digit: 2, final: 3 } as const;
/** Bytes of an opener: ESC and a letter, or a C1 control in UTF-8. */
const OPENER_BYTES = 2;
/** Sequences mostly follow each other closely, and then the call of a native search costs more than the search. */
const NEAR_BYTES = 16;

/** All final bytes of control sequences but those in `excluded`, for `PlainSequences`. */
export function finalsBut(excluded: string): string {
  const all = Array.from({ length: DELETE - 0x40 }, (_, index) => String.fromCharCode(0x40 + index));
  return all.filter((final) => !excluded.includes(final)).join("");
}

function plainBytesOf({ finals, parameters }: PlainSequences): Uint8Array {
  const kinds = new Uint8Array(256);
  if (parameters === "any") kinds.fill(plainByte.separator, 0x20, 0x40);
  else kinds.fill(plainByte.digit, 0x30, 0x3a).fill(plainByte.separator, 0x3a, 0x3c);
  for (const final of finals) kinds[final.charCodeAt(0)] = plainByte.final;
  return kinds;
}

/**
 * A lexer over chunks: `feed` takes one, `next` moves to each of its tokens, and the properties are those of that token. There is
 * no object for a token, because a flood has millions.
 */
export class Tokenizer {
  readonly #sequenceBytesMax: number;
  readonly #releaseBytesMax: number;
  readonly #plainBytes: Uint8Array;
  #chunk: Uint8Array = EMPTY;
  #offset = 0;
  // Places are indexes in the chunk, less than 0 in front of it: offsets beyond 2 GiB would cost an object each.
  #index = 0;
  /** The next C1 control in this chunk, or each ESC would search for one to the end of it; -1 before the first search. */
  #nextC1 = -1;
  #state: ParserState = "ground";
  /** Where the open sequence or code point begins. */
  #open = 0;
  /** Its bytes up to `#from`, without the controls within it. */
  readonly #held = new GrowingBytes();
  /** How many these are, held or gone. */
  #heldLength = 0;
  #from = 0;
  #start = 0;
  #end = 0;
  #ending: TokenEnding = "whole";
  /** The bytes of the token are the held ones, until the next token. */
  #isInHeld = false;

  constructor(options: TokenizerOptions = {}) {
    this.#sequenceBytesMax = options.sequenceBytesMax ?? 8192;
    this.#releaseBytesMax = options.releaseBytesMax ?? RELEASE_BYTES_MAX;
    this.#plainBytes = plainBytesOf(options.plain ?? { finals: "", parameters: "any" });
  }

  /** Offset of the first byte of the token; less than that of the chunk if it began in an earlier one. */
  get start(): number {
    return this.#offset + this.#start;
  }

  /** Offset behind its last byte. */
  get end(): number {
    return this.#offset + this.#end;
  }

  /** `start` and `end` as indexes in the chunk. */
  get startIndex(): number {
    return this.#start;
  }

  get endIndex(): number {
    return this.#end;
  }

  get ending(): TokenEnding {
    return this.#ending;
  }

  get isWhole(): boolean {
    return this.#ending === "whole";
  }

  /** True where `bytes` is a part of the chunk. */
  get isInChunk(): boolean {
    return !this.#isInHeld;
  }

  /** The bytes of the token without the controls within it; of a sequence only where it is whole. Valid until the next token. */
  get bytes(): Uint8Array {
    return this.#isInHeld ? this.#held.bytes() : this.#chunk.subarray(this.#start, this.#end);
  }

  /** How many these are. */
  get length(): number {
    return this.#isInHeld ? this.#held.length : this.#end - this.#start;
  }

  /** One of these bytes, without the cost of a view; 0 behind the last. */
  byteAt(index: number): number {
    if (this.#isInHeld) return this.#held.byteAt(index);
    return this.#start + index < this.#end ? (this.#chunk[this.#start + index] ?? 0) : 0;
  }

  /** The last byte of a whole sequence. */
  get final(): number {
    return this.byteAt(this.length - 1);
  }

  /** What stands behind ESC of a whole escape, or behind the opener of a whole control sequence: "(B", "?25h". */
  get text(): string {
    const { length } = this;
    const isC1 = this.byteAt(0) === C1_LEAD;
    if (isC1 && length === OPENER_BYTES) return String.fromCharCode(this.byteAt(1) - 0x40);
    return this.#ascii(isC1 || this.byteAt(1) === CSI_OPENER ? OPENER_BYTES : 1, length) ?? "";
  }

  /** What stands behind the opener of a whole string, without its terminator. Invalid UTF-8 is replaced. */
  get body(): string {
    const end = this.length - (this.final === BEL ? 1 : 2);
    return this.#ascii(OPENER_BYTES, end) ?? decoder.decode(this.bytes.subarray(OPENER_BYTES, end));
  }

  /** Undefined for bytes beyond ASCII. For few bytes it is far quicker than a decoder. */
  #ascii(from: number, to: number): string | undefined {
    let text = "";
    for (let index = from; index < to; index++) {
      const byte = this.byteAt(index);
      if (byte > DELETE) return undefined;
      text += String.fromCharCode(byte);
    }
    return text;
  }

  /** Where the parser stands behind the last token. */
  get state(): ParserState {
    return this.#state;
  }

  /** A sequence or code point has begun and not ended. */
  get isOpen(): boolean {
    return this.#heldLength > 0;
  }

  get openStart(): number {
    return this.#offset + this.#open;
  }

  /** Bytes of the open sequence or code point, without the controls within it; empty if its bytes are gone. */
  get held(): Uint8Array {
    return this.#held.bytes();
  }

  /** The open sequence is longer than `sequenceBytesMax`. */
  get isTooLong(): boolean {
    return this.#heldLength > this.#sequenceBytesMax;
  }

  /** Takes a chunk; `offset` is that of its first byte. All tokens of the chunk before must have been taken. */
  feed(chunk: Uint8Array, offset: number): void {
    this.#open += this.#offset - offset;
    this.#chunk = chunk;
    this.#offset = offset;
    this.#index = 0;
    this.#from = 0;
    this.#nextC1 = -1;
  }

  /** Moves to the next token; null at the end of the chunk. */
  next(): TokenType | null {
    if (this.#isInHeld) this.#forget();
    if (this.#state !== "ground") return this.#nextWithin();
    return this.#heldLength > 0 ? this.#continueCodePoint() : this.#nextOutside();
  }

  /** Forgets what is open: bytes are missing here. */
  reset(): void {
    this.#forget();
    this.#state = "ground";
  }

  /** What is open behind the last token of a chunk: given to a new tokenizer. */
  save(): TokenizerState {
    const { state, held } = this;
    return { state, start: this.openStart, held: [...held], heldLength: this.#heldLength };
  }

  restore({ state, start, held, heldLength }: TokenizerState): void {
    this.#forget();
    this.feed(EMPTY, 0);
    this.#state = state;
    this.#open = start;
    this.#held.append(Uint8Array.from(held));
    this.#heldLength = heldLength;
  }

  #forget(): void {
    this.#held.clear();
    this.#heldLength = 0;
    this.#isInHeld = false;
  }

  #nextOutside(): TokenType | null {
    const chunk = this.#chunk;
    const from = this.#index;
    if (from >= chunk.length) return null;
    let opener = this.#nextOpener(from);
    for (let end = this.#endOfPlain(opener); end > 0; end = this.#endOfPlain(opener)) opener = this.#nextOpener(end);
    if (opener === from) return this.#openAt(from);
    this.#index = opener;
    if (opener < chunk.length) return this.#emit("text", from, opener);
    // A code point that began in front of the text was in a released sequence: what is left of it is text.
    const tail = incompleteTailLength(chunk);
    const end = opener - tail < from ? opener : opener - tail;
    if (end < opener) this.#hold(end, opener);
    return end > from ? this.#emit("text", from, end) : null;
  }

  /** The next ESC or C1 control; the end of the chunk where there is neither. */
  #nextOpener(from: number): number {
    const chunk = this.#chunk;
    if (this.#nextC1 < from) this.#nextC1 = this.#findC1(from);
    const near = Math.min(from + NEAR_BYTES, chunk.length);
    let index = from;
    while (index < near && chunk[index] !== ESCAPE) index++;
    if (index === near) index = findByte(chunk, ESCAPE, near);
    return index === -1 || this.#nextC1 < index ? this.#nextC1 : index;
  }

  #findC1(from: number): number {
    const chunk = this.#chunk;
    for (let lead = findByte(chunk, C1_LEAD, from); lead !== -1; lead = findByte(chunk, C1_LEAD, lead + 1)) {
      if (isC1Second(chunk[lead + 1])) return lead;
    }
    return chunk.length;
  }

  /** The index behind a plain control sequence; 0 where none begins at `at`. */
  #endOfPlain(at: number): number {
    const chunk = this.#chunk;
    if (chunk[at + 1] !== CSI_OPENER || chunk[at] !== ESCAPE) return 0;
    const last = Math.min(chunk.length, at + PLAIN_BYTES_MAX, at + this.#sequenceBytesMax);
    const kinds = this.#plainBytes;
    let digits = 0;
    for (let index = at + OPENER_BYTES; index < last; index++) {
      const kind = kinds[chunk[index] ?? 0];
      if (kind === plainByte.separator) digits = 0;
      else if (kind !== plainByte.digit) return kind === plainByte.final ? index + 1 : 0;
      else if (++digits > PLAIN_DIGITS_MAX) return 0;
    }
    return 0;
  }

  /** Opens a sequence; the short way for an escape or control sequence that is in this chunk as a whole and holds no control. */
  #openAt(at: number): TokenType | null {
    const chunk = this.#chunk;
    const second = chunk[at + 1] ?? 0;
    const isC1 = chunk[at] === C1_LEAD;
    const state = isC1 || (second >= 0x30 && second < DELETE) ? opened(isC1 ? second - 0x40 : second) : "escape";
    this.#index = state === "escape" ? at + 1 : at + OPENER_BYTES;
    if (state === "ground") return this.#emit("escape", at, at + OPENER_BYTES);
    if (state === "csi") {
      const last = Math.min(chunk.length, at + this.#sequenceBytesMax);
      for (let index = at + OPENER_BYTES; index < last; index++) {
        const byte = chunk[index] ?? 0;
        if (byte < 0x20 || byte >= DELETE) break;
        if (byte < 0x40) continue;
        this.#index = index + 1;
        return this.#emit("csi", at, index + 1);
      }
    }
    this.#from = at;
    this.#open = at;
    this.#state = state;
    return this.#nextWithin();
  }

  /** Completes a code point that the end of the last chunk cut; its lead may be that of a C1 control. */
  #continueCodePoint(): TokenType | null {
    const held = this.#held;
    const lead = held.byteAt(0);
    for (; this.#index < this.#chunk.length; this.#index++) {
      const byte = this.#chunk[this.#index] ?? 0;
      if (lead === C1_LEAD && held.length === 1 && isC1Second(byte)) {
        this.#index++;
        this.#state = nextState("ground-lead", byte);
        return this.#state === "ground" ? this.#finish("escape", "whole") : this.#nextWithin();
      }
      const continues = held.length === 1 ? isSecondByte(lead, byte) : byte >= 0x80 && byte <= 0xbf;
      if (!continues || held.length === sequenceLength(lead)) break;
      held.append(Uint8Array.of(byte));
    }
    if (this.#index === this.#chunk.length && held.length < sequenceLength(lead)) {
      this.#heldLength = held.length;
      return null;
    }
    this.#isInHeld = true;
    return this.#emit("text", this.#open, this.#index);
  }

  #nextWithin(): TokenType | null {
    const chunk = this.#chunk;
    const last = Math.min(chunk.length, this.#from + OPENER_BYTES + this.#releaseBytesMax - this.#heldLength);
    while (this.#index < last) {
      const token = this.#step(chunk[this.#index] ?? 0, last);
      if (token !== null) return token;
    }
    if (this.#index < chunk.length) return this.#endOpen("released");
    this.#hold(this.#from, chunk.length);
    return null;
  }

  /** Reads a byte within a sequence; of a string all that cannot end it. */
  #step(byte: number, last: number): TokenType | null {
    const state = this.#state;
    switch (state) {
      case "ground":
      case "ground-lead":
        return null;
      case "escape":
      case "escape-intermediate":
      case "csi":
        if (byte < 0x20 || byte >= DELETE) return this.#interrupt(byte);
        this.#index++;
        this.#state = nextState(state, byte);
        return this.#state === "ground" ? this.#finish(typeOf[state], "whole") : null;
      case "osc":
      case "dcs":
      case "string":
        return this.#readString(state, last);
      case "osc-escape":
      case "dcs-escape":
      case "string-escape":
        return this.#readTerminator(byte === ST_FINAL, ESCAPE);
      case "osc-lead":
      case "dcs-lead":
      case "string-lead":
        if (isC1Second(byte)) return this.#readTerminator(byte === ST_FINAL + 0x40, C1_LEAD);
        this.#state = stringAt[state];
        return null;
    }
  }

  /** A byte that is no part of an escape or control sequence. */
  #interrupt(byte: number): TokenType | null {
    const at = this.#index;
    if (byte === ESCAPE || byte >= 0x80) return this.#endOpen("cut");
    this.#index++;
    if (byte === CANCEL || byte === SUBSTITUTE) return this.#endOpen("cut");
    this.#hold(this.#from, at);
    this.#from = at + 1;
    return byte === DELETE ? null : this.#emit("control", at, at + 1);
  }

  #readString(type: StringType, last: number): TokenType | null {
    const chunk = this.#chunk;
    let index = this.#index;
    while (index < last && isOnlyData(chunk[index] ?? 0)) index++;
    this.#index = index;
    if (index === last) return null;
    const byte = chunk[index] ?? 0;
    const isTerminator = byte === ESCAPE && index + 1 < last && chunk[index + 1] === ST_FINAL;
    this.#index += isTerminator ? 2 : 1;
    this.#state = isTerminator ? "ground" : nextState(type, byte);
    return this.#state === "ground" ? this.#finish(type, isTerminator || byte === BEL ? "whole" : "cut") : null;
  }

  /** Behind ESC or 0xC2 within a string: what ends it, or cuts it because it opens another sequence. */
  #readTerminator(isTerminator: boolean, lead: number): TokenType {
    if (isTerminator) {
      this.#index++;
      return this.#endOpen("whole");
    }
    const type = this.#endOpen("cut");
    this.#end--;
    if (this.#index > 0) this.#index--;
    else this.#openWith(lead);
    return type;
  }

  /** The last byte of the chunk before opens what comes now. */
  #openWith(lead: number): void {
    this.#forget();
    this.#held.append(Uint8Array.of(lead));
    this.#heldLength = 1;
    this.#open = -1;
    this.#from = 0;
    if (lead === ESCAPE) this.#state = "escape";
  }

  #endOpen(ending: TokenEnding): TokenType {
    const type = typeOf[this.#state];
    this.#state = "ground";
    return this.#finish(type, ending);
  }

  #finish(type: TokenType, ending: TokenEnding): TokenType {
    const isTooLong = this.#heldLength + this.#index - this.#from > this.#sequenceBytesMax;
    if (this.#heldLength > 0) {
      if (ending === "whole" && !isTooLong) this.#hold(this.#from, this.#index);
      this.#isInHeld = true;
    }
    this.#emit(type, this.#open, this.#index);
    if (ending !== "whole" || isTooLong) this.#ending = isTooLong && ending !== "released" ? "too-long" : ending;
    return type;
  }

  /** Keeps a part of the chunk that belongs to what is open. */
  #hold(from: number, to: number): void {
    if (this.#heldLength === 0) this.#open = from;
    this.#heldLength += to - from;
    this.#from = to;
    if (this.#heldLength <= this.#sequenceBytesMax) this.#held.append(this.#chunk, from, to);
    else this.#held.clear();
  }

  #emit(type: TokenType, start: number, end: number): TokenType {
    this.#start = start;
    this.#end = end;
    this.#ending = "whole";
    return type;
  }
}

/** False for the bytes within a string that may end it. */
const isOnlyData = (byte: number): boolean =>
  byte >= 0x20 ? byte !== C1_LEAD : byte !== ESCAPE && byte !== BEL && byte !== CANCEL && byte !== SUBSTITUTE;
