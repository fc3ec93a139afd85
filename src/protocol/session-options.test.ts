import assert from "node:assert/strict";
import { test } from "node:test";
import { sessionOptionsSchema, wireInputSchema } from "./session-options.ts";

test("a session over the wire needs nothing said, and knows no other routes", () => {
  assert.deepEqual(wireInputSchema.parse({}), { approvalMs: 600_000, askOnce: true, mustGate: false });
  assert.equal(wireInputSchema.safeParse({ upstreams: { openai: "http://127.0.0.1:8000/v1" } }).success, true);
  assert.equal(wireInputSchema.safeParse({ upstreams: { openia: "http://x" } }).success, false);
});

test("a variable whose name has an equals sign is refused, because the program would read another one", () => {
  const problems = (environment: Readonly<Record<string, string>>): number =>
    sessionOptionsSchema.safeParse({ command: ["x"], environment }).error?.issues.length ?? 0;
  assert.equal(problems({ PATH: "/bin", "BASH_FUNC_f%%": "() { :; }", "": "kept" }), 0);
  for (const name of ["A=B", "=A", "A\0B"]) assert.equal(problems({ [name]: "C" }), 1, name);
});
