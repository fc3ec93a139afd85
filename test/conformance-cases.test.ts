/** The reader of the cases in `test/conformance`, and what it compares with. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCaseFile } from "./conformance/case-file.ts";
import { differences, valueAt, withSaved } from "./conformance/matching.ts";

/** The message of the error for a file with this text. */
function problemsOf(text: string): string {
  try {
    parseCaseFile("x.yaml", text);
  } catch (error) {
    return (error as Error).message;
  }
  return "";
}

const step = (text: string): string => `cases:\n  - title: a\n    operations:\n      - ${text}\n`;

test("a file of cases is read as it is written", () => {
  const { cases, file, without } = parseCaseFile(
    "x.yaml",
    `without: { mcp: [{ because: no tool has it, lacks: [sessions.get] }] }\n${step("operation: sessions.get")}`,
  );
  assert.equal(file, "x.yaml");
  assert.deepEqual(without, { mcp: [{ because: "no tool has it", lacks: ["sessions.get"] }] });
  assert.deepEqual(cases, [{ title: "a", operations: [{ operation: "sessions.get" }] }]);
});

test("each problem of a file has its line and the nearest known word", () => {
  const cases: readonly (readonly [text: string, problem: string])[] = [
    ["cases: []", 'x.yaml:1: "cases" must NOT have fewer than 1 items'],
    [step("operation: sessions.gte"), "x.yaml:4: .*sessions.gte.*wanted one of .*: did you mean .?sessions.get"],
    [step("operation: sessions.get\n        inputs: {}"), 'x.yaml:5: Unknown key "inputs": did you mean "input"'],
    [step("operation: sessions.get\n        expect: { error: NOT_FOUN }"), "x.yaml:5: .*NOT_FOUN.*NOT_FOUND"],
    [step("operation: sessions.get\n        expect: {}"), 'x.yaml:4: "expect" needs either "answer" or "error"'],
    [
      step("operation: sessions.get\n        expect: { answer: {}, names: [a] }"),
      'x.yaml:4: "names" belongs to "error"',
    ],
    [step("input: {}"), 'x.yaml:4: A step needs "operation" or "waitFor"'],
    [step("waitFor: { session: a }"), 'x.yaml:4: "waitFor" needs either "output" or "exit"'],
    [
      step("waitFor: { session: a, exit: true }\n        operation: sessions.get"),
      'x.yaml:4: A step with "waitFor" has no other keys',
    ],
    [
      `${step("operation: sessions.get")}  - title: a\n    operations: [{ operation: sessions.list }]`,
      'x.yaml:5: The title "a" is used twice',
    ],
    [`without: { cli: [{ because: short, lacks: [x] }] }\n${step("operation: sessions.get")}`, "x.yaml:1: "],
    ["cases: [\n", "x.yaml:2: "],
  ];
  for (const [text, problem] of cases) assert.match(problemsOf(text), new RegExp(`^${problem}`), text);
});

test("an expected answer leaves out keys of maps, and no items of lists", () => {
  assert.deepEqual(differences({ a: 1, b: { c: [1, 2] } }, { b: { c: [1, 2] } }), []);
  assert.deepEqual(differences({ b: [1, 2] }, { b: [1] }), ["answer.b is [1,2], wanted [1]"]);
  assert.deepEqual(differences({ b: [1, { c: 2 }] }, { b: [1, { c: 3 }] }), ["answer.b.1.c is 2, wanted 3"]);
  assert.deepEqual(differences(null, { a: 1 }), ['answer is null, wanted {"a":1}']);
  assert.deepEqual(differences({ a: null }, { a: null }), []);
  assert.deepEqual(differences({}, { a: null }), ["answer.a is nothing, wanted null"]);
});

test("a matcher compares what is not the same each time", () => {
  const matching: readonly (readonly [actual: unknown, wanted: object])[] = [
    ["one two", { $matches: "^one" }],
    ["one two", { $contains: "e t" }],
    [[{ a: 1, b: 2 }, 3], { $contains: { a: 1 } }],
    ["one", { $lacks: "two" }],
    [[1], { $lacks: 2 }],
    [3, { $above: 2 }],
    [[1, 2], { $length: 2 }],
  ];
  const others: readonly (readonly [actual: unknown, wanted: object])[] = [
    [1, { $matches: "1" }],
    [[{ a: 1 }], { $contains: { a: 2 } }],
    [null, { $lacks: "two" }],
    ["one", { $lacks: "on" }],
    [2, { $above: 2 }],
    ["3", { $above: 2 }],
    [[1], { $length: 2 }],
  ];
  for (const [actual, wanted] of matching) assert.deepEqual(differences(actual, wanted), [], JSON.stringify(wanted));
  for (const [actual, wanted] of others) assert.equal(differences(actual, wanted).length, 1, JSON.stringify(wanted));
});

test("a saved value is used by its name, and an unknown name is an error", () => {
  const saved = new Map<string, unknown>([["id", 7]]);
  assert.deepEqual(withSaved({ a: ["$id", "$(id)", "x$id"], b: null }, saved), { a: [7, "$(id)", "x$id"], b: null });
  assert.throws(() => withSaved({ a: "$other" }, saved), /Cannot use "\$other"/);
  assert.equal(valueAt({ a: [{ b: 2 }] }, "a.0.b"), 2);
  assert.equal(valueAt({ a: null }, "a.0.b"), undefined);
});
