import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf } from "../../../test/frames.ts";
import { dialogRows } from "./dialog-rows.ts";
import { listInBox, okBox } from "./ok-box.ts";

function read(text: string): readonly string[] | null {
  const frame = frameOf(text);
  const rows = dialogRows(frame.lines);
  const box = okBox(frame, rows);
  const list = box && listInBox(frame, rows, box);
  return list && list.options.map(({ id, isSelected, label }) => `${isSelected ? "*" : ""}${id} ${label}`);
}
const framed = (...rows: readonly string[]): string =>
  `┌────────────────────┐\n${rows.map((row) => `│ ${row} │`).join("\n")}\n└────────────────────┘`;

test("the rows above the buttons are a list, of which one is lit", () => {
  const lit = framed("Choose one", "", "\u001B[41ma Apple\u001B[m", "b Banana", "", "<Ok>   <Cancel>", "");
  assert.deepEqual(read(lit), ["*1 a Apple", "2 b Banana"]);
  assert.equal(read(framed("Choose one", "", "a Apple", "b Banana", "", "<Ok>   <Cancel>")), null);
});

test("where Enter would cancel nothing is read", () => {
  const lit = framed(
    "Choose one",
    "",
    "\u001B[41ma Apple\u001B[m",
    "b Banana",
    "",
    "<Ok>   \u001B[41m<Cancel>\u001B[m",
  );
  assert.equal(read(lit), null);
});

test("a text above a button is no list", () => {
  assert.equal(read(framed("All is done.", "", "<Ok>")), null);
  assert.equal(read("Say <Ok>\n$ "), null);
});
