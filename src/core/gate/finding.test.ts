import assert from "node:assert/strict";
import { test } from "node:test";
import { findingOf } from "./finding.ts";
import { checkPolicyText } from "./policy-text.ts";
import { SchemaStore } from "./schemas.ts";
import type { JudgedCall } from "./tool-call.ts";

const call: JudgedCall = {
  id: "c1",
  kind: "function",
  name: "ls",
  argumentsText: '{"path":"a"}',
  arguments: { path: "a" },
  status: "complete",
  provenance: "wire",
  finish: "tool_calls",
};

test("a call is found sound or not, and only a sound one is decided; both are plain data", () => {
  const checked = checkPolicyText("version: 1\ndefault: allow\n");
  assert.ok(checked.ok);
  const finders = { policy: checked.policy, schemas: new SchemaStore() };
  const context = { workingDirectory: "/project", home: null, labels: [] };
  const withSchema = (schema: object) => ({ call, context, tools: new Map([["ls", { name: "ls", schema }]]) });
  const sound = findingOf(withSchema({ required: ["path"] }), finders);
  assert.equal(sound.decision?.effect, "allow");
  const unsound = findingOf(withSchema({ required: ["file"] }), finders);
  assert.deepEqual(
    unsound.reasons?.map(({ code }) => code),
    ["arguments-mismatch"],
  );
  assert.equal(unsound.decision, null);
  assert.deepEqual(structuredClone([sound, unsound]), [sound, unsound]);
});
