import { C1_LEAD, incompleteTailLength, joinBytes } from "./bytes.ts";
import {
  allowedControlSequence,
  allowedEscape,
  allowedOperatingSystemCommand,
  type ViewerMode,
} from "./viewer-policy.ts";

export interface ViewerFilterOptions {
  /** Whether the viewer's terminal answers the program (`live`) or must stay silent (`replay`, read-only). */
  readonly mode: ViewerMode;
}

type State =
  | "text"
  | "escape"
  | "control-sequence"
  | "command"
  /** ESC within a command: with a backslash it is the terminator. */
  | "command-escape"
  /** A string of which nothing passes: DCS, APC, PM or SOS. */
  | "dropped";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();
const EMPTY = new Uint8Array(0);
/** Characters of an escape or control sequence; a longer one is dropped. */
const SEQUENCE_CHARS_MAX = 256;
/** Characters of an operating system command; a longer one is dropped. Links are the longest ones that pass. */
const COMMAND_CHARS_MAX = 8_192;
/** Characters of a string; what follows in a longer one is text again, see `Sanitizer`. */
const STRING_CHARS_MAX = 1_048_576;

/** Control sequences whose decision is kept, for speed only; all are forgotten when there are more. */
const KNOWN_MAX = 2_048;

const FREQUENT_FINALS = "mABCDEFGHJKXd";

/** What ends a string. */
const COMMAND_END = /[\u0007\u0018\u001A\u001B\u0080-\u009F]/g;
const STRING_END = /[\u0018\u001A\u001B\u0080-\u009F]/g;

/** C0 controls that stop the fast path. NUL, ENQ (which asks for an answer), XON, XOFF and their like never pass. */
const STOPPING_CONTROLS: readonly string[] = [0x1b, ...Array.from({ length: 0x20 }, (_, code) => code)]
  .filter((code) => code < 0x07 || code > 0x0f)
  .map((code) => String.fromCharCode(code));

/**
 * Lets through to a viewer's terminal what draws, and nothing that acts on the viewer: an allow-list, see `viewer-policy.ts`.
 *
 * What comes out is valid UTF-8 in 7-bit form: C1 controls become their two-byte forms, invalid bytes U+FFFD. Text between sequences
 * passes unchanged. A chunk without anything of interest comes back as it is, not copied. Memory is bounded by the longest
 * sequence that passes.
 *
 * @example
 * ```ts
 * const filter = new ViewerFilter({ mode: "live" });
 * filter.feed(new TextEncoder().encode("\u001B]52;c;aGk=\u0007\u001B[1mhi")); // bytes of "\u001B[1mhi"
 * ```
 */
export class ViewerFilter {
  readonly #mode: ViewerMode;
  #state: State = "text";
  /** Body of the sequence that is being read, without its introducer; one character more than the limit where it is too long. */
  #sequence = "";
  /** Characters of the string that is being read, collected or not. */
  #stringChars = 0;
  #out = "";
  #held: Uint8Array = EMPTY;
  /** What may pass of the control sequences that came last. */
  readonly #known = new Map<string, string>();
  #sequencesDropped = 0;

  constructor(options: ViewerFilterOptions) {
    this.#mode = options.mode;
  }

  /** How many sequences did not pass. */
  get sequencesDropped(): number {
    return this.#sequencesDropped;
  }

  /** Returns what of `chunk` may reach the viewer; `chunk` itself where that is all of it. */
  feed(chunk: Uint8Array): Uint8Array {
    const joined = joinBytes(this.#held, chunk);
    const heldLength = incompleteTailLength(joined);
    const whole = heldLength === 0 ? joined : joined.subarray(0, joined.length - heldLength);
    this.#held = heldLength === 0 ? EMPTY : joined.slice(joined.length - heldLength);
    const text = decoder.decode(whole);
    return this.#state === "text" && passesUnchanged(text, whole) ? whole : encoder.encode(this.#read(text));
  }

  /** Returns U+FFFD for an unfinished UTF-8 sequence. An unfinished escape sequence is dropped. */
  end(): Uint8Array {
    const rest = decoder.decode(this.#held);
    this.#held = EMPTY;
    const out = this.#read(rest);
    this.#state = "text";
    return encoder.encode(out);
  }

  #read(text: string): string {
    for (let index = 0; index < text.length;) index = this.#step(text, index);
    const out = this.#out;
    this.#out = "";
    return out;
  }

  /** Reads one stretch and what ends it. Returns the index behind. */
  #step(text: string, index: number): number {
    switch (this.#state) {
      case "text":
        return this.#readText(text, index);
      case "escape":
        return this.#readEscape(text, index);
      case "control-sequence":
        return this.#readControlSequence(text, index);
      case "command":
        return this.#readCommand(text, index);
      case "command-escape":
        return this.#readCommandEscape(text, index);
      case "dropped":
        return this.#readDropped(text, index);
    }
  }

