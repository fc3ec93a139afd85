/** What must never come in, as data: one row each, sent as raw bytes over HTTP, and as an upgrade where it applies. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { tokens } from "./support/memory-service.ts";
import { startMemoryServer } from "./support/memory-server.ts";
import { sendRaw } from "./support/raw-http.ts";

const memory = await startMemoryServer();
after(() => memory[Symbol.asyncDispose]());
const { port } = memory;
const where = { host: "127.0.0.1", port };

interface Row {
  readonly name: string;
  readonly status: number;
  readonly method?: string;
  readonly target?: string;
  readonly version?: string;
  /** `null` leaves the header out; a list sends it more than once. */
  readonly host?: string | null | readonly string[];
  readonly token?: string | null;
  readonly headers?: readonly string[];
  readonly body?: string;
  /** Also as a WebSocket upgrade, which must give the same status. */
  readonly upgrade?: boolean;
}

const json = "Content-Type: application/json";
const deep = "[".repeat(100_000);
const token = tokens.admin;

const rows: readonly Row[] = [
  { name: "A1 a foreign Host", host: "attacker.example", status: 421, upgrade: true },
  { name: "A2 a Host without the port", host: "127.0.0.1", status: 421, upgrade: true },
  { name: "A3 the Host 0.0.0.0", host: `0.0.0.0:${port}`, status: 421, upgrade: true },
  { name: "A4 the Host with a final dot", host: `localhost.:${port}`, status: 421, upgrade: true },
  { name: "A5 a Host that resolves to loopback", host: `127.0.0.1.nip.io:${port}`, status: 421, upgrade: true },
  { name: "A6 a Host with a user", host: `a@127.0.0.1:${port}`, status: 421, upgrade: true },
  { name: "A7 two Hosts", host: [`127.0.0.1:${port}`, `127.0.0.1:${port}`], status: 421, upgrade: true },
  { name: "A8 no Host in HTTP/1.1", host: null, status: 400, upgrade: true },
  { name: "A9 no Host in HTTP/1.0", host: null, version: "1.0", status: 421 },
  { name: "A10 an absolute-form target", target: `http://127.0.0.1:${port}/v1/sessions`, status: 400, upgrade: true },
  { name: "A11 a foreign Origin", headers: ["Origin: https://evil.example"], status: 403, upgrade: true },
  { name: "A12 the Origin null", headers: ["Origin: null"], status: 403, upgrade: true },
  { name: "A13 an Origin on another port", headers: ["Origin: http://localhost:3000"], status: 403, upgrade: true },
  {
    name: "A14 an Origin that begins like ours",
    headers: [`Origin: http://localhost:${port}.evil.com`],
    status: 403,
    upgrade: true,
  },
  { name: "A15 a cross-site request", headers: ["Sec-Fetch-Site: cross-site"], status: 403, upgrade: true },
  { name: "A16 a same-site request", headers: ["Sec-Fetch-Site: same-site"], status: 403, upgrade: true },
  { name: "A17 no token", token: null, status: 401, upgrade: true },
  { name: "A18 a token that lacks its last character", token: token.slice(0, -1), status: 401, upgrade: true },
  { name: "A19 an empty bearer", token: "", status: 401, upgrade: true },
  { name: "A20 basic authentication", token: null, headers: ["Authorization: Basic YTpi"], status: 401, upgrade: true },
  { name: "A21 a token in the URL", target: `/v1/sessions?token=${token}`, token: null, status: 400, upgrade: true },
  { name: "A21 a token in the URL beside a good one", target: "/v1/sessions?access%5Ftoken=x", status: 400 },
  { name: "two Authorization headers", headers: [`Authorization: Bearer ${token}`], status: 401 },
  { name: "A22 a form post as text", method: "POST", headers: ["Content-Type: text/plain"], body: "{}", status: 415 },
  {
    name: "A23 a form post",
    method: "POST",
    headers: ["Content-Type: application/x-www-form-urlencoded"],
    body: "a=b",
    status: 415,
  },
  { name: "a write without a content type", method: "POST", body: "{}", status: 415 },
  { name: "a compressed body", method: "POST", headers: [json, "Content-Encoding: gzip"], body: "{}", status: 415 },
  {
    name: "A24 a preflight from a foreign page",
    method: "OPTIONS",
    token: null,
    headers: ["Origin: https://evil.example", "Access-Control-Request-Method: POST"],
    status: 403,
  },
  { name: "A25 broken JSON", method: "POST", headers: [json], body: '{"command":', status: 400 },
  { name: "A26 a 100,000-deep array", method: "POST", headers: [json], body: deep, status: 422 },
  {
    name: "A26 a 100,000-deep array that closes",
    method: "POST",
    headers: [json],
    body: `{"command":${deep}${"]".repeat(100_000)}}`,
    status: 422,
  },
  {
    name: "A27 the key __proto__",
    method: "POST",
    headers: [json],
    body: '{"command":["a"],"__proto__":{"x":1}}',
    status: 422,
  },
  {
    name: "A27 the key __proto__ deeper",
    method: "POST",
    headers: [json],
    body: '{"command":["a"],"labels":{"__proto__" : "x"}}',
    status: 422,
  },
  {
    name: "A27 the key __proto__ in disguise",
    method: "POST",
    headers: [json],
    body: '{"command":["a"],"labels":{"__pr\\u006fto__":"x"}}',
    status: 422,
  },
  { name: "A28 an extra key", method: "POST", headers: [json], body: '{"command":["a"],"admin":true}', status: 422 },
  { name: "A29 a 2 MB body", method: "POST", headers: [json], body: `"${"x".repeat(2_000_000)}"`, status: 413 },
  { name: "a body that is not UTF-8", method: "POST", headers: [json], body: '{"command":["\u00ff"]}', status: 400 },
  { name: "a body that is a list", method: "POST", headers: [json], body: "[]", status: 422 },
  { name: "A30 an id that climbs", target: "/v1/sessions/..%2f..%2fetc", status: 400, upgrade: true },
  { name: "A31 a path that climbs", target: "/../../etc/passwd", status: 404, upgrade: true },
  { name: "A31 a path that climbs, escaped", target: "/v1/x/%2e%2e/sessions", status: 404, upgrade: true },
  { name: "A32 an id with NUL", target: "/v1/sessions/%00", status: 400, upgrade: true },
  { name: "A33 an id with a broken escape", target: "/v1/sessions/%zz", status: 400, upgrade: true },
  { name: "A34 an id with a line break", target: "/v1/sessions/a%0d%0aSet-Cookie:x", status: 400, upgrade: true },
  { name: "A35 an id with an escape sequence", target: "/v1/sessions/%1b%5B31m", status: 400, upgrade: true },
  { name: "an id that turns the text around", target: "/v1/sessions/a%E2%80%AEb", status: 400 },
  { name: "an id that no session can have", target: "/v1/sessions/a%20b", status: 422 },
  { name: "a query with a broken escape", target: "/v1/sessions?label=%zz", status: 400 },
  { name: "a query key that is given twice", target: "/v1/sessions?state=exited&state=lost", status: 422 },
  {
    name: "A36 a length and chunks",
    method: "POST",
    headers: [json, "Transfer-Encoding: chunked"],
    body: "{}",
    status: 400,
  },
  { name: "A38 a 20 KB header", headers: [`X-Long: ${"x".repeat(20_000)}`], status: 431 },
  { name: "A39 the method TRACE", method: "TRACE", status: 405 },
  { name: "an unknown path", target: "/v1/nothing", status: 404, upgrade: true },
  {
    name: "a fixed part with an escape, which the guard would take for another path",
    target: "/v1/%73essions",
    status: 404,
  },
  { name: "a method that a path does not have", method: "PUT", headers: [json], body: "{}", status: 405 },
  { name: "A43 a WebSocket where there is none", target: "/v1/sessions", status: 200 },
  { name: "A46 a good request", status: 200 },
  { name: "a good request of our own page", headers: [`Origin: http://localhost:${port}`], status: 200 },
];

