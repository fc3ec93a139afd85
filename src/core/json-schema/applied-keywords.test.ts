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

test("compileSchema counts what applicators looked at for the unevaluated keywords", () => {
  const schema = {
    properties: { a: {} },
    anyOf: [
      { required: ["b"], properties: { b: {} } },
      { required: ["c"], properties: { c: {} } },
    ],
    unevaluatedProperties: false,
  };
  assert.deepEqual(problems(schema, { a: 1, b: 1, c: 1 }), []);
  assert.deepEqual(problems(schema, { b: 1, d: 1 }), [" unevaluatedProperties"]);
  const list = { prefixItems: [{}], contains: { type: "string" }, unevaluatedItems: { type: "null" } };
  assert.deepEqual(problems(list, [1, "a", null, "b"]), []);
  assert.deepEqual(problems(list, [1, "a", 2]), ["/2 type"]);
});

test("a keyword for other types says nothing", () => {
  const schema = { properties: { a: false }, items: false, contains: true, propertyNames: false, pattern: "^$" };
  for (const value of [1, null, true]) assert.deepEqual(problems(schema, value), []);
});

test("the problems of alternatives are told only if none of them fits", () => {
  const [text, number] = [{ type: "string" }, { type: "number" }];
  assert.deepEqual(problems({ anyOf: [text, number] }, null), [" type", " type", " anyOf"]);
  assert.deepEqual(problems({ not: text, oneOf: [text, number], minimum: 2 }, 1), [" minimum"]);
  assert.deepEqual(
    problems(JSON.parse('{"if":{"type":"string"},"then":false,"else":{"minimum":2}}') as SchemaObject, 1),
    [" minimum", " if"],
  );
});

test("draft-07 knows neither prefixItems nor minContains", () => {
  const check = (schema: SchemaObject, value: unknown): boolean =>
    compileSchema(schema, { dialect: "draft-07", pattern })(value).valid;
  assert.equal(check({ prefixItems: [false], items: false }, [null]), false);
  assert.equal(check({ minContains: 0, contains: true }, []), false);
});
