/**
 * libghostty-vt as an `Emulator`, by its C interface and `node:ffi`: as much of the interface as the package `libghostty-vt` 0.6.3 (ghostty
 * e88c6c09) allows. It measures and does not run in the product: each cell costs several calls, colours are left out, and handlers of
 * sequences are not called, because the library has none. Layouts and numbers are those of the package's `internal/generated.ts`.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type * as ffiModule from "node:ffi";
import { IS_COMBINED, WIDTH_SHIFT } from "../../src/core/emulator/cells.ts";
import type {
  CursorState,
  Emulator,
  EmulatorModes,
  EmulatorOptions,
  EmulatorRow,
  MakeEmulator,
} from "../../src/core/emulator/emulator.ts";

const signatures = {
  ghostty_terminal_free: { arguments: ["pointer"], return: "void" },
  ghostty_terminal_vt_write: { arguments: ["pointer", "pointer", "uint64"], return: "void" },
  ghostty_terminal_resize: { arguments: ["pointer", "uint16", "uint16", "uint32", "uint32"], return: "int32" },
  ghostty_terminal_mode_get: { arguments: ["pointer", "uint16", "pointer"], return: "int32" },
  ghostty_terminal_get: { arguments: ["pointer", "int32", "pointer"], return: "int32" },
  ghostty_terminal_set: { arguments: ["pointer", "int32", "pointer"], return: "int32" },
  ghostty_grid_ref_cell: { arguments: ["pointer", "pointer"], return: "int32" },
  ghostty_grid_ref_row: { arguments: ["pointer", "pointer"], return: "int32" },
  ghostty_grid_ref_graphemes: { arguments: ["pointer", "pointer", "uint64", "pointer"], return: "int32" },
  ghostty_cell_get: { arguments: ["uint64", "int32", "pointer"], return: "int32" },
  ghostty_row_get: { arguments: ["uint64", "int32", "pointer"], return: "int32" },
  ghostty_formatter_free: { arguments: ["pointer"], return: "void" },
  ghostty_formatter_format_alloc: { arguments: ["pointer", "pointer", "pointer", "pointer"], return: "int32" },
  ghostty_free: { arguments: ["pointer", "pointer", "uint64"], return: "void" },
} as const;

/** The functions that take structures by value, with pointers instead: a library of the package. */
const shimSignatures = {
  ghostty_terminal_new_p: { arguments: ["pointer", "pointer", "pointer"], return: "int32" },
  ghostty_terminal_grid_ref_p: { arguments: ["pointer", "pointer", "pointer"], return: "int32" },
  ghostty_formatter_terminal_new_p: { arguments: ["pointer", "pointer", "pointer", "pointer"], return: "int32" },
} as const;

type Functions = ReturnType<typeof open>["functions"];

const DATA = { cursorX: 3, cursorY: 4, pendingWrap: 5, screen: 6, cursorVisible: 7, title: 12, scrollbackRows: 15 };
const OPT_WRITE_PTY = 1;
const POINT = { active: 0, screen: 2 };
const CELL = { codePoint: 1, wide: 3 };
const ROW_CONTINUES = 2;
/** A number of an ANSI mode has this bit. */
const ANSI = 0x8000;
const GRAPHEME_CODE_POINTS_MAX = 64;
const NULL = 0n;

const ffi = process.getBuiltinModule("node:ffi") as typeof ffiModule | undefined;

function open(ghostty: typeof ffiModule, directory: string) {
  const { lib, functions } = ghostty.dlopen(join(directory, "libghostty-vt.so"), signatures);
  const shim = ghostty.dlopen(join(directory, "libghostty-vt-shim.so"), shimSignatures);
  return { lib, functions: { ...functions, ...shim.functions }, ghostty };
}

/** A maker, by the folder in which the package `libghostty-vt` is installed; a text says what is missing. */
export function makeGhosttyIn(folder: string): MakeEmulator | string {
  if (ffi === undefined) return "needs node:ffi (Node 26)";
  const directory = join(folder, "node_modules/libghostty-vt/prebuilds", `linux-${process.arch}-glibc`);
  if (!existsSync(directory)) return `needs libghostty-vt@0.6.3 in "${folder}", on Linux with glibc`;
  const library = open(ffi, directory);
  return (options) => new GhosttyEmulator(library, options);
}

