import assert from "node:assert/strict";
import { test } from "node:test";
import { Branches } from "./branches.ts";

function begun(): Branches {
  const branches = new Branches();
  branches.add("a", null, ["A"]);
  branches.add("note", "a", []);
  branches.add("b", "note", ["B"]);
  branches.add("c", "b", ["C", "D"]);
  return branches;
}

test("a row that continues the branch leaves nothing", () => {
  assert.deepEqual(begun().leave("c"), []);
});

test("a row leaves the descendants of its parent, each once", () => {
  const branches = begun();
  branches.add("other", "a", ["X"]);
  assert.deepEqual(branches.leave("note"), ["B", "C", "D"]);
  assert.deepEqual(branches.leave("note"), []);
  assert.deepEqual(branches.leave("a"), ["X"]);
  assert.deepEqual(begun().leave(null), ["A", "B", "C", "D"]);
});

test("a parent whose row is missing has its children", () => {
  const branches = begun();
  branches.add("e", "lost", ["E"]);
  branches.add("f", "e", ["F"]);
  assert.deepEqual(branches.leave("lost"), ["E", "F"]);
});
