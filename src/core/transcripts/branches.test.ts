import assert from "node:assert/strict";
import { test } from "node:test";
import { Branches } from "./branches.ts";

function begun(): Branches {
  const branches = new Branches();
  branches.add("a", null, ["A"], true);
  branches.add("note", "a", [], false);
  branches.add("b", "note", ["B"], true);
  branches.add("c", "b", ["C", "D"], true);
  return branches;
}

test("a row that continues the branch leaves nothing, nor does one that is no turn, or is read again", () => {
  const branches = begun();
  assert.deepEqual(branches.add("d", "c", ["E"], true), []);
  assert.deepEqual(branches.add("e", "a", ["F"], false), []);
  assert.deepEqual(branches.add("b", "note", ["B"], true), []);
});

test("a turn leaves the descendants of its parent, each once", () => {
  const branches = begun();
  branches.add("other", "a", ["X"], false);
  assert.deepEqual(branches.add("d", "note", ["Y"], true), ["B", "C", "D"]);
  assert.deepEqual(branches.add("e", "note", [], true), ["Y"]);
  assert.deepEqual(branches.add("f", "a", [], true), ["X"]);
  assert.deepEqual(begun().add("f", null, [], true), ["A", "B", "C", "D"]);
});

test("a parent whose row is missing has its children", () => {
  const branches = begun();
  branches.add("e", "lost", ["E"], true);
  branches.add("f", "e", ["F"], true);
  assert.deepEqual(branches.add("g", "lost", [], true), ["E", "F"]);
});
