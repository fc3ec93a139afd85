import assert from "node:assert/strict";
import { test } from "node:test";
import { blockStarts } from "./block-starts.ts";
import { drawn } from "./drawn-frame.test.ts";

const startsOf = (rows: readonly string[], above = 0): string[] => {
  const { lines } = drawn(rows);
  const starts = blockStarts(lines.slice(above, rows.length), lines.slice(0, above));
  return rows.slice(above).filter((_, index) => starts[index]);
};

test("a block starts at its first row with a text, whatever its background", () => {
  const rows = ["an answer", "", "{=}", "{=}first", "{=}", "{=}more", "{=}", "", "{48;2;31;52;63}second", "after"];
  assert.deepEqual(startsOf(rows), ["{=}first", "{48;2;31;52;63}second"]);
});

test("a block whose first row is not shown starts nowhere, unless the rows above show it", () => {
  assert.deepEqual(startsOf(["{=}", "{=}more of it", "", "{=}next"]), ["{=}next"]);
  assert.deepEqual(startsOf(["", "{=}", "{=}the first", "{=}more"], 2), ["{=}the first"]);
});
