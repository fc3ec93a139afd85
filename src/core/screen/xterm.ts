/**
 * The only file that uses the emulator package, including internal fields. The version is pinned, and `xterm.test.ts` fails if a field is
 * missing. Internal fields are needed for state that the public interface does not show and a snapshot would lose: margins, tab stops,
 * saved cursors, underline colours, character sets, the mouse encoding.
 */
// Must come before the addon.
import { restorePool } from "./unpooled.ts";
import { UnicodeGraphemesAddon } from "@xterm/addon-unicode-graphemes";
import headless from "@xterm/headless";

restorePool();

/** Attributes in the emulator's packed form; the constants are in `attributes.ts`. */
export interface Attributes {
  readonly fg: number;
  readonly bg: number;
  readonly extended: { readonly ext: number };
}

export interface Cell extends Attributes {
  getChars(): string;
  getWidth(): number;
}

export interface Line {
  readonly isWrapped: boolean;
  readonly length: number;
  /** Three numbers a cell: content, foreground, background. Only to be read. */
  readonly _data: Uint32Array;
  /** Characters of cells that hold more than one code point. */
  readonly _combined: Readonly<Record<number, string | undefined>>;
  loadCell(column: number, cell: Cell): Cell;
  translateToString(trimRight: boolean): string;
  /** Appends a code point to the characters of a cell. */
  addCodepointToCell: (this: Line, column: number, codePoint: number, width: number) => void;
}

/** A table of replaced characters; undefined is ASCII. */
export type Charset = Readonly<Record<string, string | undefined>> | undefined;

export interface EmulatorBuffer {
  readonly x: number;
  readonly y: number;
  readonly ybase: number;
  readonly lines: {
    readonly length: number;
    get(index: number): Line | undefined;
    /** Calls back with the number of lines dropped at the start. */
    onTrim(listener: (lines: number) => void): unknown;
  };
  readonly scrollTop: number;
  readonly scrollBottom: number;
  readonly tabs: Readonly<Record<number, boolean | undefined>>;
  readonly savedX: number;
  readonly savedY: number;
  readonly savedCurAttrData: Attributes;
  readonly savedCharset: Charset;
}

/** Internal state of the emulator. */
export interface EmulatorCore {
  readonly buffers: {
    readonly normal: EmulatorBuffer;
    readonly alt: EmulatorBuffer;
    readonly active: EmulatorBuffer;
  };
  readonly coreService: {
    readonly isCursorHidden: boolean;
    readonly modes: { readonly insertMode: boolean };
    readonly decPrivateModes: {
      readonly applicationCursorKeys: boolean;
      readonly applicationKeypad: boolean;
      readonly bracketedPasteMode: boolean;
      readonly cursorBlink: boolean | undefined;
      readonly cursorStyle: "block" | "underline" | "bar" | undefined;
      readonly origin: boolean;
      readonly reverseWraparound: boolean;
      readonly sendFocus: boolean;
      readonly synchronizedOutput: boolean;
      readonly wraparound: boolean;
    };
  };
  readonly coreMouseService: { readonly activeProtocol: string; readonly activeEncoding: string };
  readonly options: { readonly convertEol: boolean; readonly cursorBlink: boolean };
  readonly _charsetService: {
    readonly charset: Charset;
    readonly glevel: number;
    readonly _charsets: readonly Charset[];
  };
  readonly _inputHandler: {
    readonly _curAttrData: Attributes;
    readonly _windowTitle: string;
    readonly _windowTitleStack: readonly string[];
    eraseInDisplay(parameters: { readonly params: readonly number[] }, respectProtection: boolean): boolean;
    readonly _parser: { readonly precedingJoinState: number; readonly currentState: number };
  };
}

export interface EmulatorOptions {
  readonly columns: number;
  readonly rows: number;
  readonly scrollbackLinesMax: number;
}

/** Sub-parameters are arrays after their parameter. */
export type Parameters = readonly (number | readonly number[])[];

type Handler = (parameters: Parameters) => boolean;

/**
 * UTF-16 units in one cell: a kiss of two people with skin tones takes 16. Without a limit a cell takes millions of accents, which each
 * answer about the screen would hold.
 */
const CELL_UNITS_MAX = 64;

/** Lines whose cells are limited: the prototype of the package's own class, once. */
const limited = new WeakSet<object>();

function limitCells(line: Line): void {
  const prototype = Object.getPrototypeOf(line) as Line;
  if (limited.has(prototype)) return;
  limited.add(prototype);
  const add = prototype.addCodepointToCell;
  prototype.addCodepointToCell = function addLimited(this: Line, column, codePoint, width) {
    if ((this._combined[column]?.length ?? 0) < CELL_UNITS_MAX) add.call(this, column, codePoint, width);
  };
}

/** A terminal emulator that processes input synchronously: no timers, no rendering. */
export class Emulator {
  readonly #terminal: InstanceType<typeof headless.Terminal>;
  readonly core: EmulatorCore;
  #replies: string[] = [];

  constructor(options: EmulatorOptions) {
    this.#terminal = new headless.Terminal({
      cols: options.columns,
      rows: options.rows,
      scrollback: options.scrollbackLinesMax,
      allowProposedApi: true,
      logLevel: "off",
      windowOptions: { pushTitle: true, popTitle: true },
    });
    this.#terminal.loadAddon(new UnicodeGraphemesAddon());
    this.#terminal.onData((data) => {
      if (data !== "") this.#replies.push(data);
    });
    // The one cast to the internals; `xterm.test.ts` checks each field that `EmulatorCore` names.
    this.core = (this.#terminal as unknown as { readonly _core: EmulatorCore })._core;
    const line = this.core.buffers.active.lines.get(0);
    if (line !== undefined) limitCells(line);
    this.onCsi({ final: "J" }, (parameters) => this.#eraseAbove(parameters, false));
    this.onCsi({ prefix: "?", final: "J" }, (parameters) => this.#eraseAbove(parameters, true));
  }

  get columns(): number {
    return this.#terminal.cols;
  }

  get rows(): number {
    return this.#terminal.rows;
  }

  /**
   * Parses all of `data` before it returns. `write` alone waits for a timer, which costs 1 ms for each call; a write after user input is
   * parsed at once, so empty input is sent first.
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

  /** A cell to read into. */
  newCell(): Cell {
    return this.#terminal.buffer.active.getNullCell() as unknown as Cell; // the public type hides the packed attributes
  }

  /** The replies of the emulator since the last call. */
  takeReplies(): string[] {
    const replies = this.#replies;
    if (replies.length > 0) this.#replies = [];
    return replies;
  }

  /** `handler` returns true to keep the sequence from the emulator. `prefix` is one of `<=>?`. */
  onCsi(
    id: { readonly prefix?: string; readonly intermediates?: string; readonly final: string },
    handler: Handler,
  ): void {
    this.#terminal.parser.registerCsiHandler(id, handler);
  }

  /** `handler` gets the text after `code;`. */
  onOsc(code: number, handler: (data: string) => boolean): void {
    this.#terminal.parser.registerOscHandler(code, handler);
  }

  onDcs(id: { readonly intermediates?: string; readonly final: string }, handler: (data: string) => boolean): void {
    this.#terminal.parser.registerDcsHandler(id, handler);
  }

  /** RIS, `ESC c`: everything is reset. */
  onReset(handler: () => void): void {
    this.#terminal.parser.registerEscHandler({ final: "c" }, () => {
      handler();
      return false;
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

  dispose(): void {
    this.#terminal.dispose();
  }
}
