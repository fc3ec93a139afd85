/** The sessions of another machine as updates of the daemon here, and by the client library: two real daemons. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { DaemonUpdate } from "../../src/client.ts";
import { TwoMachines } from "../support/two-machines.ts";
import { until } from "../support/until.ts";

const two = await TwoMachines.start();
after(() => two[Symbol.asyncDispose]());
const { client, box, here, machines } = two;

/** Collects updates until it is disposed of. */
function watch(): { readonly updates: DaemonUpdate[] } & Disposable {
  const over = new AbortController();
  const updates: DaemonUpdate[] = [];
  const read = async (): Promise<void> => {
    const options = { list: true, machines: true, over: "socket", signal: over.signal } as const;
    for await (const update of client.daemonUpdates(options)) updates.push(update);
  };
  read().catch(() => undefined);
  return { updates, [Symbol.dispose]: () => over.abort() };
}

const stateOf = (updates: readonly DaemonUpdate[], machine: string): string | null | undefined => {
  const last = updates.findLast((update) => update.kind === "machine" && update.machine === machine);
  return last?.kind === "machine" ? (last.view?.state ?? null) : undefined;
};

const listsOf = (updates: readonly DaemonUpdate[]): string[][] =>
  updates.flatMap((update) =>
    update.kind === "list" && update.machine === "box" ? [update.sessions.map(({ name }) => name)] : [],
  );

test("a session on another machine is used as one here, by its address", async () => {
  const session = "box/work";
  await client.on("box").call("sessions.create", { command: ["cat"], name: "work" });
  await client.call("sessions.input", { session, text: "pomegranate", enter: true });
  const { text } = await client
    .call("sessions.wait", { session, for: { type: "output", pattern: "pome" }, from: 0 })
    .then(async () => await client.call("sessions.logs", { session }));
  assert.match(text, /pomegranate/);
  await using attachment = await client.attach(session);
  assert.equal((await attachment.attached).session, (await box.client.call("sessions.get", { session: "work" })).id);
  await assert.rejects(client.call("sessions.get", { session: "none/work" }), { code: "MACHINE_NOT_FOUND" });
  await assert.rejects(client.attach("box/nobody"), { code: "SESSION_NOT_FOUND" });
  assert.equal((await client.on("box").call("sessions.list", {})).sessions.length, 1);
});

test("the updates have those of each machine, with references that are good here", async () => {
  using watched = watch();
  const { updates } = watched;
  await until(() => listsOf(updates).length > 0 && stateOf(updates, "box") === "connected");
  const [first] = updates;
  assert.ok(first?.kind === "list" && first.machine === undefined);
  assert.deepEqual(listsOf(updates), [["box/work"]]);
  const { id } = await box.client.call("sessions.create", { command: ["cat"], name: "later" });
  const isLater = (update: DaemonUpdate): boolean => update.kind === "session" && update.session === `box/${id}`;
  await until(() => updates.some(isLater));
  const found = updates.find(isLater);
  assert.ok(found?.kind === "session");
  assert.deepEqual([found.machine, found.view?.id, found.view?.name], ["box", `box/${id}`, "box/later"]);
  assert.equal((await client.call("sessions.get", { session: `box/${id}` })).name, "later");
  await box.client.call("sessions.remove", { session: id, force: true });
  await until(() => updates.some((update) => isLater(update) && update.kind === "session" && update.view === null));
});

test("a machine whose daemon was killed is away, and comes back with its sessions", async () => {
  using watched = watch();
  const { updates } = watched;
  await until(() => listsOf(updates).length > 0);
  const before = listsOf(updates).length;
  await box.crashDaemon();
  await until(() => stateOf(updates, "box") === "away");
  await here.run(["true"], { name: "local" });
  await until(() => updates.some((update) => update.kind === "session" && update.view?.name === "local"));
  await box.startDaemon("--no-tcp");
  await until(() => listsOf(updates).length > before);
  await until(() => stateOf(updates, "box") === "connected");
});

test("a machine whose daemon hangs is away, with the reason", async () => {
  using watched = watch();
  const { updates } = watched;
  await until(() => listsOf(updates).length > 0);
  const info = await box.info();
  assert.ok(info);
  process.kill(info.pid, "SIGSTOP");
  try {
    await until(() => stateOf(updates, "box") === "away");
    const last = updates.findLast((update) => update.kind === "machine");
    assert.match(String(last?.kind === "machine" && last.view?.reason), /does not answer/);
  } finally {
    process.kill(info.pid, "SIGCONT");
  }
  await until(() => stateOf(updates, "box") === "connected");
});

test("machines come and go while a reader watches", async () => {
  using watched = watch();
  const { updates } = watched;
  await until(() => listsOf(updates).length > 0);
  machines.add("none", "/nonexistent/daemon.sock");
  await until(() => stateOf(updates, "none") === "away");
  machines.remove("none");
  await until(() => stateOf(updates, "none") === null);
});
