import assert from "node:assert/strict";
import { test } from "node:test";
import { wireInputSchema } from "./wire-input.ts";

test("a session over the wire needs nothing said, and knows no other routes", () => {
  assert.deepEqual(wireInputSchema.parse({}), { approvalMs: 600_000, askOnce: true, mustGate: false });
  assert.equal(wireInputSchema.safeParse({ upstreams: { openai: "http://127.0.0.1:8000/v1" } }).success, true);
  assert.equal(wireInputSchema.safeParse({ upstreams: { openia: "http://x" } }).success, false);
});
