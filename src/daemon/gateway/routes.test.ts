import assert from "node:assert/strict";
import { test } from "node:test";
import type { WireRoute } from "../../core/agents/agent-file.ts";
import { judgePath, overrideIn, parseTarget } from "./routes.ts";

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

const judged = (method: string, route: WireRoute, path: string): string => {
  const verdict = judgePath(method, { route, path });
  return verdict.type === "turn" ? verdict.dialect : verdict.type;
};

test("judgePath knows the paths that answer with a turn", () => {
  const paths: readonly (readonly [WireRoute, string, string])[] = [
    ["anthropic", "/v1/messages?beta=true", "anthropic"],
    ["openai", "/chat/completions", "openai-chat"],
    ["openai", "/responses", "openai-responses"],
    ["gemini", "/v1beta/models/m:streamGenerateContent?alt=sse", "gemini"],
    ["code-assist", "/v1internal:generateContent", "gemini"],
  ];
  for (const [route, path, dialect] of paths) assert.equal(judged("POST", route, path), dialect, path);
});

test("judgePath passes what holds no turn", () => {
  const lines: readonly (readonly [WireRoute, string])[] = [
    ["anthropic", "POST /v1/messages/count_tokens?beta=true"],
    ["anthropic", "GET /v1/models?limit=100"],
    ["anthropic", "HEAD /"],
    ["anthropic", "GET "],
    ["openai", "GET /models"],
    ["openai", "GET /models/qwen%3A7b"],
    ["openai", "GET /v1/models/meta/llama-3"],
    ["openai", "POST /embeddings"],
    ["openai", "GET /api/tags"],
    ["gemini", "POST /v1beta/models/m:countTokens"],
    ["gemini", "GET /v1beta/models"],
    ["gemini", "POST /upload/v1beta/files?uploadType=resumable"],
    ["code-assist", "POST /v1internal:loadCodeAssist"],
    ["code-assist", "GET /v1internal/operations/abc"],
  ];
  for (const [route, line] of lines) {
    const [method = "", path = ""] = line.split(" ");
    assert.equal(judged(method, route, path), "plain", line);
  }
});

test("judgePath refuses every other path, also those that a server takes for one with a turn", () => {
  const lines: readonly (readonly [WireRoute, string])[] = [
    ["openai", "GET /responses/resp_1"],
    ["openai", "GET /responses/resp_1?stream=true"],
    ["openai", "POST /responses/resp_1/cancel"],
    ["openai", "POST /responses/"],
    ["openai", "POST /chat/completions/"],
    ["openai", "POST /chat/comple%74ions"],
    ["openai", "POST /Chat/Completions"],
    ["openai", "POST /chat/completions;x"],
    ["openai", "GET /chat/completions/chatcmpl-1"],
    ["openai", "POST /api/chat"],
    ["openai", "POST /api/generate"],
    ["openai", "POST /batches"],
    ["openai", "GET /batches/b/output"],
    ["openai", "GET /responses/resp_1/input_items"],
    ["openai", "DELETE /responses/resp_1"],
    ["openai", "POST /v1/responses//"],
    ["openai", "POST /responses%2F"],
    ["openai", "POST /completions"],
    ["openai", "GET /realtime?model=m"],
    ["openai", "POST /realtime/client_secrets"],
    ["openai", "GET /conversations/c/items"],
    ["openai", "GET /vector_stores"],
    ["openai", "POST /v1/embeddings/"],
    ["openai", "POST /api/pull"],
    ["openai", "POST /completion"],
    ["openai", "POST /infill"],
    ["anthropic", "POST /v1/complete"],
    ["anthropic", "POST /v1/sessions/s/events"],
    ["gemini", "GET /v1beta/models/m:generateContent"],
    ["gemini", "GET /v1beta/models/m:streamGenerateContent?alt=sse"],
    ["gemini", "POST /v1beta/models/m:generateContent/"],
    ["gemini", "POST /v1beta/models/m:asyncBatchEmbedContent"],
    ["gemini", "GET /v1beta/batches/b"],
    ["code-assist", "GET /v1internal:generateContent"],
    ["openai", "POST /realtime/calls"],
    ["openai", "POST /threads/t/runs"],
    ["openai", "PUT /responses"],
    ["openai", "OPTIONS /responses"],
    ["anthropic", "POST /v1/messages/"],
    ["anthropic", "POST /v1/messag%65s"],
    ["anthropic", "POST /v1/messages/batches"],
    ["anthropic", "GET /v1/messages/batches/b/results"],
    ["anthropic", "GET /v1/messages"],
    ["gemini", "POST /v1beta/models/m:batchGenerateContent"],
    ["gemini", "POST /v1beta/models/m%3AgenerateContent"],
    ["gemini", "GET /v1beta/interactions/i"],
    ["gemini", "POST /google.ai.generativelanguage.v1beta.GenerativeService/GenerateContent"],
    ["code-assist", "POST /v1internal:other"],
  ];
  for (const [route, line] of lines) {
    const [method = "", path = ""] = line.split(" ");
    assert.equal(judged(method, route, path), "refused", line);
  }
});

test("overrideIn finds what makes another request of this one for a server", () => {
  for (const name of ["x-http-method-override", "x-http-method", "x-method-override"]) {
    assert.match(overrideIn({ [name]: "POST" }, "/v1beta/models") ?? "", new RegExp(name));
  }
  for (const query of ["_method=POST", "%24httpMethod=POST", "a=1&$httpHeaders=x", "$req={}", "callback=f", "$ct=x"]) {
    assert.match(overrideIn({}, `/v1beta/models?${query}`) ?? "", /parameter/, query);
  }
  assert.equal(
    overrideIn({ "x-goog-api-key": "k" }, "/v1beta/models/m:generateContent?alt=sse&key=x&$alt=json"),
    undefined,
  );
});