function requestOf(row: Row, extra: readonly string[] = []): Buffer {
  const { method = "GET", target = "/v1/sessions", version = "1.1", host = `127.0.0.1:${port}`, body = "" } = row;
  const hosts = host === null ? [] : [host].flat();
  const credential = row.token === null ? [] : [`Authorization: Bearer ${row.token ?? token}`];
  const length = body === "" ? [] : [`Content-Length: ${Buffer.byteLength(body, "latin1")}`];
  const headers = [...hosts.map((name) => `Host: ${name}`), ...credential, ...(row.headers ?? []), ...length, ...extra];
  return Buffer.from(`${method} ${target} HTTP/${version}\r\n${headers.join("\r\n")}\r\n\r\n${body}`, "latin1");
}

for (const row of rows) {
  test(`${row.name} is answered with ${row.status}`, async () => {
    const answer = await sendRaw(where, requestOf(row));
    assert.equal(answer.status, row.status, answer.body);
    assertSafe(answer.headers);
    if (row.status < 400) return;
    const problem = JSON.parse(answer.body) as Record<string, unknown>;
    assert.equal(problem["status"], row.status);
    assert.equal(answer.headers.get("content-type"), "application/problem+json");
    assert.ok(!answer.body.includes(token), "a token in an error");
  });
}

