/**
 * What a screen needs of a terminal emulator. Nothing else knows which one it is: `screen/screen.ts` gets a `MakeEmulator`, and
 * `test/emulator-contract.ts` has the rows that every maker is held to. Which one is used, and why: docs/decisions/emulator.md.
 */

/** Size of the screen, and how many lines that left its top are kept. */
export interface EmulatorOptions {
  readonly columns: number;
  readonly rows: number;
  readonly scrollbackLinesMax: number;
}

export type MakeEmulator = (options: EmulatorOptions) => Emulator;

export interface CursorState {
  /** 0 to `columns`; `columns` after a full row, where the next character wraps. */
  readonly column: number;
  readonly row: number;
  readonly isVisible: boolean;
  readonly shape: "block" | "underline" | "bar" | null;
}

/** Modes that the program has set and the emulator tracks. */
export interface EmulatorModes {
  readonly applicationCursorKeys: boolean;
  readonly applicationKeypad: boolean;
  readonly bracketedPaste: boolean;
  readonly focusEvents: boolean;
  readonly insert: boolean;
  /** `none`, `x10`, `vt200` (clicks), `drag`, `any` (each move). */
  readonly mouse: "none" | "x10" | "vt200" | "drag" | "any";
  readonly mouseEncoding: "default" | "sgr" | "sgr-pixels";
  readonly origin: boolean;
  readonly reverseWraparound: boolean;
  readonly synchronizedOutput: boolean;
  readonly wraparound: boolean;
}

/** A row as it is at the moment of the call: read it before the next write or resize. */
export interface EmulatorRow {
  /** The same object while the row is the same, also when it scrolls, if the emulator has one: caches are keyed by it. */
  readonly key: object;
  /** It continues the row above. */
  readonly isWrapped: boolean;
  /** `CELL_NUMBERS` for each cell, in the form of `cells.ts`; at least one cell for each column. Only to be read. */
  readonly cells: Uint32Array;
  /** The characters of a cell that has several; its content has `IS_COMBINED`. At most 66 UTF-16 units. */
  combinedAt(column: number): string;
}

/** Sub-parameters are arrays after their parameter. */
export type Parameters = readonly (number | readonly number[])[];

/** How a control sequence is recognised: the parts of ECMA-48 5.4. `prefix` is one of `<=>?`. */
export interface SequenceId {
  readonly prefix?: string;
  readonly intermediates?: string;
  readonly final: string;
}

/** Sequences for state that is kept beside the emulator, for each of its two screens. */
export interface ExtraModes {
  readonly normal: string;
  readonly alternate: string;
}

/**
 * A terminal emulator without timers, display or input.
 *
 * Laws, which the contract holds: `write` has parsed all of its input when it returns, and the same input gives the same state however it is
 * cut between code points; `serialize` makes a new emulator of the same size equal to this one, whatever follows; what a sequence may cost is bounded by
 * the clamp before it, what a row may hold is bounded here.
 */
export interface Emulator {
  readonly columns: number;
  readonly rows: number;
  /** The alternate screen is shown. */
  readonly isAlternate: boolean;
  readonly cursor: CursorState;
  readonly modes: EmulatorModes;
  /** As the program set it. */
  readonly title: string;
  /** Lines above the normal screen that are kept. */
  readonly scrollbackLines: number;
  /** Lines of the normal screen that were dropped since the start: over the limit, erased, or by a reset. */
  readonly linesDropped: number;
  write(data: Uint8Array | string): void;
  /** Rows of the normal screen wrap anew; those of the alternate one are truncated or filled up. */
  resize(columns: number, rows: number): void;
  /** A row of the shown screen, 0 is the top. */
  row(index: number): EmulatorRow | undefined;
  /** A row of the normal screen and of what is kept above it, 0 is the oldest. */
  normalRow(index: number): EmulatorRow | undefined;
  /** The replies to the program since the last call. */
  takeReplies(): string[];
  /** `handler` is called when the sequence takes effect; it returns true to keep the sequence from the emulator. */
  onCsi(id: SequenceId, handler: (parameters: Parameters) => boolean): void;
  /** As `onCsi`; `handler` gets the text after `code;`. */
  onOsc(code: number, handler: (data: string) => boolean): void;
  /** As `onCsi`. */
  onDcs(id: SequenceId, handler: (data: string) => boolean): void;
  /** Full resets (RIS). */
  onReset(handler: () => void): void;
  /**
   * Bytes for a terminal of the same size that was just reset, after which it equals this one. They are control sequences of the terminal
   * and not a form of the emulator's own, because they also start viewers.
   */
  serialize(extraModes: ExtraModes): string;
  /** Frees memory; not to be used afterwards. */
  dispose(): void;
}