  #readText(text: string, start: number): number {
    const end = endOfText(text, start);
    this.#out += text.slice(start, end);
    if (text.startsWith("\u001B[", end)) return this.#readWholeControlSequence(text, end + 2);
    if (end < text.length) this.#obey(text.charAt(end));
    return end + 1;
  }

  /** The short way for a control sequence that is in this chunk as a whole and holds no control; the others go byte by byte. */
  #readWholeControlSequence(text: string, start: number): number {
    const end = endOfParameters(text, start);
    const final = text.charCodeAt(end);
    if (final >= 0x40 && final <= 0x7e && end - start <= SEQUENCE_CHARS_MAX) {
      this.#finish(this.#allowedSequence(text.slice(start, end + 1)));
      return end + 1;
    }
    this.#enter("control-sequence");
    return start;
  }

  /** Programs use few different sequences, and those over and over. */
  #allowedSequence(body: string): string {
    const known = this.#known.get(body);
    if (known !== undefined) return known;
    const allowed = allowedControlSequence(body, this.#mode);
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.set(body, allowed);
    return allowed;
  }

  #readEscape(text: string, index: number): number {
    const character = text.charAt(index);
    if (character < " " || character > "~") return this.#readForeign(text, index);
    if (character < "0") this.#collect(character, SEQUENCE_CHARS_MAX);
    else if (this.#sequence === "") this.#open(character);
    else this.#finish(this.#isTooLong(SEQUENCE_CHARS_MAX) ? "" : allowedEscape(this.#sequence + character, this.#mode));
    return index + 1;
  }

  #readControlSequence(text: string, start: number): number {
    const end = endOfParameters(text, start);
    this.#collect(text.slice(start, end), SEQUENCE_CHARS_MAX);
    const character = text.charAt(end);
    if (character < " " || character > "~") return this.#readForeign(text, end);
    const body = this.#sequence + character;
    this.#finish(this.#isTooLong(SEQUENCE_CHARS_MAX) ? "" : this.#allowedSequence(body));
    return end + 1;
  }

  #readCommand(text: string, start: number): number {
    const end = this.#endOfString(COMMAND_END, text, start);
    this.#collect(text.slice(start, end), COMMAND_CHARS_MAX);
    if (end === text.length || this.#state === "text") return end;
    const character = text.charAt(end);
    if (character === "\u001B") this.#state = "command-escape";
    else if (character === "\u0007") this.#finishCommand("\u0007");
    else if (character === "\u009C") this.#finishCommand("\u001B\\");
    else this.#drop(character);
    return end + 1;
  }

  #readCommandEscape(text: string, index: number): number {
    if (text.charAt(index) === "\\") {
      this.#finishCommand("\u001B\\");
      return index + 1;
    }
    this.#drop("\u001B");
    return index;
  }

  #readDropped(text: string, start: number): number {
    const end = this.#endOfString(STRING_END, text, start);
    if (end < text.length && this.#state === "dropped") {
      this.#obey(text.charAt(end));
      return end + 1;
    }
    return end;
  }

  /** The end of the stretch, or of what a string may have; there the state is text again. */
  #endOfString(pattern: RegExp, text: string, start: number): number {
    const end = endOf(pattern, text, start);
    const last = start + STRING_CHARS_MAX - this.#stringChars;
    this.#stringChars += end - start;
    if (end < last) return end;
    this.#finish("");
    return last;
  }

  /** Reads a control within an escape or control sequence, which is obeyed, or a letter beyond ASCII, which ends it and is text. */
  #readForeign(text: string, index: number): number {
    const character = text.charAt(index);
    if (character > "\u009F") {
      this.#finish("");
      return index;
    }
    if (character !== "" && character !== "\u007F") this.#obey(character);
    return index + 1;
  }

  #obey(control: string): void {
    if (control === "\u001B") this.#enter("escape");
    else if (control >= "\u0080") this.#open(String.fromCharCode(control.charCodeAt(0) - 0x40));
    else if (control === "\u0018" || control === "\u001A") this.#state = "text";
    else if (control >= "\u0007" && control <= "\u000F") this.#out += control;
  }

  /** Enters the state of the introducer `ESC opener`, or passes that escape where it is no introducer. */
  #open(opener: string): void {
    if (opener === "[") this.#enter("control-sequence");
    else if (opener === "]") this.#enter("command");
    else if (/[PX^_]/.test(opener)) {
      this.#sequencesDropped++;
      this.#enter("dropped");
    } else if (opener === "\\") this.#state = "text"; // The terminator of a string that was dropped.
    else this.#finish(allowedEscape(opener, this.#mode));
  }

  #enter(state: State): void {
    this.#state = state;
    this.#sequence = "";
    this.#stringChars = 0;
  }

  #collect(text: string, charsMax: number): void {
    if (this.#sequence.length <= charsMax) this.#sequence = (this.#sequence + text).slice(0, charsMax + 1);
  }

  #isTooLong(charsMax: number): boolean {
    return this.#sequence.length > charsMax;
  }

  #finishCommand(terminator: string): void {
    const isTooLong = this.#isTooLong(COMMAND_CHARS_MAX);
    this.#finish(isTooLong ? "" : allowedOperatingSystemCommand(this.#sequence, terminator));
  }

  #finish(allowed: string): void {
    if (allowed === "") this.#sequencesDropped++;
    this.#out += allowed;
    this.#enter("text");
  }

  /** Ends a command that a control interrupts. */
  #drop(control: string): void {
    this.#finish("");
    this.#obey(control);
  }
}

