import assert from "node:assert/strict";
import { test } from "node:test";
import { drawn } from "./drawn-frame.test.ts";
import { isGrey, isPlain, isRed } from "./colours.ts";
import {
  backgroundAt,
  boxed,
  dedent,
  firstSpan,
  indentOf,
  isFaint,
  rowOf,
  withoutLineNumber,
  withoutRight,
} from "./row.ts";

const line = (text: string) => drawn([text]).lines[0]!;

test("rowOf keeps what a profile read and where the row ends", () => {
  const row = rowOf(line("  文字 text"), { role: null, text: "文字 text" }, { key: "k", limit: 39, line: 4 });
  assert.deepEqual(
    [row.role, row.text, row.end, row.limit, row.line, row.isStart],
    [null, "文字 text", 11, 39, 4, false],
  );
  assert.equal(rowOf(line(""), { role: null, text: "" }, { key: "", limit: 39, line: -1 }).role, "blank");
});

test("indent and dedent count blanks in front", () => {
  assert.equal(indentOf("   a"), 3);
  assert.equal(dedent("   a", 2), " a");
  assert.equal(dedent(" a", 4), "a");
});

test("styles say what a row is", () => {
  assert.equal(firstSpan(line("  {1}bold"))?.isBold, true);
  assert.equal(backgroundAt(line("{=}shaded"), 30), 236);
  assert.equal(backgroundAt(line("plain"), 0), -1);
  assert.equal(isFaint(line("{2}dim{0} {38;2;153;153;153}grey")), true);
  assert.equal(isFaint(line("{2}dim{0} bright")), false);
  assert.deepEqual([isGrey(8), isGrey(0x1999999), isGrey(0x1ffffff), isGrey(0x1cc6666)], [true, true, false, false]);
  assert.deepEqual([isGrey(102), isGrey(231), isRed(167), isRed(59)], [true, false, true, false]);
  assert.ok([-1, 0, 15, 16, 231, 255, 0x1ffffff, 0x1000000].every(isPlain));
  assert.ok(![7, 59, 71, 0x14eba65].some(isPlain));
  assert.deepEqual([isRed(1), isRed(0x1cc6666), isRed(0x1999999), isRed(2)], [true, true, false, false]);
});

test("a scrollbar at the right edge is cut off", () => {
  assert.equal(withoutRight(line(`text${" ".repeat(35)}█`), 39).text, "text");
  assert.equal(withoutRight(line("text"), 39).text, "text");
});

test("boxed gives what stands between the edges", () => {
  assert.equal(boxed("│ inside    │"), "inside");
  assert.equal(boxed("outside"), null);
});

test("the number of a row of code is no code, a number in a text is", () => {
  assert.equal(withoutLineNumber(line("  {38;5;240}4{0} {38;5;255}    return 1")), "    return 1");
  assert.equal(withoutLineNumber(line("  4 pieces")), undefined);
});

test("inside of a box a row ends before its edge", () => {
  const own = rowOf(line("│ has one     │"), { role: null, text: "has one" }, { key: "", limit: 39, line: -1 });
  assert.deepEqual([own.end, own.limit], [9, 13]);
});
