/**
 * The screen of a session: bytes in, a grid of cells, modes and replies out. One emulator, the clamp in front of it and the list of
 * answered questions behind it.
 *
 * Laws: the same bytes give the same screen at any chunking; `Screen.restore(screen.snapshot(offset))` equals the screen and stays
 * equal whatever follows. What a snapshot cannot carry is in docs/decisions/screen.md.
 */
import { Clamp } from "./clamp.ts";
import { ProgramModes } from "./program-modes.ts";
import { replyRules, ruleFor, type TerminalQuestion } from "./replies.ts";
import { serializeEmulator } from "./serialize.ts";
import type { CursorState, ScreenModes, ScreenSnapshot } from "./snapshot.ts";
import { plainText } from "./plain-text.ts";
import { ScreenLines, type ScreenLine } from "./screen-lines.ts";
import { stateOf, type ScreenState } from "./state.ts";
import { styledCells, type StyledCell } from "./styled-cells.ts";
import { Emulator, type EmulatorBuffer, type EmulatorCore, type Parameters } from "./xterm.ts";

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

/** Above, a resize to an absurd size would cost seconds and hundreds of megabytes. */
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
  readonly #emulator: Emulator;
  readonly #clamp: Clamp;
  readonly #modes: ProgramModes;
  readonly #replyBytesMax: number;
  /** Answers that are not the emulator's, in order with the emulator's. */
  #fixedReplies: string[] = [];
  #repliesDropped = 0;
  readonly #lines: ScreenLines;
  /** Lines of the normal screen that are in no buffer any more: trimmed, or gone with a reset. */
  #linesDropped = 0;
  #countedBuffer: EmulatorBuffer | undefined;

  constructor(options: ScreenOptions) {
    const columns = between(options.columns, 2, columnsMax);
    const rows = between(options.rows, 1, rowsMax);
    this.#emulator = new Emulator({ columns, rows, scrollbackLinesMax: options.scrollbackLinesMax ?? 1000 });
    this.#clamp = new Clamp({ columns, rows, sequenceBytesMax: options.sequenceBytesMax ?? 8192 });
    this.#modes = new ProgramModes(this.#emulator);
    this.#replyBytesMax = options.replyBytesMax ?? 4096;
    this.#lines = new ScreenLines(this.#emulator.newCell());
    this.#countLines();
    // The emulator makes new buffers after it.
    this.#emulator.onReset(() => {
      this.#linesDropped += this.#emulator.core.buffers.normal.lines.length;
    });
    this.#answerQuestions();
  }

  /** A screen that equals the one that the snapshot was taken of. `topLine` is that of the other, so that lines are counted on. */
  static restore(
    snapshot: ScreenSnapshot,
    { topLine, ...options }: Omit<ScreenOptions, "columns" | "rows"> & { readonly topLine?: number } = {},
  ): Screen {
    const screen = new Screen({ ...options, columns: snapshot.columns, rows: snapshot.rows });
    screen.#emulator.write(snapshot.ansi);
    if (topLine !== undefined) screen.#linesDropped += topLine - screen.topLine;
    screen.feed(Uint8Array.from(snapshot.pending));
    return screen;
  }

  get columns(): number {
    return this.#emulator.columns;
  }

  get rows(): number {
    return this.#emulator.rows;
  }

  /** Without control characters, cut to 1024 characters. */
  get title(): string {
    return this.#emulator.core._inputHandler._windowTitle
      .replaceAll(/[\u0000-\u001F\u007F-\u009F]/g, "")
      .slice(0, titleCharsMax);
  }

  get isAlternate(): boolean {
    const { buffers } = this.#emulator.core;
    return buffers.active === buffers.alt;
  }

  get cursor(): CursorState {
    const { buffers, coreService } = this.#emulator.core;
    return {
      column: buffers.active.x,
      row: buffers.active.y,
      isVisible: !coreService.isCursorHidden,
      shape: coreService.decPrivateModes.cursorStyle ?? null,
    };
  }

  get modes(): ScreenModes {
    return modesOf(this.#emulator.core, this.#modes);
  }

  /** Lines above the screen. */
  get scrollbackLines(): number {
    return this.#emulator.core.buffers.normal.ybase;
  }

  /** Number of the line in the first row of the normal screen, counted from 0 since the beginning: so many have left its top. */
  get topLine(): number {
    this.#countLines();
    return this.#linesDropped + this.scrollbackLines;
  }

  /** A row of what is shown, 0 is the top. */
  row(index: number): ScreenLine {
    const { active } = this.#emulator.core.buffers;
    const row = active.lines.get(active.ybase + index);
    return row === undefined ? emptyLine : this.#lines.read(row, this.columns);
  }

  /** All cells of a row of what is shown, 0 is the top; made anew with each call. */
  cells(index: number): StyledCell[] {
    const { active } = this.#emulator.core.buffers;
    const row = active.lines.get(active.ybase + index);
    const reading = { columns: this.columns, cell: this.#emulator.newCell(), nextCell: this.#emulator.newCell() };
    return row === undefined ? [] : styledCells(row, reading);
  }

  /** A line that has left the top of the normal screen, by its number; undefined where it is no longer kept. */
  scrolledLine(number: number): ScreenLine | undefined {
    this.#countLines();
    const row =
      number < this.#linesDropped
        ? undefined
        : this.#emulator.core.buffers.normal.lines.get(number - this.#linesDropped);
    return row === undefined ? undefined : this.#lines.read(row, this.columns);
  }

  /** Bytes that the clamp kept from the emulator. */
  get bytesDropped(): number {
    return this.#clamp.bytesDropped;
  }

  /** Replies above `replyBytesMax`. */
  get repliesDropped(): number {
    return this.#repliesDropped;
  }

  /** Returns what the terminal would write back to the program, by `replyRules`; the caller may throw it away. */
  feed(chunk: Uint8Array): Uint8Array {
    const clamped = this.#clamp.feed(chunk);
    if (clamped.length === 0) return noBytes;
    this.#emulator.write(clamped);
    return this.#takeReplies();
  }

  /** Moves the size to the nearest possible one. */
  resize(columns: number, rows: number): void {
    const size = { columns: between(columns, 2, columnsMax), rows: between(rows, 1, rowsMax) };
    // The cursor may move away from what was printed last: ST, which ends nothing, keeps the next code point from joining there.
    this.#emulator.write("\u001B\\");
    this.#emulator.resize(size.columns, size.rows);
    this.#clamp.resize(size.columns, size.rows);
  }

  /** Bytes are missing here: nothing that was begun is continued, and the screen starts anew. */
  gap(): void {
    this.#clamp.reset();
    this.#emulator.write("\u001Bc");
    this.#takeReplies();
  }

  /** Bytes are missing here, but what is shown stays. */
  skip(): void {
    this.#clamp.reset();
  }

  /** `offset` is where the bytes go on. */
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
      ansi: serializeEmulator(this.#emulator.core, {
        columns: this.columns,
        rows: this.rows,
        newCell: () => this.#emulator.newCell(),
        extraModes: this.#modes.sequences(),
      }),
      pending: [...this.#clamp.pending],
    };
  }

  /**
   * Plain text of what is shown, with `scrollback` of everything that is kept of the normal screen. Rows that the terminal wrapped are
   * joined, blanks at the end of lines and empty lines at the end are left out, lines are separated by `\n`.
   */
  text(options: { readonly scrollback?: boolean } = {}): string {
    const { buffers } = this.#emulator.core;
    const from = options.scrollback === true ? 0 : buffers.active.ybase;
    return plainText(buffers.active, { from, columns: this.columns, newCell: () => this.#emulator.newCell() });
  }

  /** Equal for two screens that look the same and go on the same; for tests and checks, slow. */
  state(): ScreenState {
    const { columns, rows } = this;
    return {
      ...stateOf(this.#emulator.core, { columns, rows, newCell: () => this.#emulator.newCell() }),
      ...this.#modes.sequences(),
      pending: new TextDecoder("latin1").decode(this.#clamp.pending),
    };
  }

  /** Frees the emulator's memory; the screen must not be used after it. */
  dispose(): void {
    this.#emulator.dispose();
  }

  /** A reset makes new buffers, which count anew. */
  #countLines(): void {
    const { normal } = this.#emulator.core.buffers;
    if (normal === this.#countedBuffer) return;
    this.#countedBuffer = normal;
    normal.lines.onTrim((lines) => {
      this.#linesDropped += lines;
    });
  }

  #takeReplies(): Uint8Array {
    const replies = this.#fixedReplies;
    replies.push(...this.#emulator.takeReplies());
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
        this.#emulator.onCsi(question, (parameters) => this.#answer({ ...question, first: firstOf(parameters) }));
        return;
      case "dcs":
        this.#emulator.onDcs(question, () => this.#answer(question));
        return;
      case "osc":
        this.#emulator.onOsc(question.command, (data) => this.#answer({ ...question, data }));
    }
  }

  /** Returns true to keep the question from the emulator. */
  #answer(question: TerminalQuestion): boolean {
    const answer = ruleFor(question)?.answer;
    if (answer === undefined || answer.by === "emulator") return false;
    if (answer.by === "fixed") {
      this.#fixedReplies.push(...this.#emulator.takeReplies(), answer.reply);
    }
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

const mouseNames: Readonly<Record<string, ScreenModes["mouse"]>> = {
  X10: "x10",
  VT200: "vt200",
  DRAG: "drag",
  ANY: "any",
};
const encodingNames: Readonly<Record<string, ScreenModes["mouseEncoding"]>> = { SGR: "sgr", SGR_PIXELS: "sgr-pixels" };

function modesOf(core: EmulatorCore, programModes: ProgramModes): ScreenModes {
  const modes = core.coreService.decPrivateModes;
  return {
    applicationCursorKeys: modes.applicationCursorKeys,
    applicationKeypad: modes.applicationKeypad,
    bracketedPaste: modes.bracketedPasteMode,
    focusEvents: modes.sendFocus,
    insert: core.coreService.modes.insertMode,
    mouse: mouseNames[core.coreMouseService.activeProtocol] ?? "none",
    mouseEncoding: encodingNames[core.coreMouseService.activeEncoding] ?? "default",
    origin: modes.origin,
    reverseWraparound: modes.reverseWraparound,
    synchronizedOutput: modes.synchronizedOutput,
    wraparound: modes.wraparound,
    kittyKeyboard: programModes.keyboardFlags,
    modifyOtherKeys: programModes.modifyOtherKeys,
    others: programModes.others,
  };
}
