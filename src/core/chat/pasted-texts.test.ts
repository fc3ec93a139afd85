import assert from "node:assert/strict";
import { test } from "node:test";
import { PastedTexts } from "./pasted-texts.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("what was pasted stands where an agent shows a placeholder", () => {
  const pasted = new PastedTexts();
  pasted.input(bytes("\u001B[200~one\rtwo\rthree\u001B[201~"));
  assert.equal(pasted.expand("[Pasted text #1 +2 lines] and more"), "one\ntwo\nthree and more");
  assert.equal(pasted.expand("[one two... Pasted +3 lines]"), "one\ntwo\nthree");
  assert.equal(pasted.expand("[other... Pasted +3 lines]"), "[other... Pasted +3 lines]");
  assert.equal(pasted.expand("[Pasted text #1 +9 lines]"), "[Pasted text #1 +9 lines]");
  assert.equal(pasted.expand("no placeholder"), "no placeholder");
});

test("a paste may come in pieces, and the last one that fits counts", () => {
  const pasted = new PastedTexts();
  pasted.input(bytes("x\u001B[200~a\nb\u001B[201~\u001B[200~c"));
  const restored = new PastedTexts(JSON.parse(JSON.stringify(pasted.save())));
  restored.input(bytes("\nd\u001B[201~"));
  assert.equal(restored.expand("[Pasted text #2 +1 lines]"), "c\nd");
});
