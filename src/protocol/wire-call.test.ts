import assert from "node:assert/strict";
import { test } from "node:test";
import { judgedCall, policyLabels } from "./wire-call.ts";
import type { WireToolCallEvent } from "../core/records.ts";

const event: WireToolCallEvent = {
  type: "wire-tool-call",
  call: "call_1",
  kind: "function",
  tool: "bash",
  argumentsText: '{"command":"ls"}',
  argumentsHash: "a",
  status: "complete",
  provenance: "wire",
  finish: "tool_calls",
  source: "anthropic",
  effect: "allow",
  decidedBy: "ls",
};

test("a recorded call is judged with the arguments that it had", () => {
  assert.deepEqual(judgedCall(event), {
    id: "call_1",
    kind: "function",
    name: "bash",
    argumentsText: '{"command":"ls"}',
    arguments: { command: "ls" },
    status: "complete",
    provenance: "wire",
    finish: "tool_calls",
  });
  assert.deepEqual(judgedCall({ ...event, argumentsText: " ", provenance: "empty" })?.arguments, {});
  assert.equal(judgedCall({ ...event, kind: "custom", argumentsText: "a patch" })?.arguments, "a patch");
});

test("arguments that are no JSON or were too long are not judged as if they were", () => {
  assert.equal(judgedCall({ ...event, argumentsText: "{" })?.status, "invalid");
  assert.equal(judgedCall({ ...event, argumentsText: '{"a', status: "healed" })?.status, "healed");
  assert.equal(judgedCall({ ...event, argumentsText: null }), undefined);
});

test("labels are told to a policy as key and value", () => {
  assert.deepEqual(policyLabels({ project: "shop", ci: "" }), ["project=shop", "ci="]);
});
