import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutSecrets } from "./acp-secrets.ts";

const kept = (message: Parameters<typeof withoutSecrets>[0]): unknown => {
  const bytes = withoutSecrets(message);
  return bytes === null ? null : (JSON.parse(new TextDecoder().decode(bytes)) as unknown);
};

test("keys in the settings of a connection are masked, and the rest of the request stays", () => {
  const jsonrpc = "2.0";
  assert.deepEqual(
    kept({ id: 0, method: "initialize", params: { protocolVersion: 1, _meta: { authToken: "sk-1", name: "x" } } }),
    { jsonrpc, id: 0, method: "initialize", params: { protocolVersion: 1, _meta: { authToken: "•••", name: "x" } } },
  );
  assert.deepEqual(
    kept({ id: 1, method: "authenticate", params: { methodId: "key", _meta: { "api-key": { value: ["k"] } } } }),
    { jsonrpc, id: 1, method: "authenticate", params: { methodId: "key", _meta: { "api-key": { value: ["•••"] } } } },
  );
});

test("the values of the environment and of the headers of MCP servers are masked, whatever their names", () => {
  const servers = (value: unknown) => [
    { name: "a", command: "x", args: ["--y"], env: [{ name: "REGION", value }] },
    { name: "b", url: "http://x", headers: [{ name: "X-Any", value }] },
    { name: "c", env: { KEY: value } },
    { name: "d", env: [value] },
  ];
  for (const method of ["session/new", "session/load", "session/resume"])
    assert.deepEqual(
      (kept({ id: 1, method, params: { cwd: "/", mcpServers: servers("v") } }) as { params: unknown }).params,
      { cwd: "/", mcpServers: servers("•••") },
    );
});

test("a message without secrets, and one that is no setting, is kept as it is", () => {
  const meta = { _meta: { token: "sk-1" } };
  assert.equal(kept({ id: 0, method: "initialize", params: { clientCapabilities: { token: true } } }), null);
  assert.equal(kept({ id: 0, method: "initialize" }), null);
  assert.equal(kept({ id: 0, method: "session/prompt", params: meta }), null);
  assert.equal(kept({ method: "initialize", params: meta }), null);
});
