/** DEC private modes (`CSI ? Pm h` sets, `l` resets): https://invisible-island.net/xterm/ctlseqs/ctlseqs.html, "DECSET". */
import type { Tokenizer } from "./tokenizer.ts";

export interface DecMode {
  readonly number: number;
  /** What it changes: what a terminal draws, or what it sends. */
  readonly affects: "drawing" | "input";
  /** The state after a reset, in which a program that leaves a terminal has to leave it; null: it acts once. */
  readonly restoredTo: boolean | null;
  /** The emulator does not know it, so it is kept beside the emulator. */
  readonly isKept?: true;
}

/** Those that may reach the terminal of a viewer; others are dropped. */
const decModes: readonly DecMode[] = [
  { number: 1, affects: "input", restoredTo: false }, // cursor keys as the application wants them
  { number: 4, affects: "drawing", restoredTo: false }, // smooth scroll
  { number: 5, affects: "drawing", restoredTo: false, isKept: true }, // reverse video
  { number: 6, affects: "drawing", restoredTo: false }, // origin
  { number: 7, affects: "drawing", restoredTo: true }, // wrap
  { number: 9, affects: "input", restoredTo: false }, // mouse of the X10 terminal
  { number: 12, affects: "drawing", restoredTo: false }, // blinking cursor
  { number: 25, affects: "drawing", restoredTo: true }, // visible cursor
  { number: 45, affects: "drawing", restoredTo: false }, // reverse wrap
  { number: 66, affects: "input", restoredTo: false }, // keypad
  { number: 67, affects: "input", restoredTo: false }, // backspace key
  { number: 69, affects: "drawing", restoredTo: false }, // left and right margins
  { number: 1000, affects: "input", restoredTo: false }, // mouse, and its ways of reporting
  { number: 1002, affects: "input", restoredTo: false },
  { number: 1003, affects: "input", restoredTo: false },
  { number: 1004, affects: "input", restoredTo: false }, // focus
  { number: 1005, affects: "input", restoredTo: false },
  { number: 1006, affects: "input", restoredTo: false },
  { number: 1007, affects: "input", restoredTo: true, isKept: true }, // wheel as arrow keys; off in xterm alone
  { number: 1015, affects: "input", restoredTo: false },
  { number: 1016, affects: "input", restoredTo: false },
  { number: 1034, affects: "input", restoredTo: true }, // meta key
  { number: 1035, affects: "input", restoredTo: true },
  { number: 1036, affects: "input", restoredTo: false },
  { number: 1039, affects: "input", restoredTo: false },
  { number: 1048, affects: "drawing", restoredTo: null }, // saved cursor
  { number: 2004, affects: "input", restoredTo: false }, // bracketed paste
  { number: 2026, affects: "drawing", restoredTo: false }, // synchronized update
  { number: 2027, affects: "drawing", restoredTo: false, isKept: true }, // grapheme widths
  { number: 2031, affects: "input", restoredTo: false, isKept: true }, // colour scheme reports
  { number: 2048, affects: "input", restoredTo: false, isKept: true }, // resize reports
  // Restored last: leaving the alternate screen gives the cursor of the shell back.
  { number: 47, affects: "drawing", restoredTo: false },
  { number: 1047, affects: "drawing", restoredTo: false },
  { number: 1049, affects: "drawing", restoredTo: false },
];

const byNumber: ReadonlyMap<number, DecMode> = new Map(decModes.map((mode) => [mode.number, mode]));

export const BRACKETED_PASTE = 2004;
export const SYNCHRONIZED_UPDATE = 2026;
export const ALTERNATE_SCREENS: readonly number[] = [47, 1047, 1049];

/** Undefined for a mode that nothing here has a use for. */
export const decMode = (number: number): DecMode | undefined => byNumber.get(number);

/** The modes that have to be put back when a program leaves a terminal, in this order. */
export const restoredModes: readonly DecMode[] = decModes.filter(({ restoredTo }) => restoredTo !== null);

export interface DecModeChange {
  readonly modes: readonly number[];
  readonly isSet: boolean;
}

const QUESTION_MARK = 0x3f;
const SEMICOLON = 0x3b;
const SET = 0x68;
const RESET = 0x6c;

/** The modes that the current token, a whole control sequence, sets or resets; undefined for every other one. */
export function readModeChange(tokens: Tokenizer): DecModeChange | undefined {
  const { final, length } = tokens;
  if ((final !== SET && final !== RESET) || tokens.byteAt(2) !== QUESTION_MARK) return undefined;
  const modes: number[] = [];
  let mode = 0;
  for (let index = 3; index < length - 1; index++) {
    const byte = tokens.byteAt(index);
    if (byte === SEMICOLON) {
      modes.push(mode);
      mode = 0;
    } else if (byte >= 0x30 && byte <= 0x39) mode = mode * 10 + byte - 0x30;
    else return undefined;
  }
  modes.push(mode);
  return { modes, isSet: final === SET };
}
