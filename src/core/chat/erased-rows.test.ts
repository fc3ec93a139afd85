import assert from "node:assert/strict";
import { test } from "node:test";
import { withErased } from "./transcript.ts";
import { gapRow, type Row } from "./row.ts";

const rows = (text: string): Row[] =>
  text.split("|").map((line, index) => ({
    ...gapRow,
    role: line === "" ? "blank" : line.startsWith("> ") ? "user" : null,
    isStart: line.startsWith("> "),
    text: line,
    key: line,
    line: index,
  }));
const kept = (gone: string, shown: string): string =>
  withErased(rows(gone), rows(shown))
    .map(({ text }) => text)
    .join("|");

test("rows between what stayed and what still follows them are kept", () => {
  assert.equal(kept("1. one|2. two|3. three||DONE", "1. one|DONE-3."), "1. one|2. two|3. three||DONE-3.");
  assert.equal(kept("1. one|2. two||> more", "1. one||> more|4. four"), "1. one|2. two||> more|4. four");
});

test("rows that were written anew, or are the last, are what is shown", () => {
  assert.equal(kept("1. one|2. tw", "1. one|2. two|3. three"), "1. one|2. two|3. three");
  assert.equal(kept("1. one|2. two|3. three", "1. one|other words"), "1. one|other words");
  assert.equal(kept("1. one|2. two|3. three", "1. one"), "1. one");
  assert.equal(kept("1. one|> asked|answered|DONE", "1. one|DONE"), "1. one|DONE");
});
