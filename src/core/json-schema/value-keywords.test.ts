import assert from "node:assert/strict";
import { test } from "node:test";
import { compileSchema } from "./json-schema.ts";
import type { SchemaObject } from "./schema-run.ts";

const pattern = (source: string): RegExp => new RegExp(source, "u");

/** "path keyword" of each problem. */
function problems(schema: SchemaObject, value: unknown): readonly string[] {
  const verdict = compileSchema(schema, { dialect: "2020-12", pattern })(value);
  return verdict.valid ? [] : verdict.problems.map(({ path, keyword }) => `${path} ${keyword}`);
}

test("compileSchema takes null for a nullable type, and refuses nullable without a type", () => {
  assert.deepEqual(problems({ type: "string", nullable: true }, null), []);
  assert.deepEqual(problems({ type: "string", nullable: false }, null), [" type"]);
  assert.throws(() => problems({ nullable: true }, null), /without "type"/);
});

test("lengths count characters, not their halves", () => {
  assert.deepEqual(problems({ maxLength: 1, minLength: 1 }, "\u{1F600}"), []);
  assert.deepEqual(problems({ maxLength: 1 }, "\u{1F600}a"), [" maxLength"]);
  assert.deepEqual(problems({ minLength: 2 }, "\u{1F600}"), [" minLength"]);
  assert.deepEqual(problems({ minLength: 3 }, "\u{1F600}aa"), []);
});

test("values are equal by what they contain", () => {
  assert.deepEqual(problems({ const: { a: [1], b: null } }, { b: null, a: [1] }), []);
  assert.deepEqual(problems({ const: { a: 1 } }, JSON.parse('{"__proto__":1}')), [" const"]);
  assert.deepEqual(problems({ enum: [[], {}] }, []), []);
  assert.deepEqual(problems({ enum: [[], 0] }, {}), [" enum"]);
});
