/**
 * The only reader of what is typed into a terminal: bytes in, keys, texts and pastes out.
 *
 * Law: any chunking of the input gives the same items, but where a chunk ends behind an Escape or the byte after it: these are keys,
 * as a terminal sends a sequence in one piece. Keys in the encodings of kitty and xterm give the items of the plain ones.
 */
import { Utf8Decoder } from "../bytes/utf8.ts";
import { plainByteOf, readEncodedKey, type EncodedKey } from "./encoded-key.ts";

/**
 * - `text`: printable characters; `isPasted` if they are part of a paste, where a line end is text as well
 * - `enter`: carriage return, or line feed (Ctrl-J), which some programs take for a line end within a text
 * - `interrupt`, `kill-line`, `kill-word`, `backspace`: Ctrl-C, Ctrl-U, Ctrl-W, and both bytes of Backspace
 * - `paste-end`: `text` is the whole paste, with `\n` as line end
 * - `mouse-release`: of the left button
 * - `report`: what a terminal sends by itself: answers to queries, focus, other mouse events, keys that are released
 * - `key`: any other key, such as Tab, Home, F1 or Alt-x
 */
export type TypedItem = {
  /** As it was sent. */
  readonly raw: string;
  /** In an encoding that a program has to switch on: to another one it is something else. Missing for others. */
  readonly isEncoded?: true;
} & (
  | { readonly type: "text"; readonly text: string; readonly isPasted: boolean }
  | { readonly type: "paste-start" | "enter" | "interrupt" | "kill-line" | "kill-word" | "backspace" | "escape" }
  | { readonly type: "paste-end"; readonly text: string }
  | { readonly type: "arrow"; readonly direction: "up" | "down" | "left" | "right" }
  | { readonly type: "mouse-release" | "report" | "key" }
);

/** Plain data. */
export interface InputReaderState {
  /** A sequence that has begun and not ended. */
  readonly held: string;
  /** Bytes of a character that has begun and not ended. */
  readonly rest: readonly number[];
  /** The open paste; null outside of one. */
  readonly paste: Paste | null;
}

interface Paste {
  /** At most `PASTE_CHARS_MAX` of it. */
  readonly text: string;
  readonly chars: number;
}

/** Of a longer paste the beginning is kept. */
export const PASTE_CHARS_MAX = 65_536;
/** A paste that is longer has no end: what follows is typed. */
export const OPEN_PASTE_CHARS_MAX = 16_777_216;
/** A longer sequence is not one that a terminal sends. */
const SEQUENCE_CHARS_MAX = 4096;
const PASTE_START = "\u001B[200~";
const PASTE_END = "\u001B[201~";