/**
 * BEL to SI (among them BS, TAB, LF and CR) count as text, and so do the control sequences that are in every second line of every program;
 * the other C0 and all C1 controls end it.
 */
function endOfText(text: string, start: number): number {
  let index = start;
  while (index < text.length) {
    const code = text.charCodeAt(index);
    if (code === 0x1b) {
      const end = endOfFrequentSequence(text, index);
      if (end === index) return index;
      index = end;
    } else if (code < 0x20 ? code < 0x07 || code > 0x0f : code >= 0x80 && code <= 0x9f) return index;
    else index++;
  }
  return index;
}

/** The index behind a whole control sequence that always passes: colours, cursor and erasing, with numbers of up to four digits. Else `start`. */
function endOfFrequentSequence(text: string, start: number): number {
  if (text.charCodeAt(start + 1) !== 0x5b) return start;
  let digits = 0;
  for (let index = start + 2; index - start < SEQUENCE_CHARS_MAX; index++) {
    const code = text.charCodeAt(index);
    if (code >= 0x30 && code <= 0x39) digits++;
    else if (code === 0x3a || code === 0x3b) digits = 0;
    else return FREQUENT_FINALS.includes(text.charAt(index)) && index < text.length ? index + 1 : start;
    if (digits > 4) return start;
  }
  return start;
}

function endOfParameters(text: string, start: number): number {
  let index = start;
  while (text.charCodeAt(index) >= 0x20 && text.charCodeAt(index) <= 0x3f) index++;
  return index;
}

function endOf(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.exec(text)?.index ?? text.length;
}

/** True for valid UTF-8 of which everything passes. */
function passesUnchanged(text: string, bytes: Uint8Array): boolean {
  if (text.includes("\uFFFD")) return false;
  const isPlain =
    !STOPPING_CONTROLS.some((control) => text.includes(control)) &&
    (text.length === bytes.length || !bytes.includes(C1_LEAD));
  return isPlain || endOfText(text, 0) === text.length;
}
