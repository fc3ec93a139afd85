import assert from "node:assert/strict";
import { test } from "node:test";
import { isGrey, isPlain, isRed } from "./colours.ts";
import { drawn } from "./drawn-frame.test.ts";
import { backgroundAt, dedent, firstSpan, indentOf, isRule, withoutLineNumber, withoutRight } from "./row-parts.ts";

const line = (text: string) => drawn([text]).lines[0]!;

test("indent and dedent count blanks in front", () => {
  assert.equal(indentOf("   a"), 3);
  assert.equal(dedent("   a", 2), " a");
  assert.equal(dedent(" a", 4), "a");
});

test("styles say what a row is", () => {
  assert.equal(firstSpan(line("  {1}bold"))?.isBold, true);
  assert.equal(backgroundAt(line("{=}shaded"), 30), 236);
  assert.equal(backgroundAt(line("plain"), 0), -1);
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

test("the number of a row of code is no code, a number in a text is", () => {
  assert.equal(withoutLineNumber(line("  {38;5;240}4{0} {38;5;255}    return 1")), "    return 1");
  assert.equal(withoutLineNumber(line("  4 pieces")), undefined);
});

test("a rule goes from edge to edge, maybe with words in it", () => {
  assert.deepEqual(
    ["────────", "──── name ──", "── text", "text"].map((text) => isRule(line(text))),
    [true, true, false, false],
  );
});
