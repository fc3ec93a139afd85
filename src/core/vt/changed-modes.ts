/** What a program changed on a terminal: DEC private modes, scroll region, keypad, and the keyboard protocols of kitty and xterm. */
import { ALTERNATE_SCREENS, BRACKETED_PASTE, readModeChange, restoredModes } from "./dec-modes.ts";
import { Tokenizer, finalsBut } from "./tokenizer.ts";

const KEYBOARD_AND_REGION = "urm";
/** Entries of the keyboard stack of kitty's protocol. */
const KEYBOARDS_MAX = 32;

/**
 * Follows the output of a program.
 *
 * @example
 * ```ts
 * const modes = new ChangedModes();
 * modes.feed(new TextEncoder().encode("\u001b[?1049h\u001b[?25l"));
 * modes.isAlternateScreen; // true
 * modes.restore(); // leaves the alternate screen, shows the cursor, resets colours
 * ```
 */
export class ChangedModes {
  readonly #tokens = new Tokenizer({ sequenceBytesMax: 64, plain: { finals: finalsBut("r"), parameters: "numbers" } });
  /** Modes of `restoredModes` that are in another state than after a reset. */
  readonly #changed = new Set<number>();
  #keyboards = 0;
  #modifyOtherKeys = false;
  #keypad = false;
  #region = false;

  /** A program is on the whole screen (vim, less). */
  get isAlternateScreen(): boolean {
    return ALTERNATE_SCREENS.some((mode) => this.#changed.has(mode));
  }

  /** A program takes pastes in brackets (a line editor). */
  get isBracketedPaste(): boolean {
    return this.#changed.has(BRACKETED_PASTE);
  }

  feed(chunk: Uint8Array): void {
    const tokens = this.#tokens;
    tokens.feed(chunk, 0);
    for (let type = tokens.next(); type !== null; type = tokens.next()) {
      if (!tokens.isWhole) continue;
      if (type === "escape") this.#applyEscape(tokens);
      else if (type === "csi") this.#apply(tokens);
    }
  }

  /** Output is missing: a sequence that has begun is not continued. */
  gap(): void {
    this.#tokens.reset();
  }

  /** What puts the terminal back; the next line of a shell is fine after it. */
  restore(): string {
    const parts = ["\u001b[0m"];
    if (this.#modifyOtherKeys) parts.push("\u001b[>4m");
    if (this.#keyboards > 0) parts.push(`\u001b[<${this.#keyboards}u`);
    if (this.#keypad) parts.push("\u001b>");
    // Setting the region moves the cursor.
    if (this.#region) parts.push("\u001b7\u001b[r\u001b8");
    for (const { number, restoredTo } of restoredModes) {
      if (this.#changed.has(number)) parts.push(`\u001b[?${number}${restoredTo === true ? "h" : "l"}`);
    }
    return parts.join("");
  }

  #applyEscape(tokens: Tokenizer): void {
    if (tokens.length !== 2) return;
    const { text } = tokens;
    if (text === "c") this.#reset();
    else if (text === "=" || text === ">") this.#keypad = text === "=";
  }

  #apply(tokens: Tokenizer): void {
    const change = readModeChange(tokens);
    if (change !== undefined) return this.#setModes(change.modes, change.isSet);
    if (!KEYBOARD_AND_REGION.includes(String.fromCharCode(tokens.final))) return;
    const sequence = tokens.text;
    const [, kind, count] = /^(>4;|>4|>|<|)([\d;]*)[urm]$/.exec(sequence) ?? [];
    switch (`${kind}${sequence.at(-1)}`) {
      case "r":
        this.#region = count !== "";
        break;
      case ">u":
        this.#keyboards = Math.min(this.#keyboards + 1, KEYBOARDS_MAX);
        break;
      case "<u":
        this.#keyboards = Math.max(0, this.#keyboards - Number(count === "" ? 1 : count));
        break;
      case ">4m":
      case ">4;m":
        this.#modifyOtherKeys = count !== "" && count !== "0";
    }
  }

  #setModes(modes: readonly number[], isSet: boolean): void {
    for (const { number, restoredTo } of restoredModes) {
      if (!modes.includes(number)) continue;
      if (restoredTo === isSet) this.#changed.delete(number);
      else this.#changed.add(number);
    }
  }

  /** RIS: the terminal has put all back itself. */
  #reset(): void {
    this.#changed.clear();
    this.#keyboards = 0;
    this.#modifyOtherKeys = false;
    this.#keypad = false;
    this.#region = false;
  }
}
