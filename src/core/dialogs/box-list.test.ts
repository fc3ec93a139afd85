import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf } from "../../../test/frames.ts";
import { lastBoxList } from "./box-list.ts";
import { dialogRows } from "./dialog-rows.ts";

function read(text: string): readonly string[] | null {
  const frame = frameOf(text);
  const list = lastBoxList(frame, dialogRows(frame.lines));
  return (
    list &&
    list.options.map(
      ({ checked, id, isSelected, label }) => `${isSelected ? "*" : ""}${id}${checked ? "x" : ""} ${label}`,
    )
  );
}

test("each row has a box in the same column, and one has the pointer", () => {
  assert.deepEqual(read("Which?\n❯◯ ham\n ◉ cheese"), ["*1 ham", "2x cheese"]);
  assert.deepEqual(read("> [ ] ham\n  [x] cheese"), ["*1 ham", "2x cheese"]);
  assert.deepEqual(read("❯ ○ ham\n  ● cheese"), ["*1 ham", "2x cheese"]);
});

test("separators and disabled rows are between choices", () => {
  assert.deepEqual(read("❯◉ ham\n - beta (disabled)\n ──────\n ◯ cheese"), ["*1x ham", "2 cheese"]);
  assert.deepEqual(read(" ◉ ham\n❯- beta (disabled)\n ◯ cheese"), ["1x ham", "2 cheese"]);
});

test("a mark of one of several that exclude each other is no box without a pointer in front", () => {
  assert.equal(read("● ham\n○ cheese"), null);
});

test("boxes that are not in one column are not understood, and a single one is no list", () => {
  assert.equal(read("❯◯ ham\n   ◉ cheese\n   ◯ olives"), null);
  assert.equal(read("❯◯ ham"), null);
});

test("a tick that is always drawn is set where it has a colour", () => {
  assert.deepEqual(read("\u001B[2m✔\u001B[m ham\n\u001B[32m✔\u001B[m \u001B[36mcheese\u001B[m"), [
    "1 ham",
    "*2x cheese",
  ]);
});
