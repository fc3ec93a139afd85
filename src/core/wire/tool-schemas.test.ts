import assert from "node:assert/strict";
import { test } from "node:test";
import { readToolSchemas } from "./tool-schemas.ts";
import type { Dialect } from "./turn.ts";

const schema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
const read = { name: "read", description: "Reads" };

const requests: readonly (readonly [dialect: Dialect, request: unknown])[] = [
  ["openai-chat", { tools: [{ type: "function", function: { ...read, parameters: schema } }] }],
  ["openai-chat", { functions: [{ ...read, parameters: schema }] }],
  ["openai-responses", { tools: [{ type: "function", ...read, parameters: schema }, { type: "web_search" }] }],
  [
    "anthropic",
    {
      tools: [
        { ...read, input_schema: schema },
        { type: "web_search_20250305", name: "web_search" },
      ],
    },
  ],
  ["gemini", { tools: [{ functionDeclarations: [{ ...read, parametersJsonSchema: schema }] }, { googleSearch: {} }] }],
  ["gemini", { request: { tools: [{ function_declarations: [{ ...read, parametersJsonSchema: schema }] }] } }],
];

for (const [dialect, request] of requests) {
  test(`readToolSchemas reads ${dialect}: ${JSON.stringify(request).slice(0, 40)}`, () => {
    const schemas = readToolSchemas(dialect, request);
    assert.deepEqual([...schemas], [["read", { ...read, kind: "function", schema }]]);
  });
}

test("readToolSchemas makes JSON Schema of Gemini's own form", () => {
  const parameters = {
    type: "OBJECT",
    properties: {
      names: { type: "ARRAY", items: { type: "STRING", nullable: true }, minItems: "1" },
      type: { anyOf: [{ type: "INTEGER" }, { type: "BOOLEAN" }] },
    },
    required: ["names"],
    propertyOrdering: ["names"],
  };
  const schemas = readToolSchemas("gemini", { tools: [{ functionDeclarations: [{ name: "f", parameters }] }] });
  assert.deepEqual(schemas.get("f")?.schema, {
    type: "object",
    properties: {
      names: { type: "array", items: { anyOf: [{ type: "string" }, { type: "null" }] }, minItems: 1 },
      type: { anyOf: [{ type: "integer" }, { type: "boolean" }] },
    },
    required: ["names"],
  });
});

test("readToolSchemas knows free text and tools of the API that the client executes", () => {
  const tools = [{ type: "custom", name: "apply_patch", format: {} }, { type: "local_shell" }, { type: "computer" }];
  const kinds = [...readToolSchemas("openai-responses", { tools }).values()].map((tool) => [tool.name, tool.kind]);
  assert.deepEqual(kinds, [
    ["apply_patch", "custom"],
    ["local_shell", "native"],
    ["computer", "native"],
  ]);
  const bash = readToolSchemas("anthropic", { tools: [{ type: "bash_20250124", name: "bash" }] }).get("bash");
  assert.deepEqual(bash, { name: "bash", description: null, kind: "function", schema: null });
});

test("readToolSchemas takes anything", () => {
  for (const request of [
    null,
    1,
    [],
    {},
    { tools: 1 },
    { tools: [null, 1, {}] },
    { tools: [{ functionDeclarations: [1] }] },
  ]) {
    for (const dialect of ["openai-chat", "openai-responses", "anthropic", "gemini"] as const) {
      assert.equal(readToolSchemas(dialect, request).size, 0);
    }
  }
});

test("tools of two namespaces of the Responses API with one name are two tools", () => {
  const inner = (type: string) => [{ type: "function", name: "delete", parameters: { type } }];
  const spaces = ["mcp__github", "mcp__files__"].map((name) => ({ type: "namespace", name, tools: inner("object") }));
  const tools = readToolSchemas("openai-responses", { tools: spaces });
  assert.deepEqual([...tools.keys()], ["mcp__github__delete", "mcp__files__delete"]);
});

test('tools that the conversation gives are offered, and those in "functions" are in no namespace', () => {
  const items = [
    { type: "namespace", name: "functions", tools: [{ type: "custom", name: "exec" }] },
    { type: "namespace", name: "clock", tools: [{ type: "function", name: "sleep", parameters: {} }] },
  ];
  const request = { input: [{ type: "additional_tools", role: "developer", tools: items }, { role: "user" }] };
  const tools = readToolSchemas("openai-responses", request);
  assert.deepEqual(
    [...tools.values()].map(({ kind, name }) => [name, kind]),
    [
      ["exec", "custom"],
      ["clock__sleep", "function"],
    ],
  );
});
