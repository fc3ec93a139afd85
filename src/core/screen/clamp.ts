/**
 * Stands between untrusted output and an emulator whose loops run as long as a number in the output says.
 *
 * Law of length: what comes out has the length of what went in, except for sequences that are dropped whole. A number that is too
 * large is overwritten by its limit, padded with zeros. Dropped are strings (OSC, DCS) and CSI sequences longer than
 * `sequenceBytesMax`, every SOS, PM and APC string, hyperlinks (OSC 8: each costs the emulator a marker that every later scroll
 * visits) and sequences that another one cuts off. Offsets of a journal are counted at the input, so dropping moves none.
 *
 * Law of chunks: an incomplete sequence or code point is held back, `sequenceBytesMax` at most, until it is complete. So what comes
 * out is cut between sequences only, is the same for any chunking of the input, and the parser behind it is always at rest:
 * `pending` is all there is to know about the middle of a sequence.
 *
 * Sequences: ECMA-48 5.4 (CSI), 5.6 (strings); C1 controls are also recognised as UTF-8 (0xC2 0x80 to 0xC2 0x9F), as the emulator does.
 */

export interface ClampOptions {
  readonly columns: number;
  readonly rows: number;
  /** Longer strings and control sequences are dropped; the held part is never longer. Default 8192. */
  readonly sequenceBytesMax?: number;
}

const escape = 0x1b;
const bell = 0x07;
const cancel = 0x18;
const substitute = 0x1a;
const c1Lead = 0xc2;
const emptyBytes = new Uint8Array(0);

const encoder = new TextEncoder();

/** Starts of sequences without an effect: an unknown command, a parameter at a place where it is an error, a privacy message. */
const ignoredStart = { osc: "\u001B]7777777;", csi: "\u001B[0<", string: "\u001B^" } as const;

/** What is being dropped up to its end; `none` between sequences. */
type Dropping = "none" | "csi" | "osc" | "string";

/** A sequence at the start of some bytes: whole, cut by something else at `end`, or not there in full yet. */
type Found =
  | { readonly kind: "whole"; readonly end: number; readonly introducer: "escape" | "csi" | "osc" | "dcs" }
  | { readonly kind: "cut"; readonly end: number }
  | { readonly kind: "drop"; readonly end: number; readonly dropping: "csi" | "osc" | "string" }
  | { readonly kind: "incomplete" };

type Limit = "rows" | "columns" | "cells";

/** Intermediates and final byte of the control sequences whose cost grows with their parameter, and what bounds it. */
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

/**
 * Bounds what each sequence can cost.
 *
 * @example
 * ```ts
 * const clamp = new Clamp({ columns: 80, rows: 24 });
 * new TextDecoder().decode(clamp.feed(new TextEncoder().encode("\u001b[2147483647L")));
 * // => "\u001b[0000000024L"
 * ```
 */
export class Clamp {
  readonly #sequenceBytesMax: number;
  #limits: Readonly<Record<Limit, number>>;
  /** The start of a sequence or code point whose end has not come. Without it, a number cut in two would pass as two small ones. */
  #pending: Uint8Array = emptyBytes;
  #dropping: Dropping = "none";
  #bytesDropped = 0;

  constructor(options: ClampOptions) {
    this.#sequenceBytesMax = options.sequenceBytesMax ?? 8192;
    this.#limits = limitsOf(options.columns, options.rows);
  }

