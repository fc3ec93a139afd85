/** A feature is one folder with one record and one line in a list: a toy one goes through all of a daemon. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEntry } from "../src/daemon/sessions/session-entry.ts";
import type { Feature } from "../src/features/feature.ts";
import { features } from "../src/features/features.ts";
import { operationNames } from "../src/protocol/operations.ts";
import { TemporaryDaemon } from "./support/temporary-daemon.ts";

test("each operation has a handler, and each handler an operation", async () => {
  await using daemon = await TemporaryDaemon.start();
  assert.deepEqual(Object.keys(daemon.running.service.handlers).toSorted(), operationNames.toSorted());
});

test("no two features have one name, or one command", () => {
  const names = features.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  const commands = features.flatMap((feature) => Object.values(feature.commands ?? {}).flatMap(Object.keys));
  assert.equal(new Set(commands).size, commands.length);
});

async function exported(daemon: TemporaryDaemon, session: string): Promise<string> {
  const { handlers } = daemon.running.service;
  const signal = new AbortController().signal;
  const caller = { scope: "admin", session: null } as const;
  const body = await handlers["sessions.export"]({ session, format: "otlp-json", content: false }, { caller, signal });
  return Buffer.concat(await Array.fromAsync(body.chunks)).toString();
}

test("a new feature is its record: a part of sessions, metrics, an export, a link, its start and its end", async () => {
  const seen: string[] = [];
  const note = (what: string) => (entry: SessionEntry) => void seen.push(`${what} ${entry.stored.name}`);
  const toy: Feature = {
    name: "toy",
    sessionParts: () => [{ name: "toy part", begin: ({ entry }) => note("begin")(entry), end: note("end") }],
    open: ({ version }) => ({
      exports: {
        async *"otlp-json"(entry) {
          yield `toy of ${entry.stored.name}`;
        },
      },
      start: () => void seen.push(`start ${version}`),
      created: note("created"),
      collect: (metrics) => metrics.set("lectern_problems", {}, 42),
      answerLink: async (token) => await Promise.resolve({ type: "end", status: 200, text: `pressed ${token}` }),
      close: () => void seen.push("close"),
    }),
  };
  {
    await using daemon = await TemporaryDaemon.start(undefined, { features: [toy] });
    const { service } = daemon.running;
    const { name } = await daemon.run(["cat"], { name: "one" });
    await daemon.call("sessions.kill", { session: name });
    await daemon.exitOf(name);
    assert.equal(await exported(daemon, name), "toy of one");
    assert.match(await service.metrics.render("prometheus"), /^lectern_problems 42$/m);
    assert.deepEqual(await service.answerLink("abc", true), { type: "end", status: 200, text: "pressed abc" });
  }
  assert.deepEqual(seen, ["start 0.0.0-test", "begin one", "created one", "end one", "close"]);
});

test("a feature that is not there leaves its place empty", async () => {
  await using daemon = await TemporaryDaemon.start(undefined, { features: [] });
  const { service } = daemon.running;
  assert.deepEqual(await service.answerLink("abc", true), { type: "end", status: 404, text: "This link is unknown" });
  assert.deepEqual(await daemon.call("machines.list", {}), { machines: [] });
  assert.equal("tasks.list" in service.handlers, false);
  const { id } = await daemon.run(["true"]);
  await assert.rejects(exported(daemon, id), {
    code: "NOT_AVAILABLE",
    message: /^Cannot export as "otlp-json": no feature/,
  });
});
