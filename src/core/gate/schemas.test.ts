import assert from "node:assert/strict";
import { test } from "node:test";
import type { SchemaDialect } from "../json-schema/schema-form.ts";
import { patterns } from "../patterns/re2.ts";
import { needsPatterns, SchemaStore, type SchemaCheck } from "./schemas.ts";

const draft07 = "http://json-schema.org/draft-07/schema#";
const draft2020 = "https://json-schema.org/draft/2020-12/schema";

function check(schema: unknown, value: unknown, store = new SchemaStore({ patterns })): SchemaCheck {
  const compiled = store.compile(schema);
  assert.ok(compiled.usable, compiled.usable ? "" : compiled.message);
  return compiled.check(value);
}

const valid = (schema: unknown, value: unknown): boolean => check(schema, value).valid;

function refusal(schema: unknown): string {
  const compiled = new SchemaStore({ patterns }).compile(schema);
  assert.equal(compiled.usable, false);
  return compiled.usable ? "" : compiled.message;
}

function dialectOf(schema: unknown): SchemaDialect | undefined {
  const compiled = new SchemaStore({ patterns }).compile(schema);
  return compiled.usable ? compiled.dialect : undefined;
}

test("SchemaStore takes the dialect from $schema", () => {
  const list = [{ type: "string" }, { type: "number" }];
  assert.equal(valid({ $schema: draft07, items: list }, ["a", "b"]), false);
  assert.equal(valid({ $schema: draft2020, prefixItems: list }, ["a", "b"]), false);
  assert.match(refusal({ $schema: draft2020, items: list }), /schema/);
  assert.match(refusal({ $schema: "http://json-schema.org/draft-04/schema#" }), /neither 2020-12 nor draft-07/);
});

test("SchemaStore reads a schema without $schema as 2020-12 and falls back to draft-07", () => {
  assert.equal(dialectOf({ prefixItems: [{}] }), "2020-12");
  assert.equal(dialectOf({ items: [{ type: "string" }] }), "draft-07");
});

test("SchemaStore names the place that does not fit and never the value", () => {
  const result = check({ properties: { a: { items: { type: "number" } } } }, { a: [1, "hunter2"] });
  assert.deepEqual(result, {
    valid: false,
    reason: "mismatch",
    problems: [{ path: "/a/1", keyword: "type", message: "must be number" }],
  });
});

test("SchemaStore coerces nothing and fills in nothing", () => {
  const value = { n: "1" };
  const schema = { properties: { n: { type: "number" }, m: { default: 1 } } };
  assert.equal(valid(schema, value), false);
  assert.equal(valid(schema, {}), true);
  assert.deepEqual(value, { n: "1" });
});

test("a required name is not found on the prototype", () => {
  assert.equal(valid({ required: ["toString"] }, {}), false);
  assert.equal(valid({ additionalProperties: false }, JSON.parse('{"__proto__":{}}')), false);
});

test("a schema with an own key named __proto__ stays what it is", () => {
  assert.equal(valid(JSON.parse('{"properties":{"__proto__":{"type":"number"}},"required":["a"]}'), {}), false);
  const schema: unknown = JSON.parse('{"properties":{"__proto__":{"type":"number"}},"additionalProperties":false}');
  assert.equal(valid(schema, JSON.parse('{"__proto__":1}')), true);
  assert.equal(valid(schema, JSON.parse('{"__proto__":"1"}')), false);
});

test("a schema that does not compile is a value", () => {
  assert.match(refusal({ type: "strnig" }), /schema is invalid/);
  assert.match(refusal({ $ref: "#/$defs/gone" }), /can't resolve reference/);
  assert.match(refusal({ pattern: "(?!x)" }), /RE2/);
  assert.match(refusal(true), /not an object/);
  assert.match(refusal(null), /not an object/);
  assert.match(refusal({ $schema: 7 }), /neither/);
});

test("a remote reference is never fetched and does not compile", () => {
  assert.match(refusal({ $ref: "https://example.com/schema.json" }), /can't resolve reference/);
});

test("an asynchronous schema is refused, because its promise would count as valid", () => {
  assert.match(refusal({ $async: true, type: "number" }), /async/);
});

test("a schema that is a cycle, too long or too deep is refused", () => {
  const cycle: Record<string, unknown> = {};
  cycle["properties"] = { cycle };
  assert.match(refusal(cycle), /not JSON/);
  assert.match(refusal({ description: "x".repeat(300_000) }), /characters/);
  assert.match(refusal(JSON.parse(`${'{"not":'.repeat(600)}{}${"}".repeat(600)}`)), /too deep/);
  let deep: object = {};
  for (let level = 0; level < 500; level += 1) deep = { not: deep };
  assert.match(refusal(deep), /deeper than 100/);
});

test("a schema that asks for 2^40 visits is stopped", () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 40 }, (_, level) => {
      const next = { $ref: `#/$defs/d${level + 1}` };
      return [`d${level}`, { allOf: [next, next] }];
    }),
  );
  const schema = { $ref: "#/$defs/d0", $defs: { ...$defs, d40: { type: "object" } } };
  assert.deepEqual(check(schema, {}), { valid: false, reason: "too-complex", problems: [] });
  assert.deepEqual(check({ ...schema, $schema: draft07 }, {}), { valid: false, reason: "too-complex", problems: [] });
});

