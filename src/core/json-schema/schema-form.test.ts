import assert from "node:assert/strict";
import { test } from "node:test";
import { formProblem, type SchemaDialect } from "./schema-form.ts";
import type { SchemaObject } from "./schema-run.ts";

const wrong = (schema: SchemaObject, dialect: SchemaDialect = "2020-12"): string | undefined =>
  formProblem(schema, { path: "", dialect, seen: new Set() });

test("formProblem names the place of what is wrong", () => {
  assert.match(wrong({ properties: { a: { type: "strnig" } } }) ?? "", /^schema is invalid: "\/properties\/a\/type"/);
  assert.match(wrong({ allOf: [true, 1] }) ?? "", /"\/allOf\/1" must be object or boolean/);
  assert.equal(wrong({ "x-unknown": 1, title: "t" }), undefined);
});

test("formProblem knows what each dialect takes", () => {
  const list = { items: [{}] };
  assert.equal(wrong(list, "draft-07"), undefined);
  assert.match(wrong(list) ?? "", /items/);
  assert.match(wrong({ prefixItems: [] }) ?? "", /at least 1 item/);
  assert.equal(wrong({ prefixItems: [] }, "draft-07"), undefined);
});
