/**
 * The screen of a session: bytes in; a grid of cells, modes and replies out. Consists of the emulator, the clamp before it, and the rules
 * for replies after it.
 *
 * Laws: the same bytes give the same screen at any chunking; `Screen.restore(screen.snapshot(offset))` equals the screen and stays
 * equal whatever follows. What a snapshot cannot carry is in docs/decisions/screen.md.
 */
import type { CursorState, Emulator, MakeEmulator, Parameters, EmulatorRow } from "../emulator/emulator.ts";
import { makeXterm } from "../emulator/xterm/xterm.ts";
import { Clamp } from "./clamp.ts";
import { ProgramModes } from "./program-modes.ts";
import { replyRules, ruleFor, type TerminalQuestion } from "./replies.ts";
import type { ScreenModes, ScreenSnapshot } from "./snapshot.ts";
import { ScreenLines, type ScreenLine } from "./screen-lines.ts";
import { styledCells, type StyledCell } from "./styled-cells.ts";
import { CELL_NUMBERS, charactersAt, CODE_POINT_MASK, IS_COMBINED, WIDTH_SHIFT, widthAt } from "../emulator/cells.ts";

/** Size of a screen, and its limits. */
export interface ScreenOptions {
  /** 2 to 1000; others are moved to the nearest. */
  readonly columns: number;
  /** 1 to 500; others are moved to the nearest. */
  readonly rows: number;
  /** Lines that left the top and are kept; older ones are dropped. Default 1000. */
  readonly scrollbackLinesMax?: number;
  /** See `Clamp`. Default 8192. */
  readonly sequenceBytesMax?: number;
  /** Replies to one `feed`; what is above is dropped and counted. Default 4096. */
  readonly replyBytesMax?: number;
}

/** Larger sizes would cost seconds and hundreds of megabytes. */
const columnsMax = 1000;
const rowsMax = 500;
const titleCharsMax = 1024;
const emptyLine: ScreenLine = { text: "", isWrapped: false, spans: [] };
const noBytes = new Uint8Array(0);
const encoder = new TextEncoder();

/**
 * A terminal emulator without a display. `feed` takes output bytes and returns the replies that the program expects; `text`, `lines` and
 * `snapshot` read the screen. The same bytes give the same screen at any chunking.
 *
 * @example
 * ```ts
 * const screen = new Screen({ columns: 80, rows: 24 });
 * screen.feed(new TextEncoder().encode("\u001b[1mhello\u001b[0m world"));
 * screen.text(); // => "hello world"
 * ```
 */
export class Screen {
  // Not `#`: `test/support/screen-state.ts` compares two screens by these parts.
  private readonly emulator: Emulator;
  private readonly clamp: Clamp;
  private readonly programModes: ProgramModes;
  readonly #replyBytesMax: number;
  /** Replies by rules, in order with those of the emulator. */
  #fixedReplies: string[] = [];
  #repliesDropped = 0;
  readonly #lines = new ScreenLines();
  /** Lines that were dropped before this screen was restored. */
  #linesBefore = 0;
  /** Gives milliseconds; what `drawnMs` is measured with. */
  clock: (() => number) | undefined;
  #drawnMs = 0;

  constructor(options: ScreenOptions, makeEmulator: MakeEmulator = makeXterm) {
    const columns = between(options.columns, 2, columnsMax);
    const rows = between(options.rows, 1, rowsMax);
    this.emulator = makeEmulator({ columns, rows, scrollbackLinesMax: options.scrollbackLinesMax ?? 1000 });
    this.clamp = new Clamp({ columns, rows, sequenceBytesMax: options.sequenceBytesMax ?? 8192 });
    this.programModes = new ProgramModes(this.emulator);
    this.#replyBytesMax = options.replyBytesMax ?? 4096;
    this.#answerQuestions();
  }

  /** A screen equal to the one of the snapshot. `topLine` is that of the other, so that line numbers continue. */
  static restore(
    snapshot: ScreenSnapshot,
    { topLine, ...options }: Omit<ScreenOptions, "columns" | "rows"> & { readonly topLine?: number } = {},
  ): Screen {
    const screen = new Screen({ ...options, columns: snapshot.columns, rows: snapshot.rows });
    screen.emulator.write(snapshot.ansi);
    if (topLine !== undefined) screen.#linesBefore = topLine - screen.topLine;
    screen.feed(Uint8Array.from(snapshot.pending));
    return screen;
  }

