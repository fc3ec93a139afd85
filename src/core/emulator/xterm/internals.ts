/**
 * Internal fields of @xterm/headless. The version is pinned, and `internals.test.ts` fails if a field is missing. They are needed for state
 * that the public interface does not show and a snapshot would lose: margins, tab stops, saved cursors, underline colours, character sets,
 * the mouse encoding.
 */
import type { EmulatorRow } from "../emulator.ts";

/** Attributes in packed form; the constants are in `cells.ts`. */
export interface Attributes {
  readonly fg: number;
  readonly bg: number;
  readonly extended: { readonly ext: number };
}

export interface XtermCell extends Attributes {
  getChars(): string;
  getWidth(): number;
}

export interface XtermLine {
  readonly isWrapped: boolean;
  readonly length: number;
  /** Three numbers a cell: content, foreground, background. Only to be read. */
  readonly _data: Uint32Array;
  /** Characters of cells that hold more than one code point. */
  readonly _combined: Readonly<Record<number, string | undefined>>;
  loadCell(column: number, cell: XtermCell): XtermCell;
  /** 0 for an erased cell. */
  hasContent(column: number): number;
  /** Appends a code point to the characters of a cell. */
  addCodepointToCell: (this: XtermLine, column: number, codePoint: number, width: number) => void;
}

/** A table of replaced characters; undefined is ASCII. */
export type Charset = Readonly<Record<string, string | undefined>> | undefined;

export interface XtermBuffer {
  readonly x: number;
  readonly y: number;
  readonly ybase: number;
  readonly lines: {
    readonly length: number;
    get(index: number): XtermLine | undefined;
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
export interface XtermCore {
  readonly buffers: {
    readonly normal: XtermBuffer;
    readonly alt: XtermBuffer;
    readonly active: XtermBuffer;
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
    print: (data: Uint32Array, start: number, end: number) => void;
    eraseInDisplay(parameters: { readonly params: readonly number[] }, respectProtection: boolean): boolean;
    readonly _parser: { precedingJoinState: number; readonly currentState: number };
  };
}

/** A row of the emulator without a copy. */
export class XtermRow implements EmulatorRow {
  readonly key: XtermLine;

  constructor(line: XtermLine) {
    this.key = line;
  }

  get isWrapped(): boolean {
    return this.key.isWrapped;
  }

  get cells(): Uint32Array {
    return this.key._data;
  }

  combinedAt(column: number): string {
    return this.key._combined[column] ?? "";
  }
}
