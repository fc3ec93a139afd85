import assert from "node:assert/strict";
import { test } from "node:test";
import { drawn } from "../agents/drawn-frame.test.ts";
import { rowOf } from "./row.ts";

const line = (text: string) => drawn([text]).lines[0]!;

test("rowOf keeps what a profile read and where the row ends", () => {
  const row = rowOf(line("  文字 text"), { role: null, text: "文字 text" }, { key: "k", limit: 39, line: 4 });
  assert.deepEqual(
    [row.role, row.text, row.end, row.limit, row.line, row.isStart],
    [null, "文字 text", 11, 39, 4, false],
  );
  assert.equal(rowOf(line(""), { role: null, text: "" }, { key: "", limit: 39, line: -1 }).role, "blank");
});

test("inside of a box a row ends before its edge", () => {
  const own = rowOf(line("│ has one     │"), { role: null, text: "has one" }, { key: "", limit: 39, line: -1 });
  assert.deepEqual([own.end, own.limit], [9, 13]);
});

test("what a rule takes away at the right edge does not count for the end of a row", () => {
  const text = "Shell failed";
  const own = rowOf(line(`✗ ${text}            5s`), { role: "tool-call", text }, { key: "", limit: 39, line: -1 });
  assert.equal(own.end, 14);
});
