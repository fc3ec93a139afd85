import assert from "node:assert/strict";
import { test } from "node:test";
import { dialectOf, parseTarget } from "./routes.ts";

test("parseTarget reads secret, route and path, and takes the secret from the header in the place of a dash", () => {
  assert.deepEqual(
    parseTarget("/wire/s3cret-_/gemini/v1beta/models/m:streamGenerateContent?alt=sse&key=x", undefined),
    {
      secret: "s3cret-_",
      route: "gemini",
      path: "/v1beta/models/m:streamGenerateContent?alt=sse&key=x",
    },
  );
  assert.equal(parseTarget("/wire/-/openai/responses", "other")?.secret, "other");
  assert.equal(parseTarget("/wire/-/openai/responses", undefined), undefined);
});

test("parseTarget has no address for paths that lead elsewhere", () => {
  const wrong = ["/v1/../x", "/%2e%2e/x", "/a%2fb", "//evil", "/a\\b", "/a b", "/a%00", "/./a"];
  for (const path of wrong) assert.equal(parseTarget(`/wire/s/anthropic${path}`, undefined), undefined, path);
  for (const url of ["/", "/wire/s", "/wire/s/unknown/x", "/wire//anthropic/x", "/v1/daemon", "/wire/s/anthropicx"]) {
    assert.equal(parseTarget(url, undefined), undefined, url);
  }
});

test("dialectOf knows the paths that answer with a turn", () => {
  const paths = {
    "/v1/messages?beta=true": "anthropic",
    "/chat/completions": "openai-chat",
    "/responses": "openai-responses",
    "/v1beta/models/m:streamGenerateContent?alt=sse": "gemini",
    "/v1internal:generateContent": "gemini",
    "/v1/messages/count_tokens": undefined,
    "/models": undefined,
  };
  for (const [path, dialect] of Object.entries(paths)) assert.equal(dialectOf("POST", path), dialect, path);
  assert.equal(dialectOf("GET", "/responses"), undefined);
});
