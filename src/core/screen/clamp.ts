/**
 * Protects an emulator, whose loops run as long as a number in its input says, from untrusted output.
 *
 * Law of length: the output has the length of the input, except that sequences may be dropped whole. A number that is too large is
 * overwritten by its limit, padded with zeros. Dropped are sequences longer than `sequenceBytesMax`, every SOS, PM and APC string,
 * hyperlinks (OSC 8: each costs the emulator a marker that every later scroll visits) and aborted sequences. Journal offsets are
 * counted at the input, so dropping does not change them.
 *
 * Law of chunks: an incomplete sequence or code point is held back, `sequenceBytesMax` at most, until it is complete. The output is
 * split between sequences only, is the same for any chunking of the input, and never leaves the parser after it inside a sequence:
 * `pending` is all state of an incomplete one.
 */
import { joinBytes } from "../bytes/joining.ts";
import { C1_LEAD, ESCAPE } from "../vt/control-bytes.ts";
import { PassedBytes } from "../vt/passed-bytes.ts";
import { Tokenizer, finalsBut, type TokenType } from "../vt/tokenizer.ts";

export interface ClampOptions {
  readonly columns: number;
  readonly rows: number;
  /** Longer sequences are dropped; the held part is never longer. Default 8192. */
  readonly sequenceBytesMax?: number;
}

const encoder = new TextEncoder();

/** Starts of sequences without an effect, for open sequences that are too long. */
const ignoredStarts = {
  escape: "\u001B  ",
  csi: "\u001B[0<",
  osc: "\u001B]7777777;",
  dcs: "\u001B^",
  string: "\u001B^",
} as const;

type Limit = "rows" | "columns" | "cells";

/** Intermediates and final byte of the control sequences whose cost grows with their parameter, and its limit. */
const costly: ReadonlyMap<string, Limit> = new Map<string, Limit>([
  ["L", "rows"],
  ["M", "rows"],
  ["S", "rows"],
  ["T", "rows"],
  ["^", "rows"],
  ["E", "rows"],
  ["F", "rows"],
  ["@", "columns"],
  ["P", "columns"],
  ["X", "columns"],
  ["I", "columns"],
  ["Z", "columns"],
  [" @", "columns"],
  [" A", "columns"],
  ["'}", "columns"],
  ["'~", "columns"],
  ["b", "cells"],
]);

const costlyFinals = [...costly.keys()].map((name) => name.slice(-1)).join("");

/** Limits the cost of each sequence. */
export class Clamp {
  readonly #tokens: Tokenizer;
  readonly #passed = new PassedBytes();
  #limits: Readonly<Record<Limit, number>>;
  #bytesFed = 0;
  #bytesPassed = 0;

  constructor({ columns, rows, sequenceBytesMax = 8192 }: ClampOptions) {
    this.#tokens = new Tokenizer({ sequenceBytesMax, plain: { finals: finalsBut(costlyFinals), parameters: "any" } });
    this.#limits = limitsOf(columns, rows);
  }

  /**
   * The held bytes. Fed to a new clamp of the same size, or to a terminal, they recreate this state; for a sequence that is too long they
   * are the start of a sequence without an effect.
   */
  get pending(): Uint8Array {
    const { state, held, isTooLong } = this.#tokens;
    if (!isTooLong) return held.slice();
    const [type, at] = state.split("-", 2) as [keyof typeof ignoredStarts, string?];
    const last = at === "escape" ? [ESCAPE] : at === "lead" ? [C1_LEAD] : [];
    return joinBytes(encoder.encode(ignoredStarts[type]), Uint8Array.from(last));
  }

  /** Bytes that were dropped, without the held ones. */
  get bytesDropped(): number {
    return this.#bytesFed - this.#bytesPassed - this.#tokens.held.length;
  }

  /** New limits for later input. */
  resize(columns: number, rows: number): void {
    this.#limits = limitsOf(columns, rows);
  }

  /** Drops an incomplete sequence: for a gap in the input. */
  reset(): void {
    this.#tokens.reset();
  }

  /** `chunk` is only read; the result may share its memory. */
  feed(chunk: Uint8Array): Uint8Array {
    const tokens = this.#tokens;
    tokens.feed(chunk, this.#bytesFed);
    this.#passed.begin(chunk);
    this.#bytesFed += chunk.length;
    for (let type = tokens.next(); type !== null; type = tokens.next()) if (tokens.isWhole) this.#handle(type);
    const passed = this.#passed.take();
    this.#bytesPassed += passed.length;
    return passed;
  }

  #handle(type: TokenType): void {
    const tokens = this.#tokens;
    if (type === "string" || (type === "osc" && isHyperlink(tokens))) return;
    const clamped = type === "csi" ? clampCsi(tokens, this.#limits) : undefined;
    if (clamped === undefined) this.#passed.pass(tokens);
    else this.#passed.put(clamped);
  }
}

const limitsOf = (columns: number, rows: number): Record<Limit, number> => ({ rows, columns, cells: columns * rows });

/** OSC 8; the emulator reads 08 as 8. */
function isHyperlink(tokens: Tokenizer): boolean {
  let index = 2;
  while (tokens.byteAt(index) === 0x30) index += 1;
  return tokens.byteAt(index) === 0x38 && !isDigit(tokens.byteAt(index + 1));
}

/** The same control sequence with limited numbers; undefined if its cost is constant. */
function clampCsi(tokens: Tokenizer, limits: Readonly<Record<Limit, number>>): Uint8Array | undefined {
  if (!costlyFinals.includes(String.fromCharCode(tokens.final))) return undefined;
  const limit = costly.get(functionOf(tokens));
  if (limit === undefined) return undefined;
  const clamped = Uint8Array.from(tokens.bytes);
  clampNumbers(clamped.subarray(2), limits[limit]);
  return clamped;
}

/** Intermediates and final byte. */
function functionOf(tokens: Tokenizer): string {
  let name = "";
  for (let index = 2; index < tokens.length; index += 1) {
    const byte = tokens.byteAt(index);
    if (byte < 0x30 || byte >= 0x40) name += String.fromCharCode(byte);
  }
  return name;
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;

/** Overwrites each number above `max` in place. */
function clampNumbers(parameters: Uint8Array, max: number): void {
  let start = 0;
  while (start < parameters.length) {
    let end = start;
    let value = 0;
    for (; isDigit(parameters[end]); end += 1) value = Math.min(value * 10 + (parameters[end] ?? 0) - 0x30, 1e9);
    if (value > max) writeNumber(parameters.subarray(start, end), max);
    start = end + 1;
  }
}

function writeNumber(field: Uint8Array, value: number): void {
  let rest = value;
  for (let index = field.length - 1; index >= 0; index -= 1) {
    field[index] = 0x30 + (rest % 10);
    rest = Math.floor(rest / 10);
  }
}
