import assert from "node:assert/strict";
import { test } from "node:test";
import { endOfSequences } from "./costly-sequences.ts";

function end(text: string, costlyMax: number, from = 0): number {
  const bytes = new TextEncoder().encode(text);
  return endOfSequences(bytes, { from, to: bytes.length, costlyMax });
}

test("colours, moves and what erases in a row do not count", () => {
  const cheap = "\u001B[1;31mred\u001B[0m\u001B[5;7H\u001B[K\u001B[3C\u001B[X";
  assert.equal(end(cheap, 0), cheap.length);
});

test("resets, erasures, repetitions, scrolls and modes count, and so does what is cut", () => {
  for (const costly of ["\u001Bc", "\u001B[2J", "\u001B[9b", "\u001B[S", "\u001B[?1049h", "\u001B#8", "\u001B[12"]) {
    assert.equal(end(`a${costly}`, 0), 1, JSON.stringify(costly));
    assert.equal(end(`a${costly}${costly}`, 1), 1 + costly.length, JSON.stringify(costly));
  }
});

test("what is before the start does not count", () => {
  assert.equal(end("\u001Bc\u001Bc\u001Bc", 1, 2), 4);
});
