import assert from "node:assert/strict";
import { test } from "node:test";
import { FILE_DEPTH_MAX, fileChecker, namedWithLine, parsedFile, placedMessage } from "./data-file.ts";

const check = fileChecker<{ readonly names?: readonly string[] }>({
  type: "object",
  additionalProperties: false,
  properties: { names: { type: "array", items: { type: "string" } } },
});

const problems = (source: object): readonly string[] => {
  const result = check(parsedFile(source, undefined));
  return result.ok ? [] : result.problems.map(({ line, message }) => `${line} ${message}`);
};

test("an object is checked by the schema, and its problems have no line", () => {
  assert.deepEqual(problems({ names: ["a"] }), []);
  assert.deepEqual(problems({ names: [1, "b"] }), ['0 "names.0" must be a text']);
  assert.deepEqual(problems({ nmaes: [] }), ['0 Unknown key "nmaes": did you mean "names"?']);
});

test("what JSON does not have is refused instead of left out", () => {
  for (const odd of [undefined, () => 1, 1n, Symbol("a"), Number.POSITIVE_INFINITY])
    assert.match(problems({ names: odd })[0] ?? "", /^0 The value of "names" is .*, which is not JSON$/);
  assert.match(problems({ names: Array.from({ length: 1 }) })[0] ?? "", /The value of "0" is undefined/);
});

test("an object that is too deep or contains itself is a problem, not an exception", () => {
  let deep: object = {};
  for (let level = 0; level < FILE_DEPTH_MAX; level += 1) deep = { deep };
  assert.match(problems(deep)[0] ?? "", /^0 The data cannot be read as JSON: Cannot parse JSON: depth/);
  let deepest: object = {};
  for (let level = 0; level < 100_000; level += 1) deepest = { deepest };
  assert.match(problems(deepest)[0] ?? "", /^0 The data cannot be read as JSON/);
});

test("a message names its key, and a rule its line, if there is one", () => {
  assert.equal(placedMessage({ line: 0, column: 0 }, ["rules", 1], "It is wrong"), "rules.1: It is wrong");
  assert.equal(placedMessage({ line: 3, column: 1 }, ["rules", 1], "It is wrong"), "It is wrong");
  assert.deepEqual([namedWithLine("a", 0), namedWithLine("a", 2)], ['"a"', '"a" (line 2)']);
});
