import assert from "node:assert/strict";
import { test } from "node:test";
import { formatColumns, formatTable } from "./columns.ts";

test("columns line up and no line ends in spaces", async () => {
  const rows = [
    ["NAME", "STATE", "COMMAND"],
    ["build", "up", ""],
  ];
  const lines = ["NAME   STATE  COMMAND", "build  up"];
  assert.deepEqual(await formatTable(rows), lines);
  assert.deepEqual(formatColumns(rows), lines);
});

test("wide characters take two columns", async () => {
  const rows = [
    ["日本", "x"],
    ["abcdé", "y"],
  ];
  assert.deepEqual(await formatTable(rows), ["日本   x", "abcdé  y"]);
});

test("a line that is wider than the terminal is cut and says so", async () => {
  assert.deepEqual(await formatTable([["a", "bcdefgh"]], { width: 6 }), ["a  bc…"]);
  assert.deepEqual(await formatTable([["é", "bcdefgh"]], { width: 6 }), ["é  bc…"]);
  assert.deepEqual(await formatTable([["a", "bcd"]], { width: 6 }), ["a  bcd"]);
});
