/**
 * Terminal modes that programs set and the emulator does not track, kept for viewers who attach later: keyboard protocols and private
 * modes that only change how a terminal reports or draws.
 * Kitty keyboard protocol: https://sw.kovidgoyal.net/kitty/keyboard-protocol/ ("Progressive enhancement").
 */
import { decMode } from "../vt/dec-modes.ts";
import type { Emulator, ExtraModes, Parameters } from "../emulator/emulator.ts";

/** The protocol requires a limit; the oldest entry is dropped. */
const keyboardStackMax = 16;

interface Keyboard {
  /** Current flags, above the pushed ones. */
  flags: number;
  stack: number[];
}

const newKeyboard = (): Keyboard => ({ flags: 0, stack: [] });

/** Listens to the emulator; each of the two screens has its own keyboard. */
export class ProgramModes {
  readonly #isAlternate: () => boolean;
  #keyboards = { normal: newKeyboard(), alternate: newKeyboard() };
  #modifyOtherKeys = 0;
  #modes = new Set<number>();

  constructor(emulator: Emulator) {
    this.#isAlternate = () => emulator.isAlternate;
    emulator.onCsi({ prefix: ">", final: "u" }, (parameters) => this.#push(numberAt(parameters, 0)));
    emulator.onCsi({ prefix: "<", final: "u" }, (parameters) => this.#pop(Math.max(numberAt(parameters, 0), 1)));
    emulator.onCsi({ prefix: "=", final: "u" }, (parameters) => this.#set(parameters));
    emulator.onCsi({ prefix: ">", final: "m" }, (parameters) => this.#modify(parameters));
    emulator.onCsi({ prefix: "?", final: "h" }, (parameters) => this.#switch(parameters, true));
    emulator.onCsi({ prefix: "?", final: "l" }, (parameters) => this.#switch(parameters, false));
    emulator.onReset(() => this.#reset());
  }

  /** Current flags of the kitty keyboard protocol; 0 if it is off. */
  get keyboardFlags(): number {
    return this.#keyboard.flags;
  }

  /** xterm's level of modifyOtherKeys, 0 to 2. */
  get modifyOtherKeys(): number {
    return this.#modifyOtherKeys;
  }

  /** Private modes that are set and that the emulator does not track, ascending. */
  get others(): readonly number[] {
    return [...this.#modes].toSorted((one, other) => one - other);
  }

  sequences(): ExtraModes {
    const keys = this.#modifyOtherKeys === 0 ? "" : `\u001B[>4;${this.#modifyOtherKeys}m`;
    const others = this.others.map((mode) => `\u001B[?${mode}h`).join("");
    const { normal, alternate } = this.#keyboards;
    return { normal: `${keys}${others}${keyboardSequence(normal)}`, alternate: keyboardSequence(alternate) };
  }

  get #keyboard(): Keyboard {
    return this.#isAlternate() ? this.#keyboards.alternate : this.#keyboards.normal;
  }

  #push(flags: number): boolean {
    const keyboard = this.#keyboard;
    keyboard.stack = [...keyboard.stack, keyboard.flags].slice(-keyboardStackMax);
    keyboard.flags = flags & 31;
    return false;
  }

  #pop(count: number): boolean {
    const keyboard = this.#keyboard;
    const kept = keyboard.stack.length - count;
    keyboard.flags = keyboard.stack[kept] ?? 0;
    keyboard.stack = keyboard.stack.slice(0, Math.max(kept, 0));
    return false;
  }

  #set(parameters: Parameters): boolean {
    const flags = numberAt(parameters, 0) & 31;
    const keyboard = this.#keyboard;
    const how = numberAt(parameters, 1);
    keyboard.flags = how === 2 ? keyboard.flags | flags : how === 3 ? keyboard.flags & ~flags : flags;
    return false;
  }

  #modify(parameters: Parameters): boolean {
    if (numberAt(parameters, 0) === 4) this.#modifyOtherKeys = Math.min(numberAt(parameters, 1), 2);
    return false;
  }

  #switch(parameters: Parameters, isSet: boolean): boolean {
    for (const mode of parameters) {
      if (typeof mode !== "number" || decMode(mode)?.isKept !== true) continue;
      if (isSet) this.#modes.add(mode);
      else this.#modes.delete(mode);
    }
    return false;
  }

  #reset(): void {
    this.#keyboards = { normal: newKeyboard(), alternate: newKeyboard() };
    this.#modifyOtherKeys = 0;
    this.#modes = new Set();
  }
}

function numberAt(parameters: Parameters, index: number): number {
  const value = parameters[index];
  return typeof value === "number" ? value : 0;
}

/** The bottom of the stack has the flags from before the first push. */
function keyboardSequence({ flags, stack }: Keyboard): string {
  const [bottom, ...pushed] = [...stack, flags];
  const start = bottom === undefined || bottom === 0 ? "" : `\u001B[=${bottom}u`;
  return `${start}${pushed.map((entry) => `\u001B[>${entry}u`).join("")}`;
}