class GhosttyEmulator implements Emulator {
  columns: number;
  rows: number;
  readonly #ghostty: typeof ffiModule;
  readonly #functions: Functions;
  readonly #handle: bigint;
  readonly #out = Buffer.alloc(16);
  readonly #point = Buffer.alloc(24);
  readonly #ref = Buffer.alloc(24);
  readonly #graphemes = Buffer.alloc(4 * GRAPHEME_CODE_POINTS_MAX);
  #replies: string[] = [];

  constructor({ ghostty, functions, lib }: ReturnType<typeof open>, options: EmulatorOptions) {
    this.#ghostty = ghostty;
    this.#functions = functions;
    this.columns = options.columns;
    this.rows = options.rows;
    const given = Buffer.alloc(16);
    given.writeUInt16LE(options.columns, 0);
    given.writeUInt16LE(options.rows, 2);
    given.writeBigUInt64LE(BigInt(options.scrollbackLinesMax), 8);
    this.#check(functions.ghostty_terminal_new_p(NULL, this.#at(this.#out), this.#at(given)));
    this.#handle = this.#out.readBigUInt64LE(0);
    const onReply = lib.registerCallback(
      { arguments: ["pointer", "pointer", "pointer", "uint64"], return: "void" },
      (_terminal, _data, bytes, length) => {
        if (typeof bytes === "bigint")
          this.#replies.push(ghostty.toBuffer(bytes, Number(length), true).toString("latin1"));
      },
    );
    functions.ghostty_terminal_set(this.#handle, OPT_WRITE_PTY, onReply);
    this.write("\u001B[?2027h");
  }

  get isAlternate(): boolean {
    return this.#get(DATA.screen).readInt32LE(0) === 1;
  }

  get cursor(): CursorState {
    const isWaiting = this.#get(DATA.pendingWrap).readUInt8(0) !== 0;
    return {
      column: this.#get(DATA.cursorX).readUInt16LE(0) + (isWaiting ? 1 : 0),
      row: this.#get(DATA.cursorY).readUInt16LE(0),
      isVisible: this.#get(DATA.cursorVisible).readUInt8(0) !== 0,
      shape: null,
    };
  }

  get modes(): EmulatorModes {
    const mouse = (
      [
        [1003, "any"],
        [1002, "drag"],
        [1000, "vt200"],
        [9, "x10"],
      ] as const
    ).find(([mode]) => this.#isSet(mode));
    return {
      applicationCursorKeys: this.#isSet(1),
      applicationKeypad: this.#isSet(66),
      bracketedPaste: this.#isSet(2004),
      focusEvents: this.#isSet(1004),
      insert: this.#isSet(ANSI | 4),
      mouse: mouse?.[1] ?? "none",
      mouseEncoding: this.#isSet(1016) ? "sgr-pixels" : this.#isSet(1006) ? "sgr" : "default",
      origin: this.#isSet(6),
      reverseWraparound: this.#isSet(45),
      synchronizedOutput: this.#isSet(2026),
      wraparound: this.#isSet(7),
    };
  }

  get title(): string {
    const text = this.#get(DATA.title);
    const length = Number(text.readBigUInt64LE(8));
    return length === 0 ? "" : this.#ghostty.toBuffer(text.readBigUInt64LE(0), length, true).toString("utf8");
  }

  get scrollbackLines(): number {
    return Number(this.#get(DATA.scrollbackRows).readBigUInt64LE(0));
  }

  get linesDropped(): number {
    return missing("a count of dropped lines");
  }

  write(data: Uint8Array | string): void {
    const bytes = typeof data === "string" ? Buffer.from(data) : Buffer.from(data.buffer, data.byteOffset, data.length);
    if (bytes.length > 0)
      this.#functions.ghostty_terminal_vt_write(this.#handle, this.#at(bytes), BigInt(bytes.length));
  }

  resize(columns: number, rows: number): void {
    this.#check(this.#functions.ghostty_terminal_resize(this.#handle, columns, rows, 0, 0));
    this.columns = columns;
    this.rows = rows;
  }

  row(index: number): EmulatorRow | undefined {
    return index < this.rows ? this.#row(POINT.active, index) : undefined;
  }

  /** Of the shown screen: the interface of the library has no way to the other one. */
  normalRow(index: number): EmulatorRow | undefined {
    return this.#row(POINT.screen, index);
  }

  takeReplies(): string[] {
    const replies = this.#replies;
    this.#replies = [];
    return replies;
  }

  onCsi(): void {}
  onOsc(): void {}
  onDcs(): void {}
  onReset(): void {}

  /** By the formatter, with all that it offers but tab stops, which it writes after the cursor and so moves it. */
  serialize(): string {
    const options = Buffer.alloc(56);
    options.writeBigUInt64LE(56n, 0);
    options.writeUInt32LE(1, 8);
    options.writeBigUInt64LE(32n, 16);
    options.fill(1, 25, 27);
    options.fill(1, 28, 30);
    options.writeBigUInt64LE(16n, 32);
    options.fill(1, 40, 46);
    const { ghostty_formatter_format_alloc: format, ghostty_formatter_terminal_new_p: create } = this.#functions;
    const pointers = Buffer.alloc(24);
    const at = this.#at(pointers);
    this.#check(create(NULL, at, this.#handle, this.#at(options)));
    const formatter = pointers.readBigUInt64LE(0);
    this.#check(format(formatter, NULL, at + 8n, at + 16n));
    const [text, length] = [pointers.readBigUInt64LE(8), pointers.readBigUInt64LE(16)];
    const serialized = length === 0n ? "" : this.#ghostty.toBuffer(text, Number(length), true).toString("utf8");
    if (length > 0n) this.#functions.ghostty_free(NULL, text, length);
    this.#functions.ghostty_formatter_free(formatter);
    return serialized;
  }

  dispose(): void {
    this.#functions.ghostty_terminal_free(this.#handle);
  }

  #row(tag: number, y: number): EmulatorRow | undefined {
    if (!this.#move(tag, 0, y)) return undefined;
    const { ghostty_cell_get: get, ghostty_grid_ref_cell: cellOf, ghostty_grid_ref_row: rowOf } = this.#functions;
    const [out, ref] = [this.#at(this.#out), this.#at(this.#ref)];
    rowOf(ref, out);
    this.#functions.ghostty_row_get(this.#out.readBigUInt64LE(0), ROW_CONTINUES, out);
    const isWrapped = this.#out.readUInt8(0) !== 0;
    const cells = new Uint32Array(3 * this.columns);
    const combined = new Map<number, string>();
    for (let column = 0; column < this.columns; column += 1) {
      if (!this.#move(tag, column, y)) return undefined;
      cellOf(ref, out);
      const cell = this.#out.readBigUInt64LE(0);
      get(cell, CELL.codePoint, out);
      const codePoint = this.#out.readUInt32LE(0);
      get(cell, CELL.wide, out);
      const width = [1, 2, 0, 1][this.#out.readInt32LE(0)] ?? 1;
      const text = codePoint === 0 ? "" : this.#graphemeAt(ref, out);
      const isCombined = text.length > String.fromCodePoint(codePoint).length;
      if (isCombined) combined.set(column, text);
      cells[3 * column] = (width << WIDTH_SHIFT) | (isCombined ? IS_COMBINED : codePoint);
    }
    return { key: cells, isWrapped, cells, combinedAt: (column) => combined.get(column) ?? "" };
  }

  #graphemeAt(ref: bigint, out: bigint): string {
    const { ghostty_grid_ref_graphemes: read } = this.#functions;
    this.#check(read(ref, this.#at(this.#graphemes), BigInt(GRAPHEME_CODE_POINTS_MAX), out));
    const count = Number(this.#out.readBigUInt64LE(0));
    return String.fromCodePoint(
      ...Array.from({ length: count }, (_, index) => this.#graphemes.readUInt32LE(4 * index)),
    );
  }

  /** Moves `#ref` to a cell; false if there is no such cell. */
  #move(tag: number, x: number, y: number): boolean {
    this.#point.writeInt32LE(tag, 0);
    this.#point.writeUInt16LE(x, 8);
    this.#point.writeUInt32LE(y, 12);
    this.#ref.fill(0);
    this.#ref.writeBigUInt64LE(24n, 0);
    const { ghostty_terminal_grid_ref_p: move } = this.#functions;
    return move(this.#handle, this.#at(this.#point), this.#at(this.#ref)) === 0;
  }

  #isSet(mode: number): boolean {
    this.#check(this.#functions.ghostty_terminal_mode_get(this.#handle, mode, this.#at(this.#out)));
    return this.#out.readUInt8(0) !== 0;
  }

  #get(data: number): Buffer {
    this.#out.fill(0);
    this.#functions.ghostty_terminal_get(this.#handle, data, this.#at(this.#out));
    return this.#out;
  }

  #at(buffer: Buffer): bigint {
    return this.#ghostty.getRawPointer(buffer);
  }

  #check(result: number): void {
    if (result !== 0) throw new Error(`libghostty-vt returned ${result}`);
  }
}

function missing(what: string): never {
  throw new Error(`libghostty-vt does not give ${what}`);
}