  get columns(): number {
    return this.emulator.columns;
  }

  get rows(): number {
    return this.emulator.rows;
  }

  /** Without control characters, truncated to 1024 characters. */
  get title(): string {
    return this.emulator.title.replaceAll(/[\u0000-\u001F\u007F-\u009F]/g, "").slice(0, titleCharsMax);
  }

  get isAlternate(): boolean {
    return this.emulator.isAlternate;
  }

  get takesPastes(): boolean {
    return this.emulator.modes.bracketedPaste;
  }

  get cursor(): CursorState {
    return this.emulator.cursor;
  }

  get modes(): ScreenModes {
    const { keyboardFlags, modifyOtherKeys, others } = this.programModes;
    return { ...this.emulator.modes, kittyKeyboard: keyboardFlags, modifyOtherKeys, others };
  }

  /** Number of lines above the screen. */
  get scrollbackLines(): number {
    return this.emulator.scrollbackLines;
  }

  /** Number of the first row of the normal screen, counted from 0: so many lines have left its top. */
  get topLine(): number {
    return this.#linesBefore + this.emulator.linesDropped + this.scrollbackLines;
  }

  /** A visible row, 0 is the top. */
  row(index: number): ScreenLine {
    const row = this.emulator.row(index);
    return row === undefined ? emptyLine : this.#lines.read(row, this.columns);
  }

  /** All cells of a visible row, 0 is the top; new objects with each call. */
  cells(index: number): StyledCell[] {
    const row = this.emulator.row(index);
    return row === undefined ? [] : styledCells(row, this.columns);
  }

  /** A line that has left the top of the normal screen, by its number; undefined if it is no longer kept. */
  scrolledLine(number: number): ScreenLine | undefined {
    const index = number - this.#linesBefore - this.emulator.linesDropped;
    const row = index < 0 ? undefined : this.emulator.normalRow(index);
    return row === undefined ? undefined : this.#lines.read(row, this.columns);
  }

  /** What the emulator has taken for everything that was fed; 0 without a `clock`. */
  get drawnMs(): number {
    return this.#drawnMs;
  }

  /** Bytes that the clamp dropped. */
  get bytesDropped(): number {
    return this.clamp.bytesDropped;
  }

  /** Replies over `replyBytesMax`. */
  get repliesDropped(): number {
    return this.#repliesDropped;
  }

  /** Returns the terminal's replies to the program, by `replyRules`; the caller may drop them. */
  feed(chunk: Uint8Array): Uint8Array {
    const clamped = this.clamp.feed(chunk);
    if (clamped.length === 0) return noBytes;
    const startMs = this.clock?.() ?? 0;
    this.emulator.write(clamped);
    this.#drawnMs += (this.clock?.() ?? 0) - startMs;
    return this.#takeReplies();
  }

  /** Sizes out of range are moved to the nearest possible one. */
  resize(columns: number, rows: number): void {
    const size = { columns: between(columns, 2, columnsMax), rows: between(rows, 1, rowsMax) };
    // The cursor may move away from the last printed cell: ST, which has no effect, keeps the next code point from joining there.
    this.emulator.write("\u001B\\");
    this.emulator.resize(size.columns, size.rows);
    this.clamp.resize(size.columns, size.rows);
  }

  /** Bytes are missing here: incomplete sequences are dropped, and the screen is reset. */
  gap(): void {
    this.clamp.reset();
    this.emulator.write("\u001Bc");
    this.#takeReplies();
  }

  /** Bytes are missing here, but the screen stays. */
  skip(): void {
    this.clamp.reset();
  }

  /** `offset`: of the next output byte. */
  snapshot(offset: number): ScreenSnapshot {
    return {
      version: 1,
      offset,
      columns: this.columns,
      rows: this.rows,
      title: this.title,
      cursor: this.cursor,
      modes: this.modes,
      isAlternate: this.isAlternate,
      scrollbackLines: this.scrollbackLines,
      ansi: this.emulator.serialize(this.programModes.sequences()),
      pending: [...this.clamp.pending],
    };
  }

