import assert from "node:assert/strict";
import { test } from "node:test";
import { codePointWidth, displayWidth, padToWidth, truncateToWidth } from "./width.ts";

test("codePointWidth is 0 for marks, 2 for wide characters, else 1", () => {
  const widths = ["a", "é", "\u0301", "\u200D", "日", "😀", "─", "ж", "\uFE0F"].map((text) =>
    codePointWidth(text.codePointAt(0) ?? 0),
  );
  assert.deepEqual(widths, [1, 1, 0, 0, 2, 2, 1, 1, 0]);
});

test("displayWidth counts columns, not characters", () => {
  const widths: readonly (readonly [string, number])[] = [
    ["", 0],
    ["session", 7],
    ["日本", 4],
    ["e\u0301", 1],
    ["👩‍👩‍👧", 2],
    ["🇵🇱", 2],
    ["❤️", 2],
    ["한글", 4],
    ["ｆｕｌｌ", 8],
  ];
  for (const [text, width] of widths) assert.equal(displayWidth(text), width, text);
});

test("truncateToWidth cuts between graphemes and marks the cut", () => {
  assert.equal(truncateToWidth("lectern", 7), "lectern");
  assert.equal(truncateToWidth("lectern", 4), "lec…");
  assert.equal(truncateToWidth("日本語", 4), "日…");
  assert.equal(truncateToWidth("日本語", 5), "日本…");
  assert.equal(truncateToWidth("abc", 0), "");
});

test("padToWidth fills up to a column", () => {
  assert.equal(padToWidth("日本", 6), "日本  ");
  assert.equal(padToWidth("lectern", 3), "lectern");
});

test("characters that stand alone are as wide together as each of them, and marks behind them join them", () => {
  for (const text of ["─│╭ │", "● ❯ … —", "⌚✅◽", "日本。", "한글각", "ЖЫ", "ｆｕ"]) {
    const sum = [...text].reduce((width, character) => width + displayWidth(character), 0);
    assert.equal(displayWidth(text), sum, text);
    assert.equal(displayWidth(`${text}\u0301`), sum, text);
  }
});
