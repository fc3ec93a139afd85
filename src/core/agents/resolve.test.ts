import assert from "node:assert/strict";
import { test } from "node:test";
import { resolveFiles } from "./resolve.ts";

const known = [
  { name: "one", title: "One", commands: ["one"], chat: { margin: 1, indent: 2 } },
  { name: "two", commands: ["two"] },
];
const namesOf = (files: readonly { readonly name: string }[]): string => files.map(({ name }) => name).join(" ");

test("a file with a known name changes that agent in its place", () => {
  const files = resolveFiles(known, [{ name: "one", chat: { margin: 4 } }]);
  assert.equal(namesOf(files), "one two");
  assert.deepEqual(files[0], { ...known[0], chat: { margin: 4, indent: 2 } });
});

test("a new agent is asked first, one that extends another last", () => {
  const files = resolveFiles(known, [{ name: "new" }, { name: "mine", extends: "one", commands: ["mine"] }]);
  assert.equal(namesOf(files), "new one two mine");
});

test("one that extends another has its rules, not what it is recognised by", () => {
  const [, , mine] = resolveFiles(known, [{ name: "mine", extends: "one" }]);
  assert.deepEqual(mine, { name: "mine", extends: "one", chat: { margin: 1, indent: 2 } });
});

test("an agent that is not known, and one that extends itself, are errors", () => {
  assert.throws(() => resolveFiles(known, [{ name: "x", extends: "nine" }]), /"x" extends "nine", which is not known/);
  assert.throws(() => resolveFiles(known, [{ name: "x", extends: "x" }]), /"x" extends itself/);
});
