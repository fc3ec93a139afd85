/** What a program changed on a terminal, by the tables of `dec-modes.ts` and `lasting-sequences.ts`. */
import { SHIFT_IN, SHIFT_OUT } from "./control-bytes.ts";
import { ALTERNATE_SCREENS, BRACKETED_PASTE, readModeChange, restoredModes } from "./dec-modes.ts";
import {
  ANSI_MODES,
  commandChange,
  lastingControlSequences,
  lastingEscapes,
  type LastingChange,
} from "./lasting-sequences.ts";
import { Tokenizer, finalsBut } from "./tokenizer.ts";

/** Finals of sequences with nothing but numbers that change something. */
const PLAIN_LASTING = "rghl";
/** "Where is the cursor?" */
const CURSOR_QUESTION = "6n";
/** A link is at most so long. */
const SEQUENCE_BYTES_MAX = 8192;
/** Entries of the keyboard stack of kitty's protocol. */
const KEYBOARDS_MAX = 32;
const ORIGIN = 6;
const CURSOR = 25;

const CONTROL_SEQUENCE = /^([<=>?]?)([0-9:;]*)([ -/]*)([@-~])$/;
const byName = new Map(lastingControlSequences.map((sequence) => [sequence.name, sequence]));

/** The keyboard of one screen. */
interface Keyboard {
  /** Entries that the program has pushed. */
  pushed: number;
  /** The flags that it has set below them. */
  flags: number;
}

/** Follows the output of a program. */
export class ChangedModes {
  readonly #tokens = new Tokenizer({
    sequenceBytesMax: SEQUENCE_BYTES_MAX,
    plain: { finals: finalsBut(`${PLAIN_LASTING}n`), parameters: "numbers" },
  });
  /** Modes of `restoredModes` that are in another state than after a reset. */
  readonly #changed = new Set<number>();
  /** What puts the other changes back, by their keys. */
  readonly #undo = new Map<string, string>();
  /** Each screen has its own. */
  #mainKeyboard: Keyboard = { pushed: 0, flags: 0 };
  #alternateKeyboard: Keyboard = { pushed: 0, flags: 0 };

  /** The program has asked where the cursor is. Whoever sees the answer sets it to false. */
  asksForCursor = false;

  /** A program is on the whole screen (vim, less). */
  get isAlternateScreen(): boolean {
    return ALTERNATE_SCREENS.some((mode) => this.#changed.has(mode));
  }

  /** A program takes pastes in brackets (a line editor). */
  get isBracketedPaste(): boolean {
    return this.#changed.has(BRACKETED_PASTE);
  }

  get isCursorHidden(): boolean {
    return this.#changed.has(CURSOR);
  }

  feed(chunk: Uint8Array): void {
    this.#applyShift(chunk);
    const tokens = this.#tokens;
    tokens.feed(chunk, 0);
    for (let type = tokens.next(); type !== null; type = tokens.next()) {
      if (!tokens.isWhole) continue;
      if (type === "escape") this.#applyEscape(tokens.text);
      else if (type === "csi") this.#applyControlSequence(tokens);
      else if (type === "osc") this.#apply(commandChange(tokens.body));
    }
  }

  /** Output is missing: a sequence that has begun is not continued. */
  gap(): void {
    this.#tokens.reset();
  }

  /** What puts the terminal back; the next line of a shell is fine after it. */
  restore(): string {
    const parts = ["\u001b[0m", ...this.#undo.values()];
    if (this.isAlternateScreen) parts.push(keyboardUndo(this.#alternateKeyboard));
    for (const { number, restoredTo } of restoredModes) {
      if (!this.#changed.has(number)) continue;
      parts.push(`\u001b[?${number}${restoredTo === true ? "h" : "l"}`);
      // It moves the cursor to the top.
      if (number === ORIGIN) parts.push("\u001b[999;1H");
    }
    parts.push(keyboardUndo(this.#mainKeyboard));
    return parts.join("");
  }

  /** Two control characters choose between two character sets; the later one counts. */
  #applyShift(chunk: Uint8Array): void {
    const out = chunk.lastIndexOf(SHIFT_OUT);
    const back = chunk.lastIndexOf(SHIFT_IN);
    if (out !== back) this.#apply({ key: "shift", undo: out > back ? "\u000f" : null });
  }

  #applyEscape(body: string): void {
    if (body === "c") return this.#reset();
    this.#apply(lastingEscapes.find(({ form }) => form.test(body))?.change(body));
  }

  #applyControlSequence(tokens: Tokenizer): void {
    if (tokens.text === CURSOR_QUESTION) this.asksForCursor = true;
    const change = readModeChange(tokens);
    if (change !== undefined) return this.#setModes(change.modes, change.isSet);
    const [, prefix = "", parameters = "", intermediates = "", final = ""] = CONTROL_SEQUENCE.exec(tokens.text) ?? [];
    const name = `${prefix}${intermediates}${final}`;
    const values = parameters.split(";").map(Number);
    switch (name) {
      case "h":
      case "l":
        return this.#setAnsiModes(values, name === "h");
      case "?r":
        // What they were when the program saved them is not known.
        for (const mode of values) if (!ALTERNATE_SCREENS.includes(mode)) this.#changed.add(mode);
        return;
      case ">u":
      case "<u":
      case "=u":
        return this.#applyKeyboard(name, parameters);
      case ">m":
        if (parameters === "") return this.#resetKeys();
    }
    this.#apply(byName.get(name)?.change(parameters));
  }

  #apply(change: LastingChange | undefined): void {
    if (change === undefined) return;
    if (change.undo === null) this.#undo.delete(change.key);
    else this.#undo.set(change.key, change.undo);
  }

  #applyKeyboard(name: ">u" | "<u" | "=u", parameters: string): void {
    const keyboard = this.isAlternateScreen ? this.#alternateKeyboard : this.#mainKeyboard;
    const [value = 0, mode = 1] = parameters === "" ? [] : parameters.split(";").map(Number);
    if (name === ">u") keyboard.pushed = Math.min(keyboard.pushed + 1, KEYBOARDS_MAX);
    else if (name === "<u") keyboard.pushed = Math.max(0, keyboard.pushed - Math.max(1, value));
    else if (keyboard.pushed > 0) return;
    else if (mode === 1) keyboard.flags = value;
    else keyboard.flags = mode === 2 ? keyboard.flags | value : keyboard.flags & ~value;
  }

  #setModes(modes: readonly number[], isSet: boolean): void {
    for (const { number, restoredTo } of restoredModes) {
      if (!modes.includes(number)) continue;
      if (restoredTo === isSet) this.#changed.delete(number);
      else this.#changed.add(number);
    }
  }

  #setAnsiModes(modes: readonly number[], isSet: boolean): void {
    for (const mode of ANSI_MODES) {
      if (modes.includes(mode)) this.#apply({ key: `ANSI mode ${mode}`, undo: isSet ? `\u001b[${mode}l` : null });
    }
  }

  /** `CSI > m` puts all key resources back. */
  #resetKeys(): void {
    for (const key of this.#undo.keys()) if (/^>.*m$/.test(key)) this.#undo.delete(key);
  }

  /** RIS: the terminal has put all back itself. */
  #reset(): void {
    this.#changed.clear();
    this.#undo.clear();
    this.#mainKeyboard = { pushed: 0, flags: 0 };
    this.#alternateKeyboard = { pushed: 0, flags: 0 };
  }
}

const keyboardUndo = ({ flags, pushed }: Keyboard): string =>
  (pushed > 0 ? `\u001b[<${pushed}u` : "") + (flags === 0 ? "" : "\u001b[=0u");
