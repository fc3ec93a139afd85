import assert from "node:assert/strict";
import { test } from "node:test";
import { isAlike, letters, nextRevision } from "./revision.ts";

test("a source revises a worse one, and itself only by more of the same", () => {
  const record = nextRevision(undefined, "screen", { source: "record", text: "one two" });
  assert.deepEqual([record?.revision, record?.text], [1, "one two"]);
  assert.equal(nextRevision(record ?? undefined, "screen", { source: "record", text: "one" }), null);
  assert.equal(
    nextRevision(record ?? undefined, "screen", { source: "record", text: "one **two** three" })?.revision,
    1,
  );
  assert.equal(nextRevision(record ?? undefined, "screen", { source: "wire", text: "other" })?.revision, 2);
  assert.equal(nextRevision(undefined, "wire", { source: "record", text: "one two" }), null);
});

test("texts are alike if the longer one begins as the shorter one does, and is not much longer", () => {
  assert.equal(letters("a **b**, 1.\n"), "ab1");
  assert.deepEqual(
    [isAlike("a b c", "a **b** c d"), isAlike("a b", "a b c d e"), isAlike("", "a")],
    [true, false, false],
  );
});
