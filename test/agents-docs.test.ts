/** docs/agents.md: its files can be read, its example does what it says, and it names every key. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readAgentFiles } from "../src/core/agents/agent-reader.ts";
import { agentSchema } from "../src/core/agents/agent-file.ts";
import { extractMessages } from "../src/replay/extract-messages.ts";

const text = readFileSync(join(import.meta.dirname, "..", "docs", "agents.md"), "utf8");

test("the files in docs/agents.md have no problem", () => {
  const examples = [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = ""], index) => ({
    path: `${index}`,
    text: yaml,
  }));
  assert.equal(examples.length, 4);
  assert.deepEqual(readAgentFiles(examples).problems, []);
});

/** All names of keys in a schema. */
function keysIn(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties = {}, ...rest } = schema as { readonly properties?: object };
  return [...Object.keys(properties), ...Object.values({ ...properties, ...rest }).flatMap(keysIn)];
}

test("docs/agents.md names every key", () => {
  const missing = [...new Set(keysIn(agentSchema))].filter((key) => !new RegExp(`\\b${key}\\b`).test(text));
  assert.deepEqual(missing, []);
});

test("the example of docs/agents.md gives the messages that it names", () => {
  const [, input = ""] = /extractMessages\("(.*?)", "codex"\)/.exec(text) ?? [];
  const [, expected = ""] = /\/\/ => (.*)/.exec(text) ?? [];
  const messages = extractMessages(JSON.parse(`"${input}"`) as string, "codex");
  assert.deepEqual(
    messages.map(({ role, text: own }) => `${role}: ${own}`),
    JSON.parse(expected),
  );
});
