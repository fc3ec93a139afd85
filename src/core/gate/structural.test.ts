import assert from "node:assert/strict";
import { test } from "node:test";
import { SchemaStore } from "./schemas.ts";
import { commitStructure, type StructuralReasonCode } from "./structural.ts";
import type { Finish } from "../wire/turn.ts";
import type { JudgedCall, ToolDefinition } from "./tool-call.ts";

const tools = new Map<string, ToolDefinition>([
  [
    "read_file",
    {
      name: "read_file",
      schema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    },
  ],
  ["built_in", { name: "built_in", schema: null }],
  ["broken", { name: "broken", schema: { type: "strnig" } }],
  ["endless", { name: "endless", schema: { $ref: "#" } }],
]);
const schemas = new SchemaStore();

const whole: JudgedCall = {
  id: "call_1",
  kind: "function",
  name: "read_file",
  argumentsText: '{"path":"a.ts"}',
  arguments: { path: "a.ts" },
  status: "complete",
  provenance: "wire",
  finish: "tool_calls",
};

function reasonsOf(changes: Partial<JudgedCall>): readonly StructuralReasonCode[] {
  const commit = commitStructure({ ...whole, ...changes }, { tools, schemas });
  return commit.committed ? [] : commit.reasons.map((reason) => reason.code);
}

test("a whole, named, offered and valid call is committed with the dialect of its schema", () => {
  assert.deepEqual(commitStructure(whole, { tools, schemas }), {
    committed: true,
    tool: tools.get("read_file"),
    dialect: "2020-12",
  });
});

test("a turn that failed or is still open commits nothing", () => {
  const failed: readonly Finish[] = ["content_filter", "error", "truncated"];
  for (const finish of failed) assert.deepEqual(reasonsOf({ finish }), ["turn-failed"]);
  assert.deepEqual(reasonsOf({ finish: null }), ["turn-open"]);
});

test("a turn that the provider ended may commit", () => {
  for (const finish of ["stop", "tool_calls", "length"] as const) assert.deepEqual(reasonsOf({ finish }), []);
});

test("a call without a name or of a tool that was not offered is refused", () => {
  assert.deepEqual(reasonsOf({ name: "" }), ["unnamed"]);
  assert.deepEqual(reasonsOf({ name: "toString" }), ["tool-unknown"]);
  assert.deepEqual(reasonsOf({ name: "Read_File" }), ["tool-unknown"]);
  assert.deepEqual(reasonsOf({ name: "read_file ", finish: "error" }), ["turn-failed", "tool-unknown"]);
});

test("a healed call is never committed, even where it is valid", () => {
  assert.deepEqual(reasonsOf({ status: "healed" }), ["arguments-healed"]);
  assert.deepEqual(reasonsOf({ provenance: "healed" }), ["arguments-healed"]);
});

test("arguments that are not valid JSON or not an object are refused", () => {
  assert.deepEqual(reasonsOf({ status: "invalid", arguments: null }), ["arguments-invalid"]);
  for (const value of [null, [], "x", 1]) assert.deepEqual(reasonsOf({ arguments: value }), ["arguments-not-object"]);
});

test("arguments that do not fit name the place", () => {
  const commit = commitStructure({ ...whole, arguments: { path: 7 } }, { tools, schemas });
  assert.deepEqual(commit, {
    committed: false,
    reasons: [
      {
        code: "arguments-mismatch",
        message: "The arguments do not fit the tool's schema",
        problems: [{ path: "/path", keyword: "type", message: "must be string" }],
      },
    ],
  });
});

test("arguments over the size limit are refused unread", () => {
  const commit = commitStructure(whole, { tools, schemas, argumentsCharsMax: 3 });
  assert.equal(commit.committed, false);
  assert.equal(!commit.committed && commit.reasons[0]?.code, "arguments-too-large");
});

test("a schema that does not compile or does not end commits nothing", () => {
  assert.deepEqual(reasonsOf({ name: "broken" }), ["schema-unusable"]);
  assert.deepEqual(reasonsOf({ name: "endless" }), ["schema-too-complex"]);
});

test("a tool without a schema takes any object and says that it had none", () => {
  const commit = commitStructure({ ...whole, name: "built_in" }, { tools, schemas });
  assert.deepEqual(commit, { committed: true, tool: tools.get("built_in"), dialect: null });
  assert.deepEqual(reasonsOf({ name: "built_in", arguments: "x" }), ["arguments-not-object"]);
});

test("empty arguments commit as an empty object where the schema takes one", () => {
  assert.deepEqual(reasonsOf({ name: "built_in", argumentsText: "", arguments: {}, provenance: "empty" }), []);
  assert.deepEqual(reasonsOf({ argumentsText: "", arguments: {}, provenance: "empty" }), ["arguments-mismatch"]);
});

test("free text commits as it is, and only where the call is one of free text", () => {
  const text = { kind: "custom", name: "built_in", arguments: "*** Begin Patch" } as const;
  assert.deepEqual(reasonsOf(text), []);
  assert.deepEqual(reasonsOf({ ...text, kind: "function" }), ["arguments-not-object"]);
  assert.deepEqual(reasonsOf({ ...text, arguments: {} }), ["arguments-not-text"]);
});

test("arguments that had no time to come before the length limit are not empty ones", () => {
  const empty = { argumentsText: "", arguments: {}, provenance: "empty", name: "built_in" } as const;
  assert.deepEqual(reasonsOf(empty), []);
  assert.deepEqual(reasonsOf({ ...empty, finish: "length" }), ["arguments-healed"]);
});
