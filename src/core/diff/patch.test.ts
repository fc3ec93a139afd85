import assert from "node:assert/strict";
import { test } from "node:test";
import { pairLines, readPatch, type PatchLine } from "./patch.ts";

const patch = [
  "diff --git a/x b/x",
  "--- a/x",
  "+++ b/x",
  "@@ -1,4 +1,4 @@ function f()",
  " one",
  "--- two",
  "-three",
  "+++ two",
  "+drei",
  " four",
  "\\ No newline at end of file",
  "@@ -9 +9,0 @@",
  "-nine",
  "",
].join("\n");

const short = (line: PatchLine | null): string =>
  line === null ? "" : `${line.oldNumber ?? ""}|${line.newNumber ?? ""}|${line.text}`;

test("hunks have lines with their numbers, and lines that look like headers are lines", () => {
  const [first, second] = readPatch(patch);
  assert.equal(first?.heading, "function f()");
  assert.deepEqual(first?.lines.map(short), [
    "1|1|one",
    "2||-- two",
    "3||three",
    "|2|++ two",
    "|3|drei",
    "4|4|four",
    "||No newline at end of file",
  ]);
  assert.deepEqual(second?.lines.map(short), ["9||nine"]);
});

test("in two columns removed lines stand beside the added ones", () => {
  const [first] = readPatch(patch);
  assert.deepEqual(
    pairLines(first?.lines ?? []).map(({ left, right }) => [left?.text, right?.text]),
    [
      ["one", "one"],
      ["-- two", "++ two"],
      ["three", "drei"],
      ["four", "four"],
      ["No newline at end of file", "No newline at end of file"],
    ],
  );
});

test("text without hunks, such as that of a binary file, gives none", () => {
  assert.deepEqual(readPatch("Binary files a/x and b/x differ\n"), []);
});
