import assert from "node:assert/strict";
import { test } from "node:test";
import { callEntry, messageBase, partTexts, timeMsOf, unknownEntry } from "./row-reader.ts";

test("values of unknown shape", () => {
  assert.deepEqual(
    ["2026-11-27T21:36:27.366Z", 5, "x", null, Number.NaN].map((value) => timeMsOf(value)),
    [1_795_815_387_366, 5, 0, 0, 0],
  );
  assert.equal(partTexts([{ text: "a" }, { image: 1 }, null, { text: 3 }, { text: "b" }]), "a\nb");
  assert.equal(partTexts({}), "");
  assert.deepEqual(unknownEntry("item", undefined), { kind: "unknown", name: "item/?" });
});

test("the input of a call is a text, or becomes one", () => {
  const inputs = ["{x", { a: 1 }, undefined].map((input) => callEntry(messageBase(5), "c", { input, name: "ls" }).text);
  assert.deepEqual(inputs, ["{x", '{"a":1}', "{}"]);
});
