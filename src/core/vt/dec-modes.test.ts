import assert from "node:assert/strict";
import { test } from "node:test";
import { decMode, readModeChange, restoredModes, type DecModeChange } from "./dec-modes.ts";
import { Tokenizer } from "./tokenizer.ts";

function read(sequence: string): DecModeChange | undefined {
  const tokens = new Tokenizer();
  tokens.feed(new TextEncoder().encode(sequence), 0);
  tokens.next();
  return readModeChange(tokens);
}

test("readModeChange reads what is set and reset, and no other sequence", () => {
  assert.deepEqual(read("\u001B[?1049;25h"), { modes: [1049, 25], isSet: true });
  assert.deepEqual(read("\u009B?2004l"), { modes: [2004], isSet: false });
  for (const other of ["1049h", "?1049$p", ">1049h", "?25r", "?25:1h"])
    assert.equal(read(`\u001B[${other}`), undefined);
});

test("the alternate screen is restored last, and no mode is listed twice", () => {
  const numbers = restoredModes.map(({ number }) => number);
  assert.deepEqual(numbers.slice(-3), [47, 1047, 1049]);
  assert.equal(new Set(numbers).size, numbers.length);
  assert.deepEqual([decMode(25)?.affects, decMode(1000)?.affects, decMode(2)], ["drawing", "input", undefined]);
});
