/** A start that fails leaves nothing, whichever step of whichever part fails; with real git, bubblewrap and gateway. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { queryObjects } from "node:v8";
import { WireSession } from "../../src/daemon/gateway/wire-session.ts";
import type { SessionPart } from "../../src/daemon/parts/session-part.ts";
import { GitRepository, gitIn } from "../support/git-repository.ts";
import { fullStart, tracesOf } from "../support/start-traces.ts";
import { TemporaryDaemon } from "../support/temporary-daemon.ts";
import { until } from "../support/until.ts";

/** Live sessions of the gateway in this process, after a garbage collection, which takes half a second: once before and once after a test. */
const wireSessions = (): number => queryObjects(WireSession, { format: "count" });

/** A daemon with a further part after each of its own, which fails when it is asked to. */
async function daemonWithFailures() {
  const failing = { after: "" };
  const names: string[] = [];
  const failsAfter = (name: string): SessionPart => ({
    name: `failure after ${name}`,
    begin: () => {
      if (failing.after === name) throw new Error(`planned failure after ${name}`);
    },
  });
  const daemon = await TemporaryDaemon.start(undefined, {
    sessionParts: (own) => {
      names.push("the beginning", ...own.map(({ name }) => name));
      return [failsAfter("the beginning"), ...own.flatMap((part) => [part, failsAfter(part.name)])];
    },
  });
  return { daemon, failing, names };
}

async function listed(daemon: TemporaryDaemon): Promise<readonly string[]> {
  return (await daemon.call("sessions.list", {})).sessions.map(({ name }) => name);
}

test("a start leaves nothing if it fails after any of its parts", async () => {
  using repository = new GitRepository();
  const { daemon, failing, names } = await daemonWithFailures();
  await using _ = daemon;
  const before = tracesOf(daemon.paths, repository);
  const wired = wireSessions();
  for (const name of names) {
    failing.after = name;
    const start = daemon.call("sessions.create", fullStart(repository.path));
    await assert.rejects(start, { message: `planned failure after ${name}` });
    assert.deepEqual(tracesOf(daemon.paths, repository), before, name);
    assert.deepEqual(await listed(daemon), [], name);
  }
  assert.equal(wireSessions(), wired);
  await daemon.restart();
  assert.deepEqual(await listed(daemon), []);
  assert.deepEqual(daemon.errors, []);
  // The same start works, with the same names.
  failing.after = "";
  const { command, ...others } = fullStart(repository.path);
  const { id, sandbox, worktree } = await daemon.run(command, others);
  assert.deepEqual([sandbox?.backend, worktree?.branch], ["bubblewrap", "full"]);
  await daemon.call("sessions.kill", { session: id, graceMs: 0 });
});

test("a start leaves nothing if one of its parts fails by itself", async () => {
  using repository = new GitRepository();
  await using daemon = await TemporaryDaemon.start();
  const before = tracesOf(daemon.paths, repository);
  const wired = wireSessions();
  const full = fullStart(repository.path);
  const failures = {
    NAME_TAKEN: { worktree: { name: "main" } },
    COMMAND_NOT_FOUND: { command: ["/nonexistent/program"], sandbox: undefined },
    INVALID_INPUT: { eventSchemas: { REPORT: { type: "no such type" } } },
  } as const;
  for (const [code, more] of Object.entries(failures)) {
    await assert.rejects(daemon.call("sessions.create", { ...full, ...more } as typeof full), { code });
    assert.deepEqual(tracesOf(daemon.paths, repository), before, code);
  }
  const wrong = [
    { wire: { policy: "version: 1\ndefault: no such effect\n" } },
    { sandbox: { settings: 'profile: work\nnetwork: ["not a host"]\n' } },
    { worktree: { name: "full", base: "no-such-commit" } },
  ];
  for (const more of wrong) {
    await assert.rejects(daemon.call("sessions.create", { ...full, ...more }));
    assert.deepEqual(tracesOf(daemon.paths, repository), before, JSON.stringify(more));
  }
  assert.deepEqual(await listed(daemon), []);
  assert.equal(wireSessions(), wired);
});

