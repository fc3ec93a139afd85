import assert from "node:assert/strict";
import { test } from "node:test";
import { compileSchema } from "./json-schema.ts";
import type { SchemaDialect } from "./schema-form.ts";
import type { SchemaObject } from "./schema-run.ts";

const pattern = (source: string): RegExp => new RegExp(source, "u");

/** "path keyword" of each problem. */
function problems(schema: SchemaObject, value: unknown, dialect: SchemaDialect = "2020-12"): readonly string[] {
  const verdict = compileSchema(schema, { dialect, pattern })(value);
  return verdict.valid ? [] : verdict.problems.map(({ path, keyword }) => `${path} ${keyword}`);
}

test("compileSchema follows identifiers and anchors within the document", () => {
  const schema = {
    $id: "https://example.com/root/schema.json",
    $ref: "parts/item.json",
    $defs: {
      item: { $id: "parts/item.json", $ref: "#text", $defs: { text: { $anchor: "text", $ref: "../other.json" } } },
      other: { $id: "/root/other.json", type: "string" },
    },
  };
  assert.deepEqual(problems(schema, "a"), []);
  assert.deepEqual(problems(schema, 1), [" type"]);
  assert.deepEqual(problems({ $ref: "#a", definitions: { a: { $id: "#a", type: "null" } } }, 1, "draft-07"), [" type"]);
});

test("compileSchema refuses references that lead nowhere, out of the document or into data", () => {
  for (const reference of [
    "#/$defs/b",
    "#b",
    "https://example.com/a.json",
    "a.json",
    "#/$defs/a/const",
    "#/$defs/a/%",
  ]) {
    const schema = { $defs: { a: { const: { type: "null" } } }, $ref: reference };
    assert.throws(() => compileSchema(schema, { dialect: "2020-12", pattern }), Error, reference);
  }
  const same = { $id: "https://example.com/a", type: "null" };
  const twice = { $defs: { a: same, b: { ...same } } };
  assert.throws(() => compileSchema(twice, { dialect: "2020-12", pattern }), /more than one/);
});

test("compileSchema reads $dynamicRef within one document and refuses it across several", () => {
  const tree = {
    $dynamicAnchor: "node",
    type: "object",
    properties: { children: { items: { $dynamicRef: "#node" } } },
    unevaluatedProperties: false,
  };
  assert.deepEqual(problems(tree, { children: [{ children: [] }] }), []);
  assert.deepEqual(problems(tree, { children: [{ x: 1 }] }), ["/children/0 unevaluatedProperties"]);
  const several = { ...tree, $defs: { other: { $id: "https://example.com/other" } } };
  assert.throws(() => compileSchema(several, { dialect: "2020-12", pattern }), /not supported/);
});
