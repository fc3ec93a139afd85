import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { patterns } from "../patterns/re2.ts";
import { policyCasesSchema, policySchema } from "./policy-schema.ts";
import { SchemaStore } from "./schemas.ts";

const published = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../schemas/${name}.schema.json`, import.meta.url), "utf8"));

test("the published schemas are the ones that files are read by", () => {
  assert.deepEqual(published("policy"), policySchema);
  assert.deepEqual(published("policy-cases"), policyCasesSchema);
});

test("the schemas compile and take what they should", () => {
  const store = new SchemaStore({ patterns });
  const policy = store.compile(policySchema);
  const cases = store.compile(policyCasesSchema);
  assert.ok(policy.usable && cases.usable);
  assert.equal(policy.check({ version: 1, rules: [{ id: "a", effect: "deny", tool: ["x", "y"] }] }).valid, true);
  assert.equal(policy.check({ version: 1, rules: [{ id: "a", effect: "deny", tool: [] }] }).valid, false);
  assert.equal(policy.check({ version: 1, limits: [{ id: "a", burst: 2 }] }).valid, false);
  assert.equal(cases.check({ cases: [{ tool: "x", expect: "ask" }] }).valid, true);
});