const upgrade = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
  "Sec-WebSocket-Protocol: lectern.v1",
];

for (const row of rows.filter((candidate) => candidate.upgrade)) {
  test(`${row.name} is answered with ${row.status} to a WebSocket`, async () => {
    const target = row.target ?? "/v1/sessions/one/attach";
    const answer = await sendRaw(where, requestOf({ ...row, target }, upgrade));
    assert.equal(answer.status, row.status, answer.body);
    assertSafe(answer.headers);
  });
}

const attach: Row = { name: "", status: 0, target: "/v1/sessions/one/attach" };
const without = (name: string): string[] => upgrade.filter((line) => !line.startsWith(name));
const handshakes: readonly [string, Row, readonly string[], number][] = [
  [
    "A42 a rebinding pair of Host and Origin",
    { ...attach, host: `evil.example:${port}`, headers: [`Origin: http://evil.example:${port}`] },
    upgrade,
    421,
  ],
  ["A44 version 7", attach, [...without("Sec-WebSocket-Version"), "Sec-WebSocket-Version: 7"], 426],
  ["no key", attach, without("Sec-WebSocket-Key"), 400],
  ["a key of the wrong length", attach, [...without("Sec-WebSocket-Key"), "Sec-WebSocket-Key: AAAA"], 400],
  ["no subprotocol", attach, without("Sec-WebSocket-Protocol"), 400],
  ["an unknown session", { ...attach, target: "/v1/sessions/nobody/attach" }, upgrade, 404],
  ["an offset behind the end", { ...attach, target: "/v1/sessions/one/attach?from=999999" }, upgrade, 416],
  ["an extra key", { ...attach, target: "/v1/sessions/one/attach?admin=1" }, upgrade, 422],
  ["a plain request", attach, [], 426],
  ["another protocol", attach, ["Connection: Upgrade", "Upgrade: h2c"], 426],
  [
    "A45 a good token as a subprotocol",
    { ...attach, token: null },
    [...without("Sec-WebSocket-Protocol"), `Sec-WebSocket-Protocol: lectern.v1, lectern.bearer.${token}`],
    101,
  ],
  ["A45 a good token", attach, upgrade, 101],
];

for (const [name, row, extra, status] of handshakes) {
  test(`attaching with ${name} is answered with ${status}`, async () => {
    const answer = await sendRaw(where, requestOf(row, extra));
    assert.equal(answer.status, status, answer.body);
    if (status === 101) assert.equal(answer.headers.get("sec-websocket-protocol"), "lectern.v1");
    else assertSafe(answer.headers);
  });
}

test("A37 a request with bare line feeds is answered with 400", async () => {
  const answer = await sendRaw(where, `GET /v1/sessions HTTP/1.1\nHost: 127.0.0.1:${port}\n\n`);
  assert.equal(answer.status, 400);
  assertSafe(answer.headers);
});

test("a method that a path does not have is answered with the ones that it has", async () => {
  const answer = await sendRaw(where, requestOf({ name: "", status: 405, method: "DELETE" }));
  assert.equal(answer.headers.get("allow"), "HEAD, GET, POST");
});

test("rejected requests are logged with their reason, and no token ever is", () => {
  const reasons = new Set(memory.logLines.map((line) => (JSON.parse(line) as { reason?: string }).reason));
  for (const reason of ["host", "origin", "fetch-site", "token-in-url", "token-missing", "token-unknown"]) {
    assert.ok(reasons.has(reason), reason);
  }
  for (const line of memory.logLines) assert.ok(!line.includes(token.slice(0, 20)), line);
});

function assertSafe(headers: ReadonlyMap<string, string>): void {
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.equal(headers.get("referrer-policy"), "no-referrer");
  assert.equal(headers.get("cache-control"), "no-store");
  assert.match(headers.get("content-security-policy") ?? "", /default-src 'none'.*frame-ancestors 'none'/);
  assert.deepEqual(
    [...headers.keys()].filter((name) => name.startsWith("access-control-")),
    [],
  );
}
