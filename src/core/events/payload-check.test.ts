import assert from "node:assert/strict";
import { test } from "node:test";
import { payloadCheck, schemaProblem } from "./payload-check.ts";

test("a payload that does not match is told where", () => {
  const check = payloadCheck({ type: "object", required: ["ok"], properties: { ok: { type: "boolean" } } });
  assert.deepEqual(check({ ok: true }), []);
  assert.match(check({ ok: 1 })[0] ?? "", /^\/ok: /);
});

test("a schema that cannot be used passes nothing", () => {
  assert.match(schemaProblem({ $schema: "http://other" }) ?? "", /\$schema/);
  assert.equal(schemaProblem({ type: "object" }), undefined);
  assert.match(payloadCheck(3)(3)[0] ?? "", /Cannot use the schema: it is not an object/);
});
