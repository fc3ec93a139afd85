import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseUpstream, keyVariables, type UpstreamWishes } from "./upstream.ts";

const wishes = (given: Partial<UpstreamWishes> = {}): UpstreamWishes => ({
  dialect: undefined,
  baseUrl: undefined,
  model: "m",
  ...given,
});

test("the dialect is that of the key that is there, unless it is named", () => {
  assert.equal(chooseUpstream(wishes(), { OPENAI_API_KEY: "k" }).dialect, "openai-responses");
  assert.equal(chooseUpstream(wishes(), { GOOGLE_API_KEY: "k" }).dialect, "gemini");
  assert.equal(chooseUpstream(wishes({ dialect: "openai-chat" }), { OPENAI_API_KEY: "k" }).dialect, "openai-chat");
});

test("the address is given, of the environment, or the vendor's", () => {
  const environment = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "http://127.0.0.1:1/" };
  assert.equal(chooseUpstream(wishes({ baseUrl: "http://other:2" }), environment).baseUrl, "http://other:2");
  assert.equal(chooseUpstream(wishes(), environment).baseUrl, "http://127.0.0.1:1");
  assert.equal(chooseUpstream(wishes(), { ANTHROPIC_API_KEY: "k" }).baseUrl, "https://api.anthropic.com");
});

test("a gateway of ours is known by its path", () => {
  const guarded = chooseUpstream(wishes({ baseUrl: "http://127.0.0.1:1/wire/abc/anthropic" }), {});
  assert.equal(guarded.isGuarded, true);
  assert.equal(chooseUpstream(wishes({ baseUrl: "http://127.0.0.1:1/v1" }), {}).isGuarded, false);
});

test("what is missing is named, and a key never stands in a message", () => {
  assert.throws(() => chooseUpstream(wishes(), {}), { code: "USAGE", message: /set ANTHROPIC_API_KEY/ });
  const environment = { ANTHROPIC_API_KEY: "sk-secret" };
  assert.throws(() => chooseUpstream(wishes({ model: undefined }), environment), { message: /--model/ });
  assert.throws(() => chooseUpstream(wishes({ baseUrl: "sk-secret" }), environment), { message: /^((?!sk-).)*$/ });
  assert.ok(keyVariables.includes("OPENAI_API_KEY"));
});
