import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { describeIssues, sentenceOf } from "./input-issues.ts";
import { operations } from "./operations.ts";

/** What a caller of an operation is told, each issue as one line. */
function told(name: keyof typeof operations, input: unknown): string[] {
  const schema = operations[name].input;
  const result = schema.safeParse(input);
  return result.success ? [] : describeIssues(result.error, input, schema).map((issue) => sentenceOf([issue]));
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
    'Cannot take the input: it has no field "query": wanted one of words, session, role, sinceUs, hitsMax',
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

/** Forms that no operation has together, each with a value that does not have it. */
const forms: readonly (readonly [schema: z.ZodType, value: unknown, message: string])[] = [
  [z.string().max(2), "abc", "must have at most 2 characters, not 3"],
  [z.string().min(2), "a", "must have at least 2 characters, not 1"],
  [z.array(z.int()).max(1), [1, 2], "must have at most 1 entries, not 2"],
  [z.number().max(3), 4, "must be at most 3, not 4"],
  [z.int().min(1), 0, "must be at least 1, not 0"],
  [z.number().multipleOf(2), 3, "is not valid"],
  [z.int(), null, "must be a number, not null"],
  [z.boolean(), [], "must be true or false, not a list"],
  [z.record(z.string(), z.int()), "a", "must be an object, not a text"],
  [z.bigint(), {}, "must be bigint, not an object"],
  [z.email(), "secret", 'must be of the form "email"'],
  [z.enum(["a", "b"]), 1, "must be one of a, b, not 1"],
  [z.enum(["a", "b"]), "c".repeat(200), `must be one of a, b, not "${"c".repeat(60)}…"`],
  [z.union([z.int(), z.array(z.string())]), { a: 1 }, "must be a list, not an object"],
  [z.union([z.int(), z.string().max(1)]), "ab", "must have at most 1 characters, not 2"],
];

test("each form of a value has its own words", () => {
  const found = forms.map(([schema, value]) => {
    const { error = assert.fail("it is valid") } = schema.safeParse(value);
    return describeIssues(error, value, schema)[0]?.message;
  });
  assert.deepEqual(
    found,
    forms.map(([, , message]) => message),
  );
  assert.equal(sentenceOf([]), "Cannot take the input: it is not valid");
});

test("no message of the schema library is left in any operation that is called with nothing or nonsense", () => {
  for (const name of Object.keys(operations) as (keyof typeof operations)[]) {
    for (const input of [{}, { session: 1, nonsense: true }, { session: "", from: "x", limit: -1, waitMs: "y" }]) {
      for (const line of told(name, input)) assert.doesNotMatch(line, /expected|Invalid|received|Too (?:big|small)/);
    }
  }
});
