import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { displayCommand, quoteShellWords, splitShellWords } from "./command-line.ts";

test("splitShellWords gives back what quoteShellWords was given", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom("", "'", "a b", "it's", "-c"))), (words) => {
      assert.deepEqual(splitShellWords(quoteShellWords(words)), words);
    }),
  );
});

test("splitShellWords leaves a line whole that a shell would have to run", () => {
  assert.deepEqual(splitShellWords("bash -l"), ["bash", "-l"]);
  for (const line of ["echo $HOME", 'say "a b"', "a | b", "a  b", "'open"])
    assert.deepEqual(splitShellWords(line), [line]);
});

test("words are quoted where a shell would need it", () => {
  assert.equal(quoteShellWords(["make", "-j4", "a b", "it's", ""]), String.raw`make -j4 'a b' 'it'\''s' ''`);
});

test("what a terminal would obey is shown", () => {
  assert.equal(displayCommand(["\u001b[2J", "a b"]), String.raw`'\x1b[2J' 'a b'`);
});