  /**
   * Plain text of the visible screen, or with `scrollback` of all kept lines of the normal screen. Wrapped rows are joined, blanks at the
   * end of lines and empty lines at the end are dropped, lines are separated by `\n`.
   */
  text(options: { readonly scrollback?: boolean } = {}): string {
    const emulator = this.emulator;
    const isWhole = options.scrollback === true && !emulator.isAlternate;
    const count = isWhole ? emulator.scrollbackLines + this.rows : this.rows;
    const rows = Array.from({ length: count }, (_, index) =>
      isWhole ? emulator.normalRow(index) : emulator.row(index),
    );
    return plainText(
      rows.filter((row) => row !== undefined),
      this.columns,
    );
  }

  /** Frees the emulator's memory; do not use the screen afterwards. */
  dispose(): void {
    this.emulator.dispose();
  }

  #takeReplies(): Uint8Array {
    const replies = this.#fixedReplies;
    replies.push(...this.emulator.takeReplies());
    if (replies.length === 0) return noBytes;
    this.#fixedReplies = [];
    let length = 0;
    const kept = replies.filter((reply) => (length += reply.length) <= this.#replyBytesMax);
    this.#repliesDropped += replies.length - kept.length;
    return encoder.encode(kept.join(""));
  }

  /** One handler for each kind of question in the table. */
  #answerQuestions(): void {
    const handled = new Set<string>();
    for (const { question } of replyRules) {
      const key = question.kind === "osc" ? `osc ${question.command}` : identityOf(question);
      if (handled.has(key)) continue;
      handled.add(key);
      this.#listen(question);
    }
  }

  #listen(question: TerminalQuestion): void {
    switch (question.kind) {
      case "csi":
        this.emulator.onCsi(question, (parameters) => this.#answer({ ...question, first: firstOf(parameters) }));
        return;
      case "dcs":
        this.emulator.onDcs(question, () => this.#answer(question));
        return;
      case "osc":
        this.emulator.onOsc(question.command, (data) => this.#answer({ ...question, data }));
    }
  }

  /** Returns true to keep the question from the emulator. */
  #answer(question: TerminalQuestion): boolean {
    const answer = ruleFor(question)?.answer;
    if (answer === undefined || answer.by === "emulator") return false;
    if (answer.by === "fixed") this.#fixedReplies.push(...this.emulator.takeReplies(), answer.reply);
    return true;
  }
}

const between = (value: number, low: number, high: number): number => Math.min(Math.max(Math.floor(value), low), high);

const firstOf = (parameters: Parameters): number => {
  const first = parameters[0];
  return typeof first === "number" ? first : 0;
};

function identityOf(question: Exclude<TerminalQuestion, { kind: "osc" }>): string {
  const prefix = question.kind === "csi" ? (question.prefix ?? "") : "";
  return `${question.kind} ${prefix}${question.intermediates ?? ""}${question.final}`;
}

const BLANK = 0x20;

/**
 * Joins rows that continue the one above; drops blanks at the end of lines and empty lines at the end.
 * A wide character that did not fit leaves a blank in the last column, which is not text.
 */
export function plainText(rows: readonly EmulatorRow[], columns: number): string {
  const lines: string[] = [];
  let line = "";
  for (const [index, row] of rows.entries()) {
    const next = rows[index + 1];
    if (next?.isWrapped === true) {
      line += textOf(row, leavesBlank(row, next, columns) ? columns - 1 : columns);
    } else {
      lines.push((line + textOf(row, printedColumns(row, columns))).trimEnd());
      line = "";
    }
  }
  return lines.join("\n").trimEnd();
}

/** The columns up to the last cell in which something was printed. */
function printedColumns({ cells }: EmulatorRow, columns: number): number {
  let end = columns;
  while (end > 0 && ((cells[(end - 1) * CELL_NUMBERS] ?? 0) & (IS_COMBINED | CODE_POINT_MASK)) === 0) end -= 1;
  return end;
}

/** Reads the packed cells itself: two calls for each cell took three times as long. */
function textOf(row: EmulatorRow, columns: number): string {
  const { cells } = row;
  let text = "";
  for (let column = 0; column < columns; column += 1) {
    const content = cells[column * CELL_NUMBERS] ?? 0;
    if ((content & IS_COMBINED) === 0) text += String.fromCodePoint(content & CODE_POINT_MASK || BLANK);
    else text += row.combinedAt(column);
    if (content >>> WIDTH_SHIFT === 2) column += 1;
  }
  return text;
}

const leavesBlank = (row: EmulatorRow, next: EmulatorRow, columns: number): boolean =>
  charactersAt(row, columns - 1) === "" && widthAt(row, columns - 1) === 1 && widthAt(next, 0) === 2;