test("a worktree whose checkout fails is removed with its branch", async () => {
  using repository = new GitRepository();
  await using daemon = await TemporaryDaemon.start();
  const blob = gitIn(repository.path, "rev-parse", "HEAD:src/total.js");
  rmSync(join(repository.path, ".git", "objects", blob.slice(0, 2), blob.slice(2)));
  const before = tracesOf(daemon.paths, repository);
  await assert.rejects(daemon.call("sessions.create", fullStart(repository.path)), { code: "CONFLICT" });
  assert.deepEqual(tracesOf(daemon.paths, repository), before);
});

test("of starts with the same worktree one gets it, and the others do not remove its branch", async () => {
  using repository = new GitRepository();
  await using daemon = await TemporaryDaemon.start();
  const { worktree, workingDirectory } = fullStart(repository.path);
  const start = () => daemon.call("sessions.create", { command: ["sleep", "600"], worktree, workingDirectory });
  const results = await Promise.allSettled([start(), start(), start(), start()]);
  const failed = results.flatMap((result) => (result.status === "rejected" ? [result.reason.code] : []));
  assert.deepEqual(failed, ["NAME_TAKEN", "NAME_TAKEN", "NAME_TAKEN"]);
  assert.equal((await listed(daemon)).length, 1);
  const path = join(repository.directory, "shop.worktrees", "full");
  assert.equal(gitIn(path, "status", "--porcelain", "--branch"), "## full");
});

/** A part that ends when it is released. */
function stuckPart(): { readonly part: SessionPart; readonly release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { part: { name: "stuck part", begin: () => undefined, end: async () => await promise }, release: resolve };
}

test("a part that does not end is reported, and the others end", async () => {
  using repository = new GitRepository();
  const { part, release } = stuckPart();
  await using daemon = await TemporaryDaemon.start(undefined, {
    times: { partEndMs: 200 },
    sessionParts: (own) => [...own, part],
  });
  const before = tracesOf(daemon.paths, repository);
  const problems = async (): Promise<string> => (await daemon.call("daemon.info", {})).problems.join("\n");
  const { command, worktree: _, ...others } = fullStart(repository.path);
  const { id } = await daemon.run(command, others);
  assert.equal(tracesOf(daemon.paths, repository).waysOut.length, 1);
  await daemon.call("sessions.kill", { session: id, graceMs: 0 });
  await until(() => tracesOf(daemon.paths, repository).waysOut.length === 0);
  assert.match(
    await problems(),
    /^Cannot end the stuck part of session "full" .*longer than 200 ms.*"lectern rm \w+"/m,
  );
  await daemon.call("sessions.remove", { session: id });
  release();
  await until(async () => !(await problems()).includes("stuck part"));
  assert.deepEqual(tracesOf(daemon.paths, repository), before);
});

test("a failed start whose part does not end yet stays listed until it has ended", async () => {
  using repository = new GitRepository();
  const { part, release } = stuckPart();
  await using daemon = await TemporaryDaemon.start(undefined, {
    times: { partEndMs: 200 },
    sessionParts: (own) => [part, ...own],
  });
  const before = tracesOf(daemon.paths, repository);
  const start = daemon.call("sessions.create", {
    ...fullStart(repository.path),
    eventSchemas: { REPORT: { type: 7 } },
  });
  await assert.rejects(start, { code: "INVALID_INPUT" });
  const { sessions } = await daemon.call("sessions.list", {});
  assert.deepEqual(
    sessions.map(({ name, state, unreachable }) => [name, state, unreachable]),
    [["full", "starting", "its start has failed and is not undone yet"]],
  );
  release();
  await until(async () => (await listed(daemon)).length === 0);
  assert.deepEqual(tracesOf(daemon.paths, repository), before);
});
