import assert from "node:assert/strict";
import { test } from "node:test";
import { screenState } from "../../../test/support/screen-state.ts";
import { Screen } from "../screen/screen.ts";
import { charactersAt, isBrokenWide, widthAt } from "./cells.ts";
import { makeXterm } from "./xterm/xterm.ts";

test("half a wide character that a resize left behind counts as a blank, in a snapshot too", () => {
  const screen = new Screen({ columns: 4, rows: 2 });
  screen.feed(new TextEncoder().encode("\u001B[?1049h\u001B[2G漢"));
  screen.resize(2, 2);
  assert.deepEqual(screenState(screen)["alternate rows"], ["· ", "··"]);
  assert.deepEqual(screenState(Screen.restore(screen.snapshot(0))), screenState(screen));
});

test("cells have their widths and characters, combined ones too", () => {
  const emulator = makeXterm({ columns: 6, rows: 1, scrollbackLinesMax: 0 });
  emulator.write("a漢e\u0301");
  const row = emulator.row(0);
  assert.ok(row);
  const columns = [0, 1, 2, 3, 4];
  assert.deepEqual(
    columns.map((column) => charactersAt(row, column)),
    ["a", "漢", "", "e\u0301", ""],
  );
  assert.deepEqual(
    columns.map((column) => widthAt(row, column)),
    [1, 2, 0, 1, 1],
  );
  assert.equal(isBrokenWide(row, 1, 6), false);
  assert.equal(isBrokenWide(row, 1, 2), true);
});
