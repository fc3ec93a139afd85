import assert from "node:assert/strict";
import { test } from "node:test";
import { graphemesOf } from "./graphemes.ts";

test("graphemesOf keeps together what a person takes for one character", () => {
  const segments = (text: string): string[] => Array.from(graphemesOf(text), ({ segment }) => segment);
  assert.deepEqual(segments("ae\u0301👩‍👩‍👧🇩🇪\r\nx"), ["a", "e\u0301", "👩‍👩‍👧", "🇩🇪", "\r\n", "x"]);
  assert.deepEqual(segments(""), []);
});