  /**
   * The held bytes. Feeding them to a new clamp of the same size, or to a terminal, puts it where this one is: inside a string that is
   * being dropped they are the start of a string that nothing understands.
   */
  get pending(): Uint8Array {
    return this.#dropping === "none"
      ? this.#pending
      : join(encoder.encode(ignoredStart[this.#dropping]), this.#pending);
  }

  /** Bytes that never came out; the held ones are not counted. */
  get bytesDropped(): number {
    return this.#bytesDropped;
  }

  /** New limits for what is fed from now on. */
  resize(columns: number, rows: number): void {
    this.#limits = limitsOf(columns, rows);
  }

  /** Forgets the middle of a sequence: for a gap in the input. */
  reset(): void {
    this.#bytesDropped += this.#pending.length;
    this.#pending = emptyBytes;
    this.#dropping = "none";
  }

  /** `chunk` is only read; the result may share its memory. */
  feed(chunk: Uint8Array): Uint8Array {
    if (chunk.length === 0) return chunk;
    const data = this.#pending.length === 0 ? chunk : join(this.#pending, chunk);
    this.#pending = emptyBytes;
    const output = new Output(data);
    const scanner = new Scanner(data);
    let position = this.#skipDropped(data, 0, output);
    while (position < data.length) {
      const start = scanner.next(position);
      if (start < 0) {
        position = data.length - incompleteTail(data, position);
        break;
      }
      const harmless = endOfHarmlessCsi(data, start, this.#sequenceBytesMax);
      if (harmless > 0) {
        position = harmless;
        continue;
      }
      const found = findSequence(data, start, this.#sequenceBytesMax);
      if (found.kind === "incomplete") {
        position = start;
        break;
      }
      position = this.#handle(data, start, found, output);
    }
    this.#pending = position < data.length ? data.slice(position) : emptyBytes;
    const result = output.take(position);
    this.#bytesDropped += position - result.length;
    return result;
  }

  /** Returns where to go on. */
  #handle(data: Uint8Array, start: number, found: Exclude<Found, { kind: "incomplete" }>, output: Output): number {
    switch (found.kind) {
      case "cut":
        output.drop(start, found.end);
        return found.end;
      case "drop":
        output.drop(start, found.end);
        this.#dropping = found.dropping;
        return this.#skipDropped(data, found.end, output);
      case "whole":
        if (found.introducer === "csi") {
          output.replace(start, clampCsi(data.subarray(start, found.end), this.#limits));
        } else if (found.introducer === "osc" && isHyperlink(data, start)) output.drop(start, found.end);
        return found.end;
    }
  }

  /** Drops up to the end of what is being dropped; returns where to go on, which is before a held ESC or C1 lead. */
  #skipDropped(data: Uint8Array, from: number, output: Output): number {
    if (this.#dropping === "none") return from;
    const end = this.#dropping === "csi" ? endOfLongCsi(data, from) : endOfString(data, from, this.#dropping === "osc");
    output.drop(from, end.end);
    if (end.kind === "incomplete") return end.end;
    this.#dropping = "none";
    return end.end;
  }
}

/** Collects what passes: nothing is copied while nothing is changed. */
class Output {
  readonly #data: Uint8Array;
  #copy: Uint8Array | undefined;
  #length = 0;
  /** Everything before it is in `#copy`. */
  #copiedTo = 0;

  constructor(data: Uint8Array) {
    this.#data = data;
  }

  drop(start: number, end: number): void {
    if (start === end) return;
    this.#copyUpTo(start);
    this.#copiedTo = end;
  }

  /** `bytes` takes the place of as many input bytes; undefined keeps them. */
  replace(start: number, bytes: Uint8Array | undefined): void {
    if (bytes === undefined) return;
    const copy = this.#copyUpTo(start);
    copy.set(bytes, this.#length);
    this.#length += bytes.length;
    this.#copiedTo = start + bytes.length;
  }

  take(end: number): Uint8Array {
    if (this.#copy === undefined) return this.#data.subarray(0, end);
    return this.#copyUpTo(end).subarray(0, this.#length);
  }

  #copyUpTo(end: number): Uint8Array {
    const copy = (this.#copy ??= new Uint8Array(this.#data.length));
    if (end > this.#copiedTo) {
      copy.set(this.#data.subarray(this.#copiedTo, end), this.#length);
      this.#length += end - this.#copiedTo;
      this.#copiedTo = end;
    }
    return copy;
  }
}

function limitsOf(columns: number, rows: number): Record<Limit, number> {
  return { rows, columns, cells: columns * rows };
}

function join(head: Uint8Array, tail: Uint8Array): Uint8Array {
  const joined = new Uint8Array(head.length + tail.length);
  joined.set(head);
  joined.set(tail, head.length);
  return joined;
}

const isC1 = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x80 && byte <= 0x9f;

/** Finds the starts of sequences; remembers the next C1 control, or each ESC would search for one to the end of the data. */
class Scanner {
  readonly #data: Uint8Array;
  #nextC1 = -1;

  constructor(data: Uint8Array) {
    this.#data = data;
  }

  /** The next ESC or C1 control, or a lead byte of one at the very end; -1 where there is none. */
  next(from: number): number {
    const data = this.#data;
    if (this.#nextC1 < from) this.#nextC1 = this.#findC1(from);
    // Sequences mostly follow each other closely, where the call of a native search costs more than the search.
    const near = Math.min(from + 16, data.length);
    let index = from;
    while (index < near && data[index] !== escape) index += 1;
    const next = index < near ? index : data.indexOf(escape, index);
    return next < 0 || this.#nextC1 < next ? (this.#nextC1 < data.length ? this.#nextC1 : next) : next;
  }

  #findC1(from: number): number {
    const data = this.#data;
    for (let lead = data.indexOf(c1Lead, from); lead >= 0; lead = data.indexOf(c1Lead, lead + 1)) {
      if (lead + 1 === data.length || isC1(data[lead + 1])) return lead;
    }
    return data.length;
  }
}

/** How many bytes at the end start a UTF-8 code point that is not complete. */
function incompleteTail(data: Uint8Array, from: number): number {
  for (let back = 1; back <= 3 && data.length - back >= from; back += 1) {
    const byte = data[data.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < codePointBytes(byte) ? back : 0;
  }
  return 0;
}

const codePointBytes = (lead: number): number => (lead >= 0xf8 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2);

/** `data[start]` is ESC or the lead of a C1 control. */
function findSequence(data: Uint8Array, start: number, bytesMax: number): Found {
  const second = data[start + 1];
  if (second === undefined) return { kind: "incomplete" };
  const introducer = data[start] === escape ? second : second - 0x40;
  const body = start + 2;
  switch (introducer) {
    case 0x5b:
      return findCsi(data, start, bytesMax);
    case 0x5d:
      return findString(data, start, { introducer: "osc", bytesMax });
    case 0x50:
      return findString(data, start, { introducer: "dcs", bytesMax });
    case 0x58:
    case 0x5e:
    case 0x5f:
      return { kind: "drop", end: body, dropping: "string" };
    default:
      return data[start] === escape
        ? findEscape(data, start, bytesMax)
        : { kind: "whole", end: body, introducer: "escape" };
  }
}

/** ESC, intermediates, final byte; controls in between are executed by the emulator. */
function findEscape(data: Uint8Array, start: number, bytesMax: number): Found {
  for (let index = start + 1; index < data.length; index += 1) {
    const byte = data[index] ?? 0;
    if (index - start >= bytesMax || cutsSequence(byte)) return { kind: "cut", end: index };
    if (byte >= 0x30 && byte < 0x7f) return { kind: "whole", end: index + 1, introducer: "escape" };
  }
  return data.length - start >= bytesMax ? { kind: "cut", end: start + bytesMax } : { kind: "incomplete" };
}

function findCsi(data: Uint8Array, start: number, bytesMax: number): Found {
  const end = Math.min(data.length, start + bytesMax);
  for (let index = start + 2; index < end; index += 1) {
    const byte = data[index] ?? 0;
    if (cutsSequence(byte)) return { kind: "cut", end: index };
    if (byte >= 0x40 && byte < 0x7f) return { kind: "whole", end: index + 1, introducer: "csi" };
  }
  return end === start + bytesMax ? { kind: "drop", end: start + 2, dropping: "csi" } : { kind: "incomplete" };
}

/** CAN, SUB, another sequence or text that is not ASCII end a control sequence without an effect. */
const cutsSequence = (byte: number): boolean =>
  byte === cancel || byte === substitute || byte === escape || byte >= 0x80;

function findString(
  data: Uint8Array,
  start: number,
  { introducer, bytesMax }: { introducer: "osc" | "dcs"; bytesMax: number },
): Found {
  const isOsc = introducer === "osc";
  const found = endOfString(data, start + 2, isOsc);
  if (found.end - start > bytesMax) {
    return { kind: "drop", end: start + 2, dropping: isOsc ? "osc" : "string" };
  }
  if (found.kind === "incomplete") return { kind: "incomplete" };
  return found.kind === "end" ? { kind: "whole", end: found.end, introducer } : { kind: "cut", end: found.end };
}

/** `end`: terminated, `end` is behind the terminator. `cut`: something else starts at `end`. `incomplete`: held from `end` on. */
interface StringEnd {
  readonly kind: "end" | "cut" | "incomplete";
  readonly end: number;
}

function endOfString(data: Uint8Array, from: number, endsWithBell: boolean): StringEnd {
  for (let index = from; index < data.length; index += 1) {
    const byte = data[index] ?? 0;
    if (byte >= 0x20 && byte !== c1Lead) continue;
    if (byte === bell && endsWithBell) return { kind: "end", end: index + 1 };
    if (byte === cancel || byte === substitute) return { kind: "cut", end: index + 1 };
    if (byte !== escape && byte !== c1Lead) continue;
    const next = data[index + 1];
    if (next === undefined) return { kind: "incomplete", end: index };
    if (byte === escape) return next === 0x5c ? { kind: "end", end: index + 2 } : { kind: "cut", end: index };
    if (next === 0x9c) return { kind: "end", end: index + 2 };
    if (isC1(next)) return { kind: "cut", end: index };
  }
  return { kind: "incomplete", end: data.length };
}

function endOfLongCsi(data: Uint8Array, from: number): StringEnd {
  for (let index = from; index < data.length; index += 1) {
    const byte = data[index] ?? 0;
    if (cutsSequence(byte)) return { kind: "cut", end: index };
    if (byte >= 0x40 && byte < 0x7f) return { kind: "end", end: index + 1 };
  }
  return { kind: "incomplete", end: data.length };
}

/** OSC 8, with either introducer; the emulator takes 08 for 8. */
function isHyperlink(data: Uint8Array, start: number): boolean {
  let index = start + 2;
  while (data[index] === 0x30) index += 1;
  return data[index] === 0x38 && !isDigit(data[index + 1]);
}

/** By byte: 1 where a function that ends in it is in `costly`. Most sequences are colours and moves, which stop here. */
const costlyFinals = new Uint8Array(256);
for (const name of costly.keys()) costlyFinals[name.charCodeAt(name.length - 1)] = 1;

/** Where a whole control sequence without costs and controls ends; 0 where this is none. A short cut past `findSequence`. */
function endOfHarmlessCsi(data: Uint8Array, start: number, bytesMax: number): number {
  if (data[start] !== escape || data[start + 1] !== 0x5b) return 0;
  const end = Math.min(data.length, start + bytesMax);
  for (let index = start + 2; index < end; index += 1) {
    const byte = data[index] ?? 0;
    if (byte < 0x20 || byte >= 0x7f) return 0;
    if (byte >= 0x40) return costlyFinals[byte] === 1 ? 0 : index + 1;
  }
  return 0;
}

/** The same sequence with bounded numbers, or undefined where it may pass as it is. */
function clampCsi(sequence: Uint8Array, limits: Readonly<Record<Limit, number>>): Uint8Array | undefined {
  const limit = costly.get(functionOf(sequence));
  const controls = sequence.subarray(2).filter(isControl);
  if (limit === undefined && controls.length === 0) return undefined;
  const plain = controls.length === 0 ? new Uint8Array(sequence) : controlsFirst(sequence, controls);
  if (limit !== undefined) clampNumbers(plain.subarray(controls.length + 2), limits[limit]);
  return plain;
}

const isControl = (byte: number): boolean => byte < 0x20 || byte === 0x7f;

/** Intermediates and final byte. */
function functionOf(sequence: Uint8Array): string {
  let name = "";
  for (let index = 2; index < sequence.length; index += 1) {
    const byte = sequence[index] ?? 0;
    if ((byte >= 0x20 && byte < 0x30) || (byte >= 0x40 && byte < 0x7f)) name += String.fromCharCode(byte);
  }
  return name;
}

/** Controls inside a sequence are executed before it: the same said plainly, so that no number is cut by one. */
function controlsFirst(sequence: Uint8Array, controls: Uint8Array): Uint8Array {
  const plain = new Uint8Array(sequence.length);
  plain.set(controls);
  plain.set(sequence.subarray(0, 2), controls.length);
  plain.set(
    sequence.subarray(2).filter((byte) => !isControl(byte)),
    controls.length + 2,
  );
  return plain;
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
