/**
 * The emulator of xterm.js. This folder is the only one that uses the packages, including internal fields.
 */
import headless from "@xterm/headless";
import type {
  CursorState,
  Emulator,
  EmulatorModes,
  EmulatorOptions,
  EmulatorRow,
  ExtraModes,
  Parameters,
  SequenceId,
} from "../emulator.ts";
import { XtermRow, type XtermBuffer, type XtermCell, type XtermCore, type XtermLine } from "./internals.ts";
import { serializeXterm } from "./serialize.ts";
import { setWidths } from "./widths.ts";

/**
 * UTF-16 units in one cell: a kiss of two people with skin tones takes 16. Without a limit a cell takes millions of accents, which each
 * answer about the screen would hold. An erased cell takes none, because it has no character to draw them on.
 */
const CELL_UNITS_MAX = 64;

/** Lines whose cells are limited: the prototype of the package's own class, once. */
const limited = new WeakSet<object>();

function limitCells(line: XtermLine): void {
  const prototype = Object.getPrototypeOf(line) as XtermLine;
  if (limited.has(prototype)) return;
  limited.add(prototype);
  const add = prototype.addCodepointToCell;
  prototype.addCodepointToCell = function addLimited(this: XtermLine, column, codePoint, width) {
    if (this.hasContent(column) !== 0 && (this._combined[column]?.length ?? 0) < CELL_UNITS_MAX)
      add.call(this, column, codePoint, width);
  };
}

const mouseNames: Readonly<Record<string, EmulatorModes["mouse"]>> = {
  X10: "x10",
  VT200: "vt200",
  DRAG: "drag",
  ANY: "any",
};
const encodingNames: Readonly<Record<string, EmulatorModes["mouseEncoding"]>> = {
  SGR: "sgr",
  SGR_PIXELS: "sgr-pixels",
};

/** `MakeEmulator` of xterm.js. */
export const makeXterm = (options: EmulatorOptions): Emulator => new XtermEmulator(options);

export class XtermEmulator implements Emulator {
  readonly #terminal: InstanceType<typeof headless.Terminal>;
  readonly core: XtermCore;
  #replies: string[] = [];
  #linesDropped = 0;
  #countedBuffer: XtermBuffer | undefined;

