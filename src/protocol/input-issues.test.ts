import assert from "node:assert/strict";
import { test } from "node:test";
import { describeIssues, sentenceOf } from "./input-issues.ts";
import { operations } from "./operations.ts";

/** What a caller of an operation is told, each issue as one line. */
function told(name: keyof typeof operations, input: unknown): string[] {
  const result = operations[name].input.safeParse(input);
  return result.success ? [] : describeIssues(result.error.issues, input).map((issue) => sentenceOf([issue]));
}

const start = 'Cannot take the input: "';

test("numbers and lengths out of range name the bound and what was given", () => {
  assert.deepEqual(told("sessions.resize", { session: "work", columns: 0, rows: 2.5 }), [
    `${start}columns" must be at least 1, not 0`,
    `${start}rows" must be a whole number, not 2.5`,
  ]);
  assert.deepEqual(told("sessions.wait", { session: "work", for: { type: "quiet", quietMs: 1 } }), [
    `${start}for.quietMs" must be at least 10, not 1`,
  ]);
  assert.deepEqual(told("sessions.prompt", { session: "work", text: "" }), [`${start}text" must not be empty`]);
  assert.deepEqual(told("sessions.keys", { session: "work", keys: [] }), [`${start}keys" must not be empty`]);
});

test("a value out of a list names the list, also where a field has several forms", () => {
  assert.deepEqual(told("sessions.wait", { session: "work", for: { type: "done" } }), [
    `${start}for.type" must be one of exit, ready, output, quiet, status, event, not "done"`,
  ]);
  assert.match(
    told("sessions.messages", { session: "work", roles: "user,robot" })[0] ?? "",
    /"roles.1" must be one of conversation-start, .*, not "robot"/,
  );
  assert.deepEqual(told("sessions.logs", { session: "work", tail: "abc" }), [
    `${start}tail" must be a whole number, not "abc"`,
  ]);
});

test("what is missing, of another kind or unknown is said as that", () => {
  assert.deepEqual(told("sessions.search", { query: "x" }), [
    `${start}words" is missing`,
    'Cannot take the input: it has no field "query"',
  ]);
  assert.deepEqual(told("sessions.update", { session: "work", name: 5 }), [`${start}name" must be a text, not 5`]);
  assert.deepEqual(told("sessions.keys", { session: "work", keys: "C-c" }), [
    `${start}keys" must be a list, not a text`,
  ]);
});

test("names say what a name is; what may be a secret is not repeated", () => {
  const rule = "letters, digits, dot, underscore and dash, at most 64, first a letter or digit";
  assert.deepEqual(told("sessions.update", { session: "work", name: "my shell" }), [
    `${start}name" must be ${rule}, not "my shell"`,
  ]);
  assert.deepEqual(told("sessions.create", { command: ["true"], labels: { "a b": "c" } }), [
    `${start}labels.a b" is a key that must be ${rule}, not "a b"`,
  ]);
  assert.deepEqual(told("sessions.input", { session: "work", data: "hunter2!" }), [`${start}data" must be base64`]);
  const labels = Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`k${index}`, "v"]));
  assert.deepEqual(told("sessions.create", { command: ["true"], labels }), [
    `${start}labels" must have at most 32 labels`,
  ]);
});

test("no message of the schema library is left in any operation that is called with nothing or nonsense", () => {
  for (const name of Object.keys(operations) as (keyof typeof operations)[]) {
    for (const input of [{}, { session: 1, nonsense: true }, { session: "", from: "x", limit: -1, waitMs: "y" }]) {
      for (const line of told(name, input)) assert.doesNotMatch(line, /expected|Invalid|received|Too (?:big|small)/);
    }
  }
});