const printable = /[^\u0000-\u001F\u007F]+/y;
const sequence = /\u001B(?:\[[0-?]*[ -/]*[@-~]|O[^]|[\]P_][^\u0000-\u001F]*(?:\u0007|\u001B\\)|[^]?)/uy;
const unfinishedSequence = /\u001B(?:\[[0-?]+[ -/]*|[\]P_][^\u0000-\u001F]+\u001B?)$/y;
/** Within a paste: the beginning of its end, or a carriage return that a line feed may follow. */
const unfinishedPaste = /(?:\r|\u001B(?:\[(?:2(?:01?)?)?)?)$/;
const report =
  /^\u001B(?:\[\?\d+u|\[[?>=]?[\d;]*(?:\$?[cnRtyIO]|[<\d;]*[Mm])|\[<[\d;]+[Mm]|[\]P_][^]*(?:\u0007|\u001B\\))$/;
/** Reports of focus and mouse: nobody has asked for them. */
const unasked = /^\u001B\[(?:[IO]|<[\d;]+[Mm]|M.*)$/s;
/** Of what a terminal answers, so many characters at the end are kept. */
const ANSWER_CHARS_MAX = 200;
const unprintable = /\u001B\\|[\u0000-\u001F\u007F]/g;
const arrows = { A: "up", B: "down", C: "right", D: "left" } as const;
const keys: Readonly<Record<string, "enter" | "interrupt" | "kill-line" | "kill-word" | "backspace">> = {
  "\r": "enter",
  "\n": "enter",
  "\u0003": "interrupt",
  "\u0015": "kill-line",
  "\u0017": "kill-word",
  "\u007F": "backspace",
  "\b": "backspace",
};

export class InputReader {
  readonly #decoder: Utf8Decoder;
  #held: string;
  #paste: Paste | null;

  constructor(state: InputReaderState = { held: "", rest: [], paste: null }) {
    this.#decoder = new Utf8Decoder(state.rest);
    this.#held = state.held;
    this.#paste = state.paste;
  }

  feed(bytes: Uint8Array): TypedItem[] {
    const text = this.#held + this.#decoder.feed(bytes);
    this.#held = "";
    const items: TypedItem[] = [];
    for (let at = 0; at < text.length;)
      at = this.#paste === null ? this.#read(text, at, items) : this.#pasted(text, at, items);
    return items;
  }

  save(): InputReaderState {
    return { held: this.#held, rest: this.#decoder.rest, paste: this.#paste };
  }

  /** Reads one item at `at`; returns where the next one begins. */
  #read(text: string, at: number, items: TypedItem[]): number {
    const character = text[at] ?? "";
    if (character === "\u001B") return this.#sequence(text, at, items);
    printable.lastIndex = at;
    const run = printable.exec(text)?.[0];
    if (run !== undefined) items.push({ type: "text", text: run, isPasted: false, raw: run });
    else items.push({ type: keys[character] ?? "key", raw: character });
    return at + (run ?? character).length;
  }

  #sequence(text: string, at: number, items: TypedItem[]): number {
    sequence.lastIndex = at;
    const raw = sequence.exec(text)?.[0] ?? "\u001B";
    unfinishedSequence.lastIndex = at;
    if (text.length - at <= SEQUENCE_CHARS_MAX && raw.length <= 2 && unfinishedSequence.test(text)) {
      this.#held = text.slice(at);
      return text.length;
    }
    if (raw === PASTE_START) this.#paste = { text: "", chars: 0 };
    items.push(raw === PASTE_START ? { type: "paste-start", raw } : itemOf(raw));
    return at + raw.length;
  }

  #pasted(text: string, at: number, items: TypedItem[]): number {
    const end = text.indexOf(PASTE_END, at);
    const whole = text.slice(at, end === -1 ? undefined : end);
    const unfinished = end === -1 ? (unfinishedPaste.exec(whole)?.[0] ?? "") : "";
    const raw = whole.slice(0, whole.length - unfinished.length);
    const own = raw.replaceAll(/\r\n?/g, "\n");
    if (raw !== "") items.push({ type: "text", text: own, isPasted: true, raw });
    const before = this.#paste ?? { text: "", chars: 0 };
    const paste = { text: (before.text + own).slice(0, PASTE_CHARS_MAX), chars: before.chars + own.length };
    this.#paste = paste.chars > OPEN_PASTE_CHARS_MAX ? null : paste;
    this.#held = unfinished;
    if (end === -1) return text.length;
    items.push({ type: "paste-end", text: paste.text, raw: PASTE_END });
    this.#paste = null;
    return end + PASTE_END.length;
  }
}

function itemOf(raw: string): TypedItem {
  if (raw === "\u001B") return { type: "escape", raw };
  const arrow = /^\u001B[[O]([ABCD])$/.exec(raw)?.[1];
  if (arrow !== undefined) return { type: "arrow", direction: arrows[arrow as keyof typeof arrows], raw };
  if (/^\u001B\[<0;\d+;\d+m$/.test(raw)) return { type: "mouse-release", raw };
  const key = readEncodedKey(raw);
  if (key !== null) return keyItem(key, raw);
  return { type: report.test(raw) ? "report" : "key", raw };
}

function keyItem(key: EncodedKey, raw: string): TypedItem {
  if (key.isRelease) return { type: "report", raw };
  const sent = { raw, isEncoded: true } as const;
  if (key.text !== null) return { type: "text", text: key.text, isPasted: false, ...sent };
  const byte = plainByteOf(key);
  if (byte === "\u001B") return { type: "escape", ...sent };
  return { type: keys[byte ?? ""] ?? "key", ...sent };
}

/** What a report leaves in a line if no program reads it; empty for one that nobody has asked for. */
export const answerText = (raw: string): string =>
  unasked.test(raw) ? "" : raw.replaceAll(unprintable, "").slice(-ANSWER_CHARS_MAX);