test("a property that is named like a keyword does not escape the budget", () => {
  const both = { allOf: [{ $ref: "#" }, { $ref: "#" }] };
  let value: object = {};
  for (let level = 0; level < 40; level += 1) value = { const: value };
  assert.equal(check({ properties: { const: both } }, value).valid, false);
});

test("a schema that refers to itself on the spot is stopped", () => {
  assert.deepEqual(check({ $ref: "#" }, {}), { valid: false, reason: "too-complex", problems: [] });
});

test("a pattern that explodes in a backtracking engine ends at once", () => {
  assert.equal(valid({ properties: { a: { pattern: "^(a+)+$" } } }, { a: `${"a".repeat(30_000)}!` }), false);
});

test("unique items are found without comparing each with each", () => {
  const items = Array.from({ length: 60_000 }, (_, index) => ({ a: index, b: [index] }));
  assert.equal(valid({ uniqueItems: true }, items), true);
  assert.equal(valid({ uniqueItems: true }, [...items, { b: [3], a: 3 }]), false);
  assert.equal(valid({ uniqueItems: false }, [1, 1]), true);
});

test("a schema that changes after it was compiled stays what it was", () => {
  const schema = { properties: { a: { const: { b: 1 } } } };
  const compiled = new SchemaStore({ patterns }).compile(schema);
  schema.properties.a.const.b = 2;
  assert.ok(compiled.usable && compiled.check({ a: { b: 1 } }).valid);
});

test("words under const and enum are data and stay as they are", () => {
  assert.equal(valid({ const: { $ref: "#" } }, { $ref: "#" }), true);
  assert.equal(valid({ enum: [{ $ref: "#" }] }, { $ref: "#" }), true);
});

test("an unknown keyword or format is an annotation", () => {
  assert.equal(valid({ "x-vendor": 1, format: "uint32", type: "integer" }, 1), true);
});

test("two schemas with one $id live side by side", () => {
  const store = new SchemaStore({ patterns });
  const $id = "https://example.com/one";
  assert.equal(check({ $id, type: "number" }, 1, store).valid, true);
  assert.equal(check({ $id, type: "string" }, 1, store).valid, false);
});

test("a schema with the $id of a meta-schema changes nothing for the next one", () => {
  for (const $id of ["http://json-schema.org/draft-07/schema", "https://json-schema.org/draft/2020-12/schema"]) {
    const store = new SchemaStore({ patterns });
    for (let round = 0; round < 2; round += 1) store.compile({ $id, items: [{}], type: "number" });
    for (let round = 0; round < 2; round += 1) store.compile({ $id, properties: {}, maximum: round });
    // Only the meta-schema finds these.
    assert.equal(store.compile({ title: 7 }).usable, false, $id);
    assert.equal(store.compile({ $schema: draft07, title: 7 }).usable, false, $id);
    assert.equal(check({ type: "number" }, "x", store).valid, false);
  }
});

test("each pattern is its own", () => {
  const store = new SchemaStore({ patterns });
  const schema = {
    properties: { a: { pattern: "^a$" }, b: { pattern: "^b$" } },
    patternProperties: { "^c": { type: "number" } },
  };
  assert.equal(check(schema, { a: "a", b: "b", c1: 1 }, store).valid, true);
  assert.equal(check(schema, { a: "a", b: "a" }, store).valid, false);
  assert.equal(check(schema, { c1: "x" }, store).valid, false);
  assert.equal(check({ pattern: "^d$" }, "a", store).valid, false);
});

test("SchemaStore compiles a schema once and keeps a limited number", () => {
  const store = new SchemaStore({ patterns, schemasMax: 2 });
  const first = store.compile({ type: "number" });
  assert.equal(store.compile({ type: "number" }), first);
  store.compile({ type: "string" });
  store.compile({ type: "number" });
  store.compile({ type: "null" });
  assert.equal(store.size, 2);
  assert.equal(store.compile({ type: "number" }), first);
});

test("without a reader of patterns a schema with one is unusable, and names it", () => {
  const bare = new SchemaStore();
  assert.deepEqual(bare.compile({ pattern: "^a$" }), {
    usable: false,
    message: `Cannot use the schema: ${needsPatterns}`,
  });
  assert.ok(bare.compile({ type: "string" }).usable);
});
