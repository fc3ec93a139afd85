/** What somebody with the key of a member sends who does not use Lectern for it: a machine answers others, and its own users, as before. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, test } from "node:test";
import { headers } from "@nats-io/transport-node";
import { encodeTunnelFrame } from "../../src/features/cluster/core/tunnel-frame.ts";
import { addMember } from "../../src/features/cluster/daemon/cluster-directory.ts";
import type { MemberRole } from "../../src/features/cluster/daemon/permissions.ts";
import { reloadServers } from "../../src/features/cluster/daemon/prepare.ts";
import { ClusterHomes } from "../support/cluster-homes.ts";
import { NatsMember } from "../support/nats-member.ts";
import { until } from "../support/until.ts";

const cluster = await ClusterHomes.start({ box: "machine", laptop: "operator" });
/** A key that was copied from a machine. */
const thief = await connectAs("thief", "operator");
after(async () => {
  await thief[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

const box = cluster.home("box");

/** A new member without a daemon. */
async function connectAs(name: string, role: MemberRole): Promise<NatsMember> {
  addMember(cluster.servers.directory, { name, role });
  reloadServers(cluster.servers.directory);
  return NatsMember.connectSoon(cluster.servers.token(name));
}
const newId = (): string => randomBytes(16).toString("hex");

/**
 * Opens a tunnel to the box with any bytes; what comes back before the answer to a good request that was sent behind it, as kinds of frames.
 * An answer that `isAnswered`, or that has begun, is waited for.
 */
async function open(
  frame: Uint8Array,
  { id = newId(), scope = "write", header = false, isAnswered = false } = {},
): Promise<number[]> {
  const kinds: number[] = [];
  const next = newId();
  let isNextAnswered = false;
  const subscription = thief.connection.subscribe("lec.tun.*.thief.*", {
    callback: (_, { data, subject }) => {
      if (subject.endsWith(id)) kinds.push(data[0] ?? 0);
      isNextAnswered ||= subject.endsWith(next) && data[0] === OPEN;
    },
  });
  const extra = headers();
  extra.set("Nats-Stream", "KV_lec_machines");
  const reply = `_INBOX.thief.tunnel.${id}`;
  thief.connection.publish(`lec.req.box.${scope}.thief`, frame, { reply, ...(header && { headers: extra }) });
  thief.connection.publish("lec.req.box.write.thief", ask(sessionsHead), { reply: `_INBOX.thief.tunnel.${next}` });
  const isWhole = (): boolean => (kinds.length === 0 && !isAnswered) || kinds.includes(OPEN) || kinds.includes(CLOSE);
  await until(() => isNextAnswered && isWhole(), "the next request is answered");
  subscription.unsubscribe();
  return kinds;
}

const ask = (head: unknown): Uint8Array => encodeTunnelFrame(0, { kind: "open", head: JSON.stringify(head) });
const sessionsHead = { type: "request", method: "GET", path: "/v1/sessions", headers: {}, hasBody: false };
const OPEN = 1;
const CLOSE = 6;

test("a request by hand is answered as any other", async () => {
  assert.equal((await open(ask(sessionsHead), { isAnswered: true })).includes(OPEN), true);
});

test("a message that a server repeats from a stream is no request", async () => {
  assert.deepEqual(await open(ask(sessionsHead), { header: true }), []);
});

for (const [what, frame] of [
  ["nothing", new Uint8Array()],
  ["noise", randomBytes(1000)],
  ["a frame that is not the first", encodeTunnelFrame(7, { kind: "open", head: "{}" })],
  [
    "data before a head",
    encodeTunnelFrame(0, { kind: "data", isText: false, isFinal: true, bytes: new Uint8Array(9) }),
  ],
  ["a head that is not JSON", encodeTunnelFrame(0, { kind: "open", head: "GET /" })],
  [
    "a head of another form",
    ask({ type: "request", method: "TRACE", path: "/v1/sessions", headers: {}, hasBody: false }),
  ],
  ["a header of its own", ask({ ...sessionsHead, headers: { "lectern-scope": 7 } })],
] as const) {
  test(`a tunnel that opens with ${what} is closed, or never begins`, async () => {
    const kinds = await open(frame);
    assert.equal(kinds.includes(OPEN), false);
    if (kinds.length > 0) assert.equal(kinds.includes(CLOSE), true);
  });
}

test("a head cannot widen the rights of its subject, or lead to another path", async () => {
  for (const head of [
    { ...sessionsHead, method: "POST", headers: { "lectern-scope": "admin", "content-type": "application/json" } },
    { ...sessionsHead, path: "/v1/machines/laptop/sessions" },
    { ...sessionsHead, path: "/v1/machines" },
    { ...sessionsHead, path: "/login" },
    { ...sessionsHead, path: "//v1/sessions" },
    { ...sessionsHead, path: "/v1/../login" },
  ]) {
    await open(ask(head), { scope: "read" });
  }
  assert.deepEqual((await box.client.call("sessions.list", {})).sessions, []);
});

test("an id that is not one of ours is no tunnel", async () => {
  for (const id of ["x", "..", "a".repeat(100)]) assert.deepEqual(await open(ask(sessionsHead), { id }), []);
});

test("a thousand tunnels that nobody uses cost others nothing, and are gone after their time", async () => {
  for (let count = 0; count < 1000; count += 1) {
    const head = { type: "request", method: "POST", path: "/v1/sessions", headers: {}, hasBody: true };
    thief.connection.publish("lec.req.box.write.thief", ask(head), { reply: `_INBOX.thief.tunnel.${newId()}` });
  }
  await thief.connection.flush();
  assert.deepEqual((await box.client.call("sessions.list", {})).sessions, []);
  const laptop = cluster.home("laptop").client;
  await until(async () =>
    laptop
      .on("box")
      .call("sessions.list", {})
      .then(
        () => true,
        () => false,
      ),
  );
});

test("rows that a machine makes up are of its own name only, and a broken one is ignored", async () => {
  const { client } = cluster.home("box");
  const before = (await client.call("cluster.status", {})).machines.map(({ name }) => name);
  for (const row of [
    "",
    "{",
    JSON.stringify({ name: "box" }),
    JSON.stringify({ name: "forged", state: "running" }),
    "x".repeat(5000),
  ]) {
    thief.connection.publish("$KV.lec_machines.thief", row);
  }
  await thief.connection.flush();
  const now = await client.call("cluster.status", {});
  assert.deepEqual(
    now.machines.map(({ name }) => name),
    before,
  );
});

test("a machine of another protocol is listed, and what to update is told; its clock does not count", async () => {
  await using old = await connectAs("old", "machine");
  const row = {
    name: "old",
    version: "0.0.1",
    protocolVersion: 0,
    sessions: 0,
    sinceMs: 9e15,
    instance: "a",
    beat: 1,
    claim: 1,
    state: "running",
  };
  old.connection.publish("$KV.lec_machines.old", JSON.stringify(row));
  const { client } = cluster.home("laptop");
  await until(async () => (await client.call("cluster.status", {})).machines.some(({ name }) => name === "old"));
  await assert.rejects(client.on("old").call("sessions.list", {}), {
    code: "VERSION_MISMATCH",
    message: /has Lectern 0\.0\.1 \(protocol 0\).*update Lectern on machine "old"/,
  });
});
