import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePointer, selectLeaves, stringAt } from "./pointers.ts";

const select = (value: unknown, pointer: string): readonly (readonly [string, unknown])[] =>
  selectLeaves(value, parsePointer(pointer)!).leaves.map((leaf) => [leaf.path, leaf.value]);

test("a pointer is split and unescaped", () => {
  assert.deepEqual(parsePointer(""), []);
  assert.deepEqual(parsePointer("/a~1b/~01/"), ["a/b", "~1", ""]);
});

test("what does not begin with a slash or has a bad escape is no pointer", () => {
  for (const text of ["a", "#/a", "/a~2", "/~"]) assert.equal(parsePointer(text), undefined, text);
});

test("a pointer selects the leaves at and below its place", () => {
  const value = { a: { b: ["x", 1, { c: null }] }, "d/e": true };
  assert.deepEqual(select(value, "/a/b/0"), [["/a/b/0", "x"]]);
  assert.deepEqual(select(value, "/a"), [
    ["/a/b/0", "x"],
    ["/a/b/1", 1],
    ["/a/b/2/c", null],
  ]);
  assert.deepEqual(select(value, "/d~1e"), [["/d~1e", true]]);
});

test("a star selects each item and each member", () => {
  assert.deepEqual(select({ edits: [{ path: "a" }, { path: "b", x: 1 }] }, "/edits/*/path"), [
    ["/edits/0/path", "a"],
    ["/edits/1/path", "b"],
  ]);
  assert.deepEqual(select({ a: { x: 1 }, b: { x: 2 } }, "/*/x"), [
    ["/a/x", 1],
    ["/b/x", 2],
  ]);
});

test("members of the prototype are not there", () => {
  assert.equal(selectLeaves({}, ["toString"]).found, false);
  assert.equal(selectLeaves([], ["length"]).found, false);
  assert.equal(selectLeaves({}, ["__proto__"]).found, false);
  assert.deepEqual(select(JSON.parse('{"__proto__":"x"}'), "/__proto__"), [["/__proto__", "x"]]);
});

test("an empty list is found and has no leaves", () => {
  assert.deepEqual(selectLeaves({ a: [] }, ["a"]), { leaves: [], found: true, overflow: false });
});

test("more leaves than the limit are reported", () => {
  const selection = selectLeaves(
    Array.from({ length: 10_001 }, () => 1),
    [],
  );
  assert.equal(selection.overflow, true);
  assert.equal(selection.leaves.length, 10_000);
});

test("stringAt gives a string and nothing else", () => {
  assert.equal(stringAt({ a: { b: "x" } }, ["a", "b"]), "x");
  assert.equal(stringAt({ a: 1 }, ["a"]), undefined);
  assert.equal(stringAt({ a: 1 }, ["a", "b"]), undefined);
});
