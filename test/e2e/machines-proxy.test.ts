/** The operations of another machine through the daemon here: two real daemons. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { TransportResponse } from "../../src/client/transport.ts";
import { readText } from "../../src/client/transport-errors.ts";
import { TwoMachines } from "../support/two-machines.ts";

const two = await TwoMachines.start();
after(() => two[Symbol.asyncDispose]());
const { transport, client, box } = two;

const TEXT_BYTES_MAX = 1_000_000;

async function ask(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const type = body === undefined ? {} : { "content-type": "application/json" };
  const response = await transport.request({ method, path, headers: { ...type, ...headers }, ...sent });
  const text = await readText(response.chunks, TEXT_BYTES_MAX);
  return { status: response.status, header: (name: string) => response.header(name), text, response };
}

const json = async (...words: Parameters<typeof ask>): Promise<Record<string, unknown>> =>
  JSON.parse((await ask(...words)).text) as Record<string, unknown>;

/** The text of a stream until it has a part. */
async function readUntil(response: TransportResponse, part: string): Promise<string> {
  let text = "";
  for await (const chunk of response.chunks) {
    text += Buffer.from(chunk).toString();
    if (text.includes(part)) break;
  }
  response.cancel();
  return text;
}

test("machines are listed with what is known of them", async () => {
  await ask("GET", "/v1/machines/box/daemon");
  const { machines } = await client.call("machines.list", {});
  assert.deepEqual(
    machines.map(({ name, link, address, state, reason }) => ({ name, link, address, state, reason })),
    [{ name: "box", link: "ssh", address: "user@box", state: "connected", reason: null }],
  );
});

test("JSON goes there and comes back as it is, problems too", async () => {
  const created = await json("POST", "/v1/machines/box/sessions", { command: ["cat"], name: "job" });
  assert.equal(created["name"], "job");
  assert.deepEqual((await client.call("sessions.list", {})).sessions, []);
  assert.deepEqual(
    (await box.client.call("sessions.list", {})).sessions.map(({ id }) => id),
    [created["id"]],
  );
  // Soon nothing changes any more.
  await box.client.call("sessions.wait", {
    session: "job",
    for: { type: "status", states: ["waiting"] },
    timeoutMs: 60_000,
  });
  const job = async () => await box.client.call("sessions.get", { session: "job" });
  for (let before = await job(), isSame = false; !isSame;) {
    const here = await json("GET", "/v1/machines/box/sessions/job");
    const later = await job();
    // Nothing was printed or reported meanwhile.
    isSame = isDeepStrictEqual(before, later);
    if (isSame) assert.deepEqual(here, later);
    before = later;
  }
  const missing = await ask("GET", "/v1/machines/box/sessions/nobody");
  assert.equal(missing.status, 404);
  assert.equal(missing.header("content-type"), "application/problem+json");
  assert.equal((JSON.parse(missing.text) as Record<string, unknown>)["code"], "SESSION_NOT_FOUND");
  const wrong = await ask("POST", "/v1/machines/box/sessions/job/resize", { columns: 0, rows: 1 });
  assert.equal(wrong.status, 422);
  assert.ok(Array.isArray((JSON.parse(wrong.text) as Record<string, unknown>)["issues"]));
  const removed = await ask("DELETE", "/v1/machines/box/sessions/job?force=true");
  assert.equal(removed.status, 200);
  assert.equal((await ask("HEAD", "/v1/machines/box/sessions")).status, 200);
});

test("bytes come as they are, with what stands before and behind them", async () => {
  await box.client.call("sessions.create", { command: ["sh", "-c", "seq 1 20000"], name: "numbers" });
  await box.client.call("sessions.wait", { session: "numbers", for: { type: "exit" }, timeoutMs: 60_000 });
  const there = Buffer.concat(await Array.fromAsync(box.client.bytes("sessions.output", { session: "numbers" })));
  const { response, header } = await ask("GET", "/v1/machines/box/sessions/numbers/output");
  assert.equal(header("lectern-offset"), "0");
  assert.equal(header("content-type"), "application/octet-stream");
  assert.equal(header("trailer"), "lectern-damaged");
  assert.equal(response.trailer?.("lectern-damaged"), undefined);
  const again = await transport.request({
    method: "GET",
    path: "/v1/machines/box/sessions/numbers/output",
    headers: {},
  });
  const here = Buffer.concat(await Array.fromAsync(again.chunks));
  assert.ok(here.equals(there));
});