  constructor(options: EmulatorOptions) {
    this.#terminal = new headless.Terminal({
      cols: options.columns,
      rows: options.rows,
      scrollback: options.scrollbackLinesMax,
      allowProposedApi: true,
      logLevel: "off",
      windowOptions: { pushTitle: true, popTitle: true },
    });
    setWidths(this.#terminal);
    this.#terminal.onData((data) => {
      if (data !== "") this.#replies.push(data);
    });
    // The one cast to the internals; `internals.test.ts` checks each field that `XtermCore` names.
    this.core = (this.#terminal as unknown as { readonly _core: XtermCore })._core;
    const line = this.core.buffers.active.lines.get(0);
    if (line !== undefined) limitCells(line);
    this.onCsi({ final: "J" }, (parameters) => this.#eraseAbove(parameters, false));
    this.onCsi({ prefix: "?", final: "J" }, (parameters) => this.#eraseAbove(parameters, true));
    this.#countLines();
    // After it there are new buffers, which count from 0.
    this.onReset(() => {
      this.#linesDropped += this.core.buffers.normal.lines.length;
    });
  }

  get columns(): number {
    return this.#terminal.cols;
  }

  get rows(): number {
    return this.#terminal.rows;
  }

  get isAlternate(): boolean {
    const { buffers } = this.core;
    return buffers.active === buffers.alt;
  }

  get cursor(): CursorState {
    const { buffers, coreService } = this.core;
    return {
      column: buffers.active.x,
      row: buffers.active.y,
      isVisible: !coreService.isCursorHidden,
      shape: coreService.decPrivateModes.cursorStyle ?? null,
    };
  }

  get modes(): EmulatorModes {
    const { coreMouseService, coreService } = this.core;
    const modes = coreService.decPrivateModes;
    return {
      applicationCursorKeys: modes.applicationCursorKeys,
      applicationKeypad: modes.applicationKeypad,
      bracketedPaste: modes.bracketedPasteMode,
      focusEvents: modes.sendFocus,
      insert: coreService.modes.insertMode,
      mouse: mouseNames[coreMouseService.activeProtocol] ?? "none",
      mouseEncoding: encodingNames[coreMouseService.activeEncoding] ?? "default",
      origin: modes.origin,
      reverseWraparound: modes.reverseWraparound,
      synchronizedOutput: modes.synchronizedOutput,
      wraparound: modes.wraparound,
    };
  }

  get title(): string {
    return this.core._inputHandler._windowTitle;
  }

  get scrollbackLines(): number {
    return this.core.buffers.normal.ybase;
  }

  get linesDropped(): number {
    this.#countLines();
    return this.#linesDropped;
  }

  /**
   * `write` of the package alone waits for a timer, which costs 1 ms for each call; a write after user input is parsed at once, so empty
   * input is sent first.
   */
  write(data: Uint8Array | string): void {
    if (data.length === 0) return;
    let parsed = false;
    this.#terminal.input("", true);
    this.#terminal.write(data, () => {
      parsed = true;
    });
    if (!parsed) throw new Error("The emulator did not parse at once: check the pinned version of @xterm/headless");
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
  }

  row(index: number): EmulatorRow | undefined {
    const { active } = this.core.buffers;
    return rowOf(active.lines.get(active.ybase + index));
  }

  normalRow(index: number): EmulatorRow | undefined {
    return rowOf(this.core.buffers.normal.lines.get(index));
  }

  takeReplies(): string[] {
    const replies = this.#replies;
    if (replies.length > 0) this.#replies = [];
    return replies;
  }

  onCsi(id: SequenceId, handler: (parameters: Parameters) => boolean): void {
    this.#terminal.parser.registerCsiHandler(id, handler);
  }

  onOsc(code: number, handler: (data: string) => boolean): void {
    this.#terminal.parser.registerOscHandler(code, handler);
  }

  onDcs(id: SequenceId, handler: (data: string) => boolean): void {
    this.#terminal.parser.registerDcsHandler(id, handler);
  }

  onReset(handler: () => void): void {
    this.#terminal.parser.registerEscHandler({ final: "c" }, () => {
      handler();
      return false;
    });
  }

  serialize(extraModes: ExtraModes): string {
    const { columns, rows } = this;
    return serializeXterm(this.core, { columns, rows, newCell: () => this.newCell(), extraModes });
  }

  dispose(): void {
    this.#terminal.dispose();
  }

  newCell(): XtermCell {
    return this.#terminal.buffer.active.getNullCell() as unknown as XtermCell; // the public type hides the packed attributes
  }

  /** A reset creates new buffers. */
  #countLines(): void {
    const { normal } = this.core.buffers;
    if (normal === this.#countedBuffer) return;
    this.#countedBuffer = normal;
    normal.lines.onTrim((lines) => {
      this.#linesDropped += lines;
    });
  }

  /**
   * In version 6.0.0 erasing up to the end of the last row throws if no row follows it (it unmarks the next row as wrapped). Then the whole
   * screen is erased instead, which is the same.
   */
  #eraseAbove(parameters: Parameters, respectProtection: boolean): boolean {
    const { active } = this.core.buffers;
    const isFaulty =
      parameters[0] === 1 && active.x + 1 >= this.columns && active.lines.get(active.y + 1) === undefined;
    return isFaulty && this.core._inputHandler.eraseInDisplay({ params: [2] }, respectProtection);
  }
}

const rowOf = (line: XtermLine | undefined): XtermRow | undefined =>
  line === undefined ? undefined : new XtermRow(line);
