import assert from "node:assert/strict";
import { test } from "node:test";
import { formatColumns } from "./columns.ts";

test("columns line up and no line ends in spaces", () => {
  assert.deepEqual(
    formatColumns([
      ["NAME", "STATE", "COMMAND"],
      ["build-é", "up", ""],
    ]),
    ["NAME     STATE  COMMAND", "build-é  up"],
  );
});

test("wide characters take two columns", () => {
  assert.deepEqual(
    formatColumns([
      ["日本", "x"],
      ["abcde", "y"],
    ]),
    ["日本   x", "abcde  y"],
  );
});

test("a line that is wider than the terminal is cut and says so", () => {
  assert.deepEqual(formatColumns([["a", "bcdefgh"]], { width: 6 }), ["a  bc…"]);
  assert.deepEqual(formatColumns([["a", "bcd"]], { width: 6 }), ["a  bcd"]);
});
