import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { quoteShellWords } from "../../core/text/command-line.ts";
import { byteSize, clockTime, shortDuration, splitCommandLine, displayLines } from "./text.ts";

test("times and sizes are short", () => {
  assert.deepEqual([0, 59_999, 61_000, 7_200_000, 172_800_000].map(shortDuration), ["0s", "59s", "1m", "2h", "2d"]);
  assert.deepEqual([0, 64_000, 3_723_000].map(clockTime), ["0:00", "1:04", "1:02:03"]);
  assert.deepEqual([0, 999, 4200, 12_582_912].map(byteSize), ["0 B", "999 B", "4.1 KB", "12 MB"]);
});

test("splitCommandLine parts words as a shell does, and knows an open quote", () => {
  assert.deepEqual(splitCommandLine(`git commit -m "two words" 'it''s' a\\ b ""`), [
    "git",
    "commit",
    "-m",
    "two words",
    "its",
    "a b",
    "",
  ]);
  assert.equal(splitCommandLine(`echo "open`), undefined);
});

test("displayLines keeps lines and shows what would hide or reorder text", () => {
  assert.equal(displayLines("a\tb\r\ngood\u202Ecod.exe\u001B[1m"), "a\tb\ngood\\u{202e}cod.exe\\x1b[1m");
});

test("splitCommandLine undoes quoteShellWords", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1 }), { minLength: 1 }), (words) => {
      assert.deepEqual(splitCommandLine(quoteShellWords(words)), words);
    }),
  );
});
