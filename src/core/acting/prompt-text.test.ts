import assert from "node:assert/strict";
import { test } from "node:test";
import { promptText } from "./prompt-text.ts";

test("a prompt has tabs and line ends, and no character that acts as a key", () => {
  assert.equal(promptText("one\r\n\ttwo\rthree"), "one\n\ttwo\nthree");
  for (const character of ["\u0003", "\u001B", "\u0000", "\u007F", "\u0085", "\u009B"])
    assert.throws(() => promptText(`ab${character}c`), { code: "INVALID_INPUT", message: /U\+00.. at position 2/ });
});
