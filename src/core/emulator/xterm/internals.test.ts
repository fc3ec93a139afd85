import assert from "node:assert/strict";
import { test } from "node:test";
import { XtermRow } from "./internals.ts";
import { XtermEmulator } from "./xterm.ts";

test("the emulator has the internal fields that a snapshot reads", () => {
  const emulator = new XtermEmulator({ columns: 80, rows: 24, scrollbackLinesMax: 10 });
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
  assert.equal(Object.hasOwn(handler, "print") && "print" in Object.getPrototypeOf(handler), true);
});

test("XtermRow is the row itself: its key, its cells and its characters are those of the emulator", () => {
  const emulator = new XtermEmulator({ columns: 4, rows: 2, scrollbackLinesMax: 0 });
  emulator.write("e\u0301bcdf");
  const [line, next] = [0, 1].map((index) => emulator.core.buffers.active.lines.get(index));
  assert.ok(line !== undefined && next !== undefined);
  const row = new XtermRow(line);
  assert.equal(row.key, line);
  assert.equal(row.cells, line._data);
  assert.deepEqual([row.combinedAt(0), row.combinedAt(1)], ["e\u0301", ""]);
  assert.deepEqual([row.isWrapped, new XtermRow(next).isWrapped], [false, true]);
});
