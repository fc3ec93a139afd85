import assert from "node:assert/strict";
import { test } from "node:test";
import { isFoldMark } from "./fold-mark.ts";

test("the signs of agents for what they do not show are fold marks, other rows are not", () => {
  const marks = [
    " ↑ 18 more lines",
    "  [… 34 lines] ^a view all",
    "... last 6 lines hidden ...",
    "... 2 hidden (Ctrl+O) ...",
    "... (1 more lines)",
    "Press ctrl-s to show more lines",
    "↓",
  ];
  assert.deepEqual(
    marks.filter((mark) => !isFoldMark(mark)),
    [],
  );
  const others = ["echo 3 lines", "+ const lines = 3;", "... and so on", "printf '12 lines'", ""];
  assert.deepEqual(
    others.filter((row) => isFoldMark(row)),
    [],
  );
});