test("an upload streams there, of its own content type only", async () => {
  const cast = '{"version": 2, "width": 80, "height": 24}\n[0.1, "o", "pomegranate\\r\\n"]\n';
  const chunks = async function* () {
    for (const part of [cast.slice(0, 30), cast.slice(30)]) yield Buffer.from(part);
  };
  const path = "/v1/machines/box/sessions/import?name=film";
  const upload = (type: string) =>
    transport.request({ method: "POST", path, headers: { "content-type": type }, body: chunks() });
  const refused = await upload("application/json");
  refused.cancel();
  assert.equal(refused.status, 415);
  const taken = await upload("application/x-asciicast");
  assert.equal(taken.status, 200);
  assert.match(await readText(taken.chunks, TEXT_BYTES_MAX), /"name":"film"/);
  assert.match((await box.client.call("sessions.logs", { session: "film" })).text, /pomegranate/);
});

test("server-sent events arrive as they happen, and resume where Last-Event-ID says", async () => {
  await box.client.call("sessions.create", { command: ["cat"], name: "told" });
  const path = "/v1/machines/box/sessions/told/follow?from=0";
  const first = await transport.request({ method: "GET", path, headers: { accept: "text/event-stream" } });
  assert.equal(first.header("content-type"), "text/event-stream");
  const reading = readUntil(first, "event: output");
  await box.client.call("sessions.input", { session: "told", text: "one", enter: true });
  const ids = [...(await reading).matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]));
  const last = ids.at(-1) ?? 0;
  const next = await transport.request({ method: "GET", path, headers: { "last-event-id": String(last) } });
  await box.client.call("sessions.kill", { session: "told" });
  const rest = await readUntil(next, "event: exit");
  assert.ok(
    [...rest.matchAll(/"offset":(\d+)/g)].every((match) => Number(match[1]) >= last),
    rest,
  );
});

test("only operations of the table are passed on, and never beyond that machine", async () => {
  const statuses: Record<string, number> = {};
  for (const [method, path] of [
    ["GET", "/v1/machines/other/sessions"],
    ["GET", "/v1/machines/box"],
    ["GET", "/v1/machines/box/"],
    ["GET", "/v1/machines/box/nothing"],
    ["GET", "/v1/machines/box/machines"],
    ["GET", "/v1/machines/box/machines/box/sessions"],
    ["GET", "/v1/machines/box/%73essions"],
    ["GET", "/v1/machines/box//sessions"],
    ["GET", "/v1/machines/box/sessions/a%2Fb"],
    ["GET", "/v1/machines/box/tokens"],
    ["DELETE", "/v1/machines/box/tokens/x"],
    ["POST", "/v1/machines/box/daemon/stop"],
    ["POST", "/v1/machines/box/tokens"],
    ["PATCH", "/v1/machines/box/sessions"],
    ["GET", "/v1/machines/box/sessions/told/attach"],
  ] as const) {
    statuses[`${method} ${path}`] = (
      await ask(method, path, method === "GET" || method === "DELETE" ? undefined : {})
    ).status;
  }
  assert.deepEqual(statuses, {
    "GET /v1/machines/other/sessions": 404,
    "GET /v1/machines/box": 404,
    "GET /v1/machines/box/": 404,
    "GET /v1/machines/box/nothing": 404,
    "GET /v1/machines/box/machines": 404,
    "GET /v1/machines/box/machines/box/sessions": 404,
    "GET /v1/machines/box/%73essions": 404,
    "GET /v1/machines/box//sessions": 404,
    "GET /v1/machines/box/sessions/a%2Fb": 400,
    "GET /v1/machines/box/tokens": 404,
    "DELETE /v1/machines/box/tokens/x": 404,
    "POST /v1/machines/box/daemon/stop": 404,
    "POST /v1/machines/box/tokens": 404,
    "PATCH /v1/machines/box/sessions": 405,
    "GET /v1/machines/box/sessions/told/attach": 426,
  });
});

test("a machine whose daemon does not run is away, with the reason", async () => {
  two.machines.add("gone", "/nonexistent/daemon.sock");
  const { status, text } = await ask("GET", "/v1/machines/gone/sessions");
  assert.equal(status, 503);
  const problem = JSON.parse(text) as Record<string, unknown>;
  assert.equal(problem["code"], "MACHINE_AWAY");
  assert.match(String(problem["detail"]), /^Cannot reach machine "gone": /);
  two.machines.remove("gone");
});
