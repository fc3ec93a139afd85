import assert from "node:assert/strict";
import { test } from "node:test";
import { executedLater, executedLaterIn, homePlaces } from "./executed-later.ts";

test("no place is named twice, none is in another one, and none leads out of its directory", () => {
  const names = executedLater.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const name of names) {
    assert.equal(executedLaterIn(`a/${name}/b`)?.path, `a/${name}`);
    assert.doesNotMatch(name, /^\/|\/$|(?:^|\/)\.\.?(?:\/|$)/);
    assert.ok(!names.some((other) => name.startsWith(`${other}/`)), name);
  }
});

test("no place of the home is named twice, and none leads out of it", () => {
  assert.equal(new Set(homePlaces).size, homePlaces.length);
  for (const place of homePlaces) assert.doesNotMatch(place, /^\/|\.\.\//);
});

test("a path is named by the first part of it that is executed later", () => {
  assert.deepEqual(executedLaterIn("packages/a/.npmrc"), { path: "packages/a/.npmrc", by: "npm" });
  assert.deepEqual(executedLaterIn("a/.vscode/tasks.json"), { path: "a/.vscode", by: "VS Code" });
  assert.deepEqual(executedLaterIn("a/.github/workflows/ci.yml"), { path: "a/.github/workflows", by: "CI" });
  for (const path of ["a/.github/README.md", "src/npmrc", "workflows/x", ""])
    assert.equal(executedLaterIn(path), undefined, path);
});
