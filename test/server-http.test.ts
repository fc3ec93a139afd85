/** The operation table over HTTP: inputs, outputs, scopes, bodies, pages. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, test } from "node:test";
import { operationNames, operations, type Operation, type OperationName } from "../src/protocol/operations.ts";
import { fillPath, hasBody, routeOf } from "../src/protocol/routes.ts";
import { tokens } from "./support/memory-service.ts";
import { startMemoryServer } from "./support/memory-server.ts";
import type * as z from "zod";
import { namedTypes } from "../src/protocol/type-names.ts";

const memory = await startMemoryServer({ limits: { importBytesMax: 100_000 } });
after(() => memory[Symbol.asyncDispose]());
const { url, service } = memory;
/** For bodies that never come to their end. */
const impatient = await startMemoryServer({ limits: { bodyMs: 200, importIdleMs: 200 } });
after(() => impatient[Symbol.asyncDispose]());

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

async function call(method: string, path: string, body?: unknown, token: string = tokens.admin): Promise<Answer> {
  const json =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  const headers = { ...json.headers, authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}${path}`, { method, ...json, headers });
  return {
    status: answer.status,
    headers: answer.headers,
    body: JSON.parse(await answer.text()) as Record<string, unknown>,
  };
}

/** One good input for each operation that answers with JSON. */
const inputs: Partial<Record<OperationName, Record<string, unknown>>> = {
  "daemon.info": {},
  "daemon.reload": {},
  "daemon.agents": {},
  "daemon.stop": {},
  "hosts.drain": {},
  "machines.list": {},
  "sessions.list": { label: "a=b" },
  "sessions.create": { command: ["bash"], environment: { PATH: "/bin" }, labels: {} },
  "sessions.get": { session: "one" },
  "sessions.update": { session: "one", name: "one" },
  "sessions.remove": { session: "doomed", force: "true" },
  "sessions.input": { session: "one", text: "ls", enter: true },
  "sessions.keys": { session: "one", keys: ["C-c"] },
  "sessions.resize": { session: "one", columns: 100, rows: 30 },
  "sessions.signal": { session: "one", signal: "INT" },
  "sessions.kill": { session: "killed" },
  "sessions.wait": { session: "killed", for: { type: "exit" } },
  "sessions.logs": { session: "one", tail: "10" },
  "sessions.records": { session: "one", from: "0" },
  "sessions.events": { session: "one", from: "0" },
  "approvals.list": { session: "one", waitMs: "0" },
  "approvals.answer": { session: "one", approval: "q1", option: "allow", digest: "0123456789abcdef" },
  "audit.list": { session: "one", from: "0", waitMs: "0" },
  "audit.open": { limit: "10" },
  "audit.find": { session: "one", call: "call/1" },
  "audit.verify": { head: { sequence: 3, hash: "a".repeat(64) } },
  "audit.append": { rows: [{ type: "start", session: "one", call: "c", timeMs: 1, executor: "executor" }] },
  "tokens.create": { scope: "read" },
  "tokens.list": {},
  "tokens.revoke": { token: "t9" },
};
service.add("doomed");
service.add("killed");

for (const [name, input] of Object.entries(inputs) as [OperationName, Record<string, unknown>][]) {
  test(`${name} takes its input from path, query and body, and answers as its schema says`, async () => {
    const route = routeOf(name);
    const inPath = new Set([...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]));
    const rest = Object.fromEntries(Object.entries(input).filter(([key]) => !inPath.has(key)));
    const withBody = hasBody(route.method);
    const query = withBody ? "" : `?${new URLSearchParams(rest as Record<string, string>).toString()}`;
    const answer = await call(route.method, fillPath(route.path, input) + query, withBody ? rest : undefined);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    (operations[name] as Operation).output!.parse(answer.body);
  });
}

test("every operation that answers with JSON is tried above, or with a real daemon in test/e2e", () => {
  const names = operationNames.filter((name) => {
    const { stream, upload }: Operation = operations[name];
    return stream === undefined && upload === undefined && !service.needsDaemon(name);
  });
  assert.deepEqual(Object.keys(inputs).toSorted(), names.toSorted());
});

test("an invalid input is answered with 422 and its issues by path", async () => {
  const { status, body } = await call("POST", "/v1/sessions/one/resize", { columns: 0, rows: "x" });
  assert.equal(status, 422);
  assert.equal(body["code"], "INVALID_INPUT");
  const issues = body["issues"] as { path: string; message: string }[];
  assert.deepEqual(
    issues.map((issue) => issue.path),
    ["columns", "rows"],
  );
  assert.deepEqual(
    (body["details"] as { issues: string[] }).issues,
    issues.map(({ path, message }) => `${path}: ${message}`),
  );
});

const b11: readonly [string, string, unknown][] = [
  ["a batch of 100,000 keys", "/v1/sessions/one/keys", { keys: Array.from({ length: 100_000 }, () => "a") }],
  ["1e9 columns", "/v1/sessions/one/resize", { columns: 1e9, rows: 1 }],
  ["0 columns", "/v1/sessions/one/resize", { columns: 0, rows: 1 }],
  ["negative columns", "/v1/sessions/one/resize", { columns: -1, rows: 1 }],
  ["no number of columns", "/v1/sessions/one/resize", { columns: Number.NaN, rows: 1 }],
  ["a signal with a command", "/v1/sessions/one/signal", { signal: "KILL;ls" }],
];
for (const [name, path, body] of b11) {
  test(`B11 ${name} is answered with 422`, async () => assert.equal((await call("POST", path, body)).status, 422));
}

test("a parameter of the path cannot be given a second time in the body or the query", async () => {
  assert.equal((await call("POST", "/v1/sessions/one/input", { session: "killed", text: "x" })).status, 422);
  assert.equal((await call("GET", "/v1/sessions/one?session=killed")).status, 422);
});

test("an error of the daemon comes as a problem document with its code", async () => {
  const { status, body, headers } = await call("GET", "/v1/sessions/nobody");
  assert.deepEqual([status, body["code"], body["status"]], [404, "SESSION_NOT_FOUND", 404]);
  assert.equal(headers.get("content-type"), "application/problem+json");
});

const scopes: readonly [string, string, string, unknown, number][] = [
  [tokens.read, "GET", "/v1/sessions", undefined, 200],
  [tokens.read, "POST", "/v1/sessions/one/input", { text: "x" }, 403],
  [tokens.write, "POST", "/v1/sessions/one/input", { text: "x" }, 200],
  [tokens.write, "GET", "/v1/tokens", undefined, 403],
  [tokens.one, "GET", "/v1/sessions/one", undefined, 200],
  [tokens.one, "POST", "/v1/sessions/one/input", { text: "x" }, 200],
  [tokens.one, "GET", "/v1/sessions/killed", undefined, 403],
  [tokens.one, "GET", "/v1/sessions/nobody", undefined, 403],
  [tokens.one, "GET", "/v1/sessions", undefined, 403],
  [tokens.one, "GET", "/v1/daemon", undefined, 403],
  [tokens.one, "POST", "/v1/sessions", { command: ["bash"] }, 403],
];
for (const [token, method, path, body, status] of scopes) {
  test(`${token.split("-")[0]} token: ${method} ${path} is answered with ${status}`, async () => {
    assert.equal((await call(method, path, body, token)).status, status);
  });
}

test("a HEAD request has the head of a GET and no body, and streams refuse it", async () => {
  const headers = { authorization: `Bearer ${tokens.read}` };
  const head = await fetch(`${url}/v1/sessions`, { method: "HEAD", headers });
  assert.deepEqual([head.status, await head.text()], [200, ""]);
  const stream = await fetch(`${url}/v1/sessions/one/follow`, { method: "HEAD", headers });
  assert.deepEqual([stream.status, stream.headers.get("allow")], [405, "GET"]);
});

test("output comes as bytes, and with follow until the exit", async () => {
  const session = service.add("stream");
  session.print("before ");
  const answer = await fetch(`${url}/v1/sessions/stream/output?from=2&follow=true`, {
    headers: { authorization: `Bearer ${tokens.read}` },
  });
  assert.equal(answer.headers.get("content-type"), "application/octet-stream");
  const text = answer.text();
  session.print("after");
  session.finish();
  assert.equal(await text, "fore after");
});

test("output that the end of the daemon cuts does not look complete", async () => {
  const ending = await startMemoryServer();
  ending.service.add("cut").print("some");
  const answer = await fetch(`${ending.url}/v1/sessions/cut/output?follow=true`, {
    headers: { authorization: `Bearer ${tokens.read}` },
  });
  const text = answer.text();
  await ending.server.close();
  await assert.rejects(text);
});

test("a wait ends when its caller goes away", async () => {
  const gone = new AbortController();
  const session = service.add("waited");
  const { promise: waiting, resolve } = Promise.withResolvers<void>();
  const wait = service.handlers["sessions.wait"];
  const ended = Promise.withResolvers<unknown>();
  Object.assign(service.handlers, {
    "sessions.wait": (...parameters: Parameters<typeof wait>) => {
      resolve();
      wait(...parameters).then(ended.resolve, ended.resolve);
      return ended.promise;
    },
  });
  const request = fetch(`${url}/v1/sessions/${session.name}/wait`, {
    method: "POST",
    body: JSON.stringify({ for: { type: "exit" } }),
    headers: { "content-type": "application/json", authorization: `Bearer ${tokens.read}` },
    signal: gone.signal,
  });
  await waiting;
  gone.abort();
  await assert.rejects(request);
  assert.equal(((await ended.promise) as { code: string }).code, "CANCELLED");
  Object.assign(service.handlers, { "sessions.wait": wait });
});

const importOf = (
  body: Uint8Array<ArrayBuffer> | string | ReadableStream,
  { type = "application/x-asciicast", to = url } = {},
) =>
  fetch(`${to}/v1/sessions/import?name=cast`, {
    method: "POST",
    body,
    headers: { "content-type": type, authorization: `Bearer ${tokens.write}` },
    duplex: "half",
  });

test("a recording is streamed to the daemon as it comes", async () => {
  const recording = Buffer.alloc(90_000, "0123456789");
  const answer = await importOf(recording);
  assert.equal(answer.status, 200);
  assert.equal(((await answer.json()) as { name: string }).name, "cast");
  assert.ok(service.imported.at(-1)!.equals(recording));
});

test("a recording that is too large, of another type or stuck is refused", async () => {
  assert.equal((await importOf(Buffer.alloc(100_001))).status, 413);
  assert.equal((await importOf("{}", { type: "application/json" })).status, 415);
  const stuck = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from("x")) });
  assert.equal((await importOf(stuck, { to: impatient.url })).status, 408);
});

test("a JSON body that does not come to its end is answered with 408", async () => {
  const slow = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('{"command":')) });
  const answer = await fetch(`${impatient.url}/v1/sessions`, {
    method: "POST",
    body: slow,
    headers: { "content-type": "application/json", authorization: `Bearer ${tokens.admin}` },
    duplex: "half",
  });
  assert.equal(answer.status, 408);
});

test("health, readiness, OpenAPI and docs need no token", async () => {
  for (const path of ["/healthz", "/readyz", "/openapi.json", "/docs"]) {
    const answer = await fetch(`${url}${path}`);
    assert.equal(answer.status, 200, path);
    await answer.body?.cancel();
  }
});

test("the OpenAPI document names every operation, with references that lead somewhere", async () => {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as {
    readonly openapi: string;
    readonly paths: Record<string, Record<string, OpenApiOperation>>;
    readonly components: { readonly schemas: Record<string, { readonly examples?: readonly unknown[] }> };
  };
  assert.equal(document.openapi, "3.1.0");
  const found = Object.values(document.paths).flatMap((item) => Object.values(item));
  assert.deepEqual(new Set(found.map(({ operationId }) => operationId as string)), new Set<string>(operationNames));
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1]!);
  const { schemas } = document.components;
  for (const reference of new Set(references))
    assert.ok(schemas[reference.replace("#/components/schemas/", "")], reference);
  // One of a session stands for all that answer with one.
  const list = document.paths["/v1/sessions"]!["get"]!.responses["200"].content["application/json"].schema;
  assert.deepEqual(list.properties["sessions"], { type: "array", items: { $ref: "#/components/schemas/Session" } });
  for (const [name, type] of Object.entries<z.ZodType>(namedTypes)) {
    const [example] = schemas[name]?.examples ?? [];
    assert.equal(type.safeParse(example).error, undefined, `the example of ${name}: ${JSON.stringify(example)}`);
  }
  const records = document.paths["/v1/sessions/{session}/records"]!["get"]!.parameters;
  const from = records.find((parameter) => parameter.name === "from")!;
  assert.deepEqual([from.in, from.required, from.schema.type], ["query", false, "integer"]);
  const types = records.find((parameter) => parameter.name === "types")!;
  assert.deepEqual([types.style, types.explode, types.schema.type], ["form", false, "array"]);
});

interface OpenApiOperation {
  readonly operationId: OperationName;
  readonly parameters: OpenApiParameter[];
  readonly responses: {
    readonly 200: {
      readonly content: {
        readonly "application/json": { readonly schema: { readonly properties: Record<string, unknown> } };
      };
    };
  };
}

interface OpenApiParameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly style?: string;
  readonly explode?: boolean;
  readonly schema: { readonly type?: string };
}

test("the docs page shows every operation and runs and loads nothing", async () => {
  const answer = await fetch(`${url}/docs`);
  const html = await answer.text();
  for (const name of operationNames) assert.ok(html.includes(`id="${name}"`), name);
  assert.doesNotMatch(html, /<script|<link|<img|@import|src=/);
  const style = /<style>([^]*?)<\/style>/.exec(html)![1]!;
  const hash = createHash("sha256").update(style).digest("base64");
  const policy = answer.headers.get("content-security-policy")!;
  assert.ok(policy.includes(`default-src 'none'; style-src 'sha256-${hash}'`), policy);
});
