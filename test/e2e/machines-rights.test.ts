/** Who may do what on another machine, through the daemon here: two real daemons, and each way to ask. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fetchTransport } from "../../src/client/fetch-transport.ts";
import type { InputOf } from "../../src/protocol/operations.ts";
import { AttachClient } from "../support/attach-client.ts";
import { insideRequests, type InsideRequest } from "../support/inside-requests.ts";
import { TwoMachines } from "../support/two-machines.ts";
import { until } from "../support/until.ts";
import { someOf } from "../support/variants.ts";

const two = await TwoMachines.start();
after(() => two[Symbol.asyncDispose]());
const directory = mkdtempSync(join(tmpdir(), "lectern-test-"));
after(() => rmSync(directory, { recursive: true, force: true }));
const { box, here } = two;
await box.client.call("sessions.create", { command: ["cat"], name: "job" });

const at = (path: string): string => `/v1/machines/box${path}`;

const tool = (operation: string, name: string, input: object): InsideRequest & { readonly operation: string } => ({
  operation,
  method: "POST",
  path: "/mcp",
  body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } },
});

/** Requests that change something there, with the operation as the audit log here names it. */
const changes: readonly (InsideRequest & { readonly operation: string })[] = [
  { operation: "sessions.create", method: "POST", path: at("/sessions"), body: { command: ["true"] } },
  { operation: "sessions.input", method: "POST", path: at("/sessions/job/input"), body: { text: "id\r" } },
  { operation: "sessions.prompt", method: "POST", path: at("/sessions/job/prompts"), body: { text: "id" } },
  { operation: "sessions.exec", method: "POST", path: at("/sessions/job/exec"), body: { command: "id" } },
  { operation: "sessions.kill", method: "POST", path: at("/sessions/job/kill"), body: {} },
  { operation: "sessions.update", method: "PATCH", path: at("/sessions/job"), body: { name: "mine" } },
  { operation: "sessions.remove", method: "DELETE", path: at("/sessions/job?force=true") },
  {
    operation: "approvals.answer",
    method: "POST",
    path: at("/sessions/job/approvals/q1"),
    body: { option: "allow", digest: "0".repeat(16) },
  },
  { operation: "hosts.drain", method: "POST", path: at("/hosts/drain"), body: {} },
  { operation: "sessions.attach", method: "GET", path: at("/sessions/job/attach"), as: "upgrade" },
  { operation: "sessions.attach", method: "GET", path: at("/sessions/job/attach?readOnly=false"), as: "upgrade" },
  // The rights that a request claims to give up, and keeps.
  {
    operation: "sessions.kill",
    method: "POST",
    path: at("/sessions/job/kill"),
    body: {},
    headers: { "lectern-scope": "admin" },
  },
  { operation: "sessions.kill", method: "POST", path: at("/sessions/%6aob/kill"), body: {} },
  tool("sessions.kill", "close", { session: "box/job" }),
  tool("sessions.create", "open", { machine: "box", command: ["true"] }),
];

/** What each may ask for. */
const readings: readonly InsideRequest[] = [
  { method: "GET", path: at("/sessions") },
  { method: "GET", path: at("/sessions/job/logs") },
  { method: "GET", path: at("/sessions/job/attach?readOnly=true"), as: "upgrade" },
];

let runs = 0;

/** Makes requests of the daemon here from inside a session of it. */
async function askInside(
  rows: readonly InsideRequest[],
  options: Omit<InputOf<"sessions.create">, "command">,
): Promise<readonly { readonly status: number; readonly text: string }[]> {
  const [program, given, taken] = ["ask.mjs", "rows.json", "answers.json"].map((name) =>
    join(directory, `${runs}${name}`),
  );
  runs += 1;
  assert.ok(program !== undefined && given !== undefined && taken !== undefined);
  writeFileSync(program, insideRequests);
  writeFileSync(given, JSON.stringify(rows));
  const { id } = await here.run([process.execPath, program, here.paths.daemonSocket, given, taken], options);
  await here.exitOf(id);
  return JSON.parse(readFileSync(taken, "utf8")) as Awaited<ReturnType<typeof askInside>>;
}

async function refusals(): Promise<string[]> {
  const { rows } = await here.call("audit.list", { limit: 1000 });
  return rows.flatMap(({ row }) => (row["decidedBy"] === "inside-session" ? [String(row["tool"])] : []));
}

const policy = "version: 1\ndefault: ask\n";
const standings = { "a session": {}, "a session with a policy": { wire: { policy } } } as const;

for (const [standing, options] of someOf(standings, "a session with a policy")) {
  test(`from inside ${standing}, everything but reading is refused and audited`, async () => {
    const before = (await refusals()).length;
    const answers = await askInside([...changes, ...readings], options);
    assert.deepEqual(
      answers.map(({ status }) => status),
      // An error of a tool is an answer.
      [...changes.map(({ path }) => (path === "/mcp" ? 200 : 403)), 200, 200, 101],
      JSON.stringify(answers),
    );
    for (const { text } of answers.slice(0, changes.length))
      assert.match(text, /Cannot use ..[\w.]+ on box.. from inside/);
    await until(async () => (await refusals()).length === before + changes.length);
    assert.deepEqual(
      (await refusals()).slice(before).toSorted(),
      changes.map(({ operation }) => `${operation} on box`).toSorted(),
    );
    assert.deepEqual(
      (await box.client.call("sessions.list", {})).sessions.map(({ name, state }) => `${name} ${state}`),
      ["job running"],
    );
  });
}

test("a person's own workplace acts as that person, there too", async () => {
  const row = { method: "PATCH", path: at("/sessions/job"), body: { labels: { team: "a" } } };
  assert.deepEqual(
    (await askInside([row], { mine: true })).map(({ status }) => status),
    [200],
  );
  assert.deepEqual((await box.client.call("sessions.get", { session: "job" })).labels, { team: "a" });
});

test("a token's scope holds there, and a token for one session reaches no machine", async () => {
  const { id } = await here.run(["cat"], { name: "own" });
  const statusOf = async (token: string, method: string, path: string): Promise<number> => {
    const response = await fetchTransport({ url: two.url, token }).request({
      method,
      path,
      headers: method === "GET" ? {} : { "content-type": "application/json" },
      ...(method === "GET" ? {} : { body: "{}" }),
    });
    response.cancel();
    return response.status;
  };
  const [read, write, one] = [await two.token("read"), await two.token("write"), await two.token("admin", id)];
  assert.equal(await statusOf(read, "GET", at("/sessions")), 200);
  assert.equal(await statusOf(read, "POST", at("/sessions/job/kill")), 403);
  assert.equal(await statusOf(write, "GET", at("/sessions")), 200);
  assert.equal(await statusOf(write, "POST", at("/hosts/drain")), 403);
  for (const path of ["/v1/machines", at("/sessions"), at("/sessions/own"), at(`/sessions/${id}`)]) {
    assert.equal(await statusOf(one, "GET", path), 403, path);
  }
  assert.equal(await statusOf("unknown", "GET", at("/sessions")), 401);
});

test("an attachment with a token that may only read does not type, whatever it asks for", async () => {
  const address = `${two.url.replace("http", "ws")}${at("/sessions/job/attach?readOnly=false")}`;
  using socket = new AttachClient(address, await two.token("read"));
  await socket.until(() => socket.ofType("attached").length > 0);
  assert.equal(socket.ofType("attached")[0]?.readOnly, true);
});
