import assert from "node:assert/strict";
import { test } from "node:test";
import { Emulator } from "./xterm.ts";

const create = (): Emulator => new Emulator({ columns: 80, rows: 24, scrollbackLinesMax: 10 });

test("Emulator has the internal fields that a snapshot reads", () => {
  const emulator = create();
  const { core } = emulator;
  for (const buffer of [core.buffers.normal, core.buffers.alt, core.buffers.active]) {
    for (const field of ["x", "y", "ybase", "scrollTop", "scrollBottom", "savedX", "savedY"] as const) {
      assert.equal(typeof buffer[field], "number", field);
    }
    assert.equal(buffer.tabs[8], true);
    assert.equal(typeof buffer.savedCurAttrData.extended.ext, "number");
    assert.equal(typeof buffer.lines.onTrim, "function");
    assert.ok(buffer.lines.get(0) === undefined || buffer.lines.get(0)?._data instanceof Uint32Array);
  }
  assert.deepEqual(core.coreService.modes, { insertMode: false });
  assert.equal(core.coreService.isCursorHidden, false);
  assert.equal(core.coreService.decPrivateModes.wraparound, true);
  assert.deepEqual([core.coreMouseService.activeProtocol, core.coreMouseService.activeEncoding], ["NONE", "DEFAULT"]);
  assert.deepEqual([core.options.convertEol, core.options.cursorBlink], [false, false]);
  assert.deepEqual([core._charsetService.glevel, core._charsetService._charsets.length], [0, 0]);
  emulator.write("\u001B(0\u001B7");
  assert.equal(core._charsetService.charset?.["q"], "─");
  assert.equal(core._charsetService._charsets[0], core._charsetService.charset);
  assert.equal(core.buffers.active.savedCharset, core._charsetService.charset);
  emulator.write("\u001B(B");
  const handler = core._inputHandler;
  assert.equal(typeof handler._curAttrData.fg, "number");
  assert.deepEqual([handler._windowTitle, handler._windowTitleStack.length], ["", 0]);
  assert.deepEqual([handler._parser.precedingJoinState, handler._parser.currentState], [0, 0]);
  assert.equal(typeof handler.eraseInDisplay, "function");
});

test("Emulator has parsed everything when write returns", () => {
  const emulator = create();
  emulator.write("a".repeat(300_000));
  emulator.write("\u001B[c");
  assert.deepEqual(emulator.takeReplies(), ["\u001B[?1;2c"]);
  assert.deepEqual(emulator.takeReplies(), []);
});

test("Emulator erases up to the end of the last row", () => {
  const emulator = new Emulator({ columns: 4, rows: 2, scrollbackLinesMax: 0 });
  emulator.write("abcdefgh\u001B[1Jz");
  assert.equal(emulator.core.buffers.active.lines.get(0)?.translateToString(true), "");
});

test("Emulator keeps some accents of a cell, not millions, and every one of an emoji", () => {
  const emulator = create();
  const kiss = "\u{1F469}\u{1F3FB}\u200D\u2764\uFE0F\u200D\u{1F48B}\u200D\u{1F468}\u{1F3FF}";
  emulator.write(`${kiss}a${"\u0301".repeat(100_000)}b`);
  const text = emulator.core.buffers.active.lines.get(0)?.translateToString(true) ?? "";
  assert.ok(text.startsWith(`${kiss}a\u0301`));
  assert.ok(text.endsWith("\u0301b"));
  assert.equal(text.length, kiss.length + 64 + "b".length);
});
