import assert from "node:assert/strict";
import { test } from "node:test";
import { partTexts, RowEntries, timeMsOf, unknownEntry } from "./row-reader.ts";

test("values of unknown shape", () => {
  assert.deepEqual(
    ["2026-11-27T21:36:27.366Z", 5, "x", null, Number.NaN].map((value) => timeMsOf(value)),
    [1_795_815_387_366, 5, 0, 0, 0],
  );
  assert.equal(partTexts([{ text: "a" }, { image: 1 }, null, { text: 3 }, { text: "b" }]), "a\nb");
  assert.equal(partTexts({}), "");
  assert.deepEqual(unknownEntry("item", undefined), { kind: "unknown", name: "item/?" });
});

test("the entries of a row have its time, or their own; what has no id or no text is not one", () => {
  const entries = new RowEntries(5, "agent");
  entries.say("user", "a", "").say("user", "a", null).call(undefined, {}).result("", "x");
  assert.deepEqual(entries.all, []);
  entries.say("user", "a", "hello", { timeMs: 7, incomplete: "cut" }).result("c", undefined, { isCut: true });
  const base = { kind: "message", agent: "agent", incomplete: "cut" } as const;
  assert.deepEqual(entries.all, [
    { ...base, id: "a", role: "user", text: "hello", timeMs: 7 },
    { ...base, id: "c:result", role: "tool-result", text: "", timeMs: 5, call: "c" },
  ]);
});

test("the input of a call is a text, or becomes one", () => {
  const inputs = ["{x", { a: 1 }, undefined].map((input) => new RowEntries(5).call("c", { input, name: "ls" }).all[0]);
  assert.deepEqual(
    inputs.map((entry) => entry?.kind === "message" && entry.text),
    ["{x", '{"a":1}', "{}"],
  );
});
