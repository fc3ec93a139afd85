import assert from "node:assert/strict";
import { test } from "node:test";
import { providerOf } from "./provider.ts";

test("a dialect belongs to its vendor", () => {
  const dialects = ["anthropic", "gemini", "openai-chat", "openai-responses"] as const;
  assert.deepEqual(dialects.map(providerOf), ["anthropic", "gemini", "openai", "openai"]);
});
