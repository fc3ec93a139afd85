import assert from "node:assert/strict";
import { test } from "node:test";
import { dialogRows, isSeparator, textOfRows } from "./dialog-rows.ts";

const rowsOf = (...texts: readonly string[]) =>
  dialogRows(texts.map((text) => ({ text, isWrapped: false, spans: [] })));

test("frames and scrollbars are taken off, also a frame in a frame", () => {
  assert.deepEqual(
    rowsOf("│ ? Shell  ls     │", "│ ╭─────╮ │", "│ │ ls  │ │", "  › 1. Yes      █", "┃  △ Permission").map(
      ({ text }) => text,
    ),
    [" ? Shell  ls", "", " ls", "  › 1. Yes", "  △ Permission"],
  );
});

test("rows that are only frame are blank", () => {
  assert.deepEqual(
    rowsOf("╰────╯", "", "────", "a ─ b").map(({ isBlank }) => isBlank),
    [true, true, true, false],
  );
});

test("a text of rows has no common margin and no blank rows around", () => {
  assert.equal(textOfRows(rowsOf("", "   one", "     two", "", "   three", "")), "one\n  two\n\nthree");
  assert.equal(textOfRows([]), "");
});

test("a short rule is a separator, the border of a box is not", () => {
  const [rule, border, text] = rowsOf(` ${"─".repeat(14)}`, "─".repeat(60), "- one");
  assert.ok(rule !== undefined && border !== undefined && text !== undefined);
  assert.deepEqual(
    [rule, border, text].map((row) => isSeparator(row)),
    [true, false, false],
  );
});
