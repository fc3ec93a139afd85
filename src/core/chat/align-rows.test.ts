import assert from "node:assert/strict";
import { test } from "node:test";
import { alignRows } from "./align-rows.ts";
import { gapRow, type Row } from "./row.ts";

const rows = (text: string): Row[] =>
  text.split("|").map((key) => ({ ...gapRow, role: key === "" ? "blank" : null, text: key, key }));

test("each row is matched at most once, in order, and the last one of several that are the same", () => {
  const pairsOf = (known: string, shown: string) => alignRows(rows(known), rows(shown)).pairs;
  assert.deepEqual(pairsOf("a|b|a|c", "a|c|b"), [
    [2, 0],
    [3, 1],
  ]);
  assert.deepEqual(pairsOf("one|two|two", "two|three"), [[2, 0]]);
  assert.deepEqual(pairsOf("one|two", "three|four"), []);
});

test("only the last known row grows, and rows that say nothing are not matched", () => {
  const { pairs, isPair } = alignRows(rows("first|sec||"), rows("first of all||second"));
  assert.deepEqual(pairs, [[1, 2]]);
  assert.equal(isPair(2, 1), false);
});

test("the alignment that ends with a pair has its own weight", () => {
  const { weightTo, pairsTo, weight } = alignRows(rows("a|b|c"), rows("b|c|a"));
  assert.ok(weightTo(2, 1) === weight && weightTo(0, 2) < weight);
  assert.deepEqual(pairsTo(0, 2), [[0, 2]]);
});
