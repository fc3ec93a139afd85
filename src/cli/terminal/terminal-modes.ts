/** What a program changed on the viewer's terminal, so that it can be put back when the viewer leaves. */

/** DEC private modes that would make a shell unusable, with the state that a shell expects. */
const expected: ReadonlyMap<number, boolean> = new Map([
  [1, false], // cursor keys as the application wants them
  [7, true], // line wrap
  [25, true], // the cursor is visible
  [1000, false], // mouse, and its ways of reporting
  [1002, false],
  [1003, false],
  [1004, false], // focus
  [1005, false],
  [1006, false],
  [1015, false],
  [1016, false],
  [2004, false], // bracketed paste
  [2026, false], // synchronized output
  [47, false], // the alternate screen, in its three ways
  [1047, false],
  [1049, false],
]);
const alternateScreens = [47, 1047, 1049];

/** Private modes, scroll region, kitty keyboard stack, modifyOtherKeys, keypad. */
const sequences =
  /\u001b(?:\[\?([\d;]*)([hl])|\[([\d;]*)r|\[>(\d*)u|\[<(\d*)u|\[=[\d;]*u|\[>4(?:;(\d))?m|([=>])|\[!p|c)/g;
/** A sequence that may be cut at the end of a chunk is at most this long. */
const CARRY_CHARS_MAX = 64;
const KEYBOARD_DEPTH_MAX = 32;

/**
 * Follows the output.
 *
 * @example
 * ```ts
 * const modes = new TerminalModes();
 * modes.feed(Buffer.from("\x1b[?1049h\x1b[?25l"));
 * modes.restore(); // leaves the alternate screen, shows the cursor, resets colours
 * ```
 */
export class TerminalModes {
  /** The end of the last chunk where it may be the beginning of a sequence. */
  #carry = "";
  readonly #changed = new Set<number>();
  #keyboards = 0;
  #modifyOtherKeys = false;
  #keypad = false;
  #region = false;

  get inAlternateScreen(): boolean {
    return alternateScreens.some((mode) => this.#changed.has(mode));
  }

  feed(chunk: Uint8Array): void {
    const text = this.#carry + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString("latin1");
    for (const match of text.matchAll(sequences)) this.#apply(match);
    const at = text.lastIndexOf("\u001b");
    const isOpen =
      at >= 0 && text.length - at < CARRY_CHARS_MAX && /^\u001b(?:\[[?<=>!]?[\d;]*)?$/.test(text.slice(at));
    this.#carry = isOpen ? text.slice(at) : "";
  }

  /** What puts the terminal back; the next line of a shell is fine after it. */
  restore(): string {
    const parts = ["\u001b[0m"];
    if (this.#modifyOtherKeys) parts.push("\u001b[>4m");
    if (this.#keyboards > 0) parts.push(`\u001b[<${this.#keyboards}u`);
    if (this.#keypad) parts.push("\u001b>");
    // Setting the region moves the cursor.
    if (this.#region) parts.push("\u001b7\u001b[r\u001b8");
    // The alternate screen is left last: leaving it gives the shell's cursor back.
    for (const [mode, state] of expected) {
      if (this.#changed.has(mode)) parts.push(`\u001b[?${mode}${state ? "h" : "l"}`);
    }
    return parts.join("");
  }

  #apply(match: RegExpExecArray): void {
    const [whole, modes, state, region, pushed, popped, otherKeys, keypad] = match;
    if (modes !== undefined) this.#setModes(modes, state === "h");
    else if (region !== undefined) this.#region = region !== "";
    else if (pushed !== undefined) this.#keyboards = Math.min(this.#keyboards + 1, KEYBOARD_DEPTH_MAX);
    else if (popped !== undefined) this.#keyboards = Math.max(0, this.#keyboards - Number(popped || 1));
    else if (whole.startsWith("\u001b[>4")) this.#modifyOtherKeys = otherKeys !== undefined && otherKeys !== "0";
    else if (keypad !== undefined) this.#keypad = keypad === "=";
    else if (whole === "\u001bc") this.#reset();
  }

  #setModes(modes: string, on: boolean): void {
    for (const mode of modes.split(";").map(Number)) {
      const wanted = expected.get(mode);
      if (wanted === undefined) continue;
      if (wanted === on) this.#changed.delete(mode);
      else this.#changed.add(mode);
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
