import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test, type TestContext } from "node:test";
import { readStat } from "../../pty/proc-files.ts";
import { systemId } from "./session-processes.ts";
import { SessionEntry } from "../sessions/session-entry.ts";
import { SessionRegistry } from "../sessions/session-registry.ts";
import type { StoredLeader } from "../store/schema.ts";
import type { Store } from "../store/store.ts";
import { SessionProcesses } from "./session-processes.ts";
import { platform } from "../../pty/platform.ts";

const isLinux = platform.hasProc;
const system = systemId() ?? "";

/** A store of leaders in memory, and what of the daemon is needed to read and write it. */
function daemonWith(rows: StoredLeader[]) {
  const store = {
    putSession: async () => undefined,
    removeSession: async () => undefined,
    putLeader: async (leader: StoredLeader) => void rows.push(leader),
    removeLeaders: async (sessions: readonly string[]) => {
      rows.splice(0, rows.length, ...rows.filter(({ session }) => !sessions.includes(session)));
    },
  } as unknown as Store;
  const registry = new SessionRegistry(store);
  const start = () =>
    new SessionProcesses({
      registry,
      hosts: { pids: [] },
      runtimeDirectory: "/nowhere",
      store,
      leaders: [...rows],
      onError: assert.ifError,
    });
  return { registry, start };
}

/** The leader of a kernel session has ended, and a process of it is left. */
async function leftBehind(context: TestContext): Promise<{ readonly leader: number; readonly left: number }> {
  const shell = spawn("sh", ["-c", "sleep 600 > /dev/null & echo $!"], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [printed] = (await once(shell.stdout, "data")) as [Buffer];
  await once(shell, "close");
  const left = Number(printed.toString());
  context.after(() => process.kill(left));
  return { leader: shell.pid ?? 0, left };
}

test(
  "a process that an ended session has left behind is known to the next daemon",
  { skip: !isLinux },
  async (context) => {
    const { leader } = await leftBehind(context);
    const rows: StoredLeader[] = [];
    const { registry, start } = daemonWith(rows);
    const given = { id: "job", name: "job", command: ["sh"], workingDirectory: "/" };
    const entry = SessionEntry.fresh(given, "/nowhere");
    using first = start();
    await registry.add(entry);
    assert.equal(first.ofKernelSession(leader), undefined);
    // It has ended before the daemon knew its pid.
    entry.end({ reason: "exited", code: 0, signal: null }, 0, new Date());
    entry.leaderPid = leader;
    await registry.save(entry);
    assert.equal(first.ofKernelSession(leader), "job");
    assert.deepEqual(rows, [{ session: "job", pid: leader, startTicks: null, system }]);
    await registry.remove("job");
    using next = start();
    assert.equal(next.ofKernelSession(leader), "job");
    assert.equal(rows.length, 1);
  },
);

test(
  "a leader is forgotten when its kernel session is empty, or its pid means another process",
  { skip: !isLinux },
  async (context) => {
    const { leader, left } = await leftBehind(context);
    const startTicks = readStat(process.pid)?.startTicks ?? 0;
    const row = (session: string, pid: number, more: Partial<StoredLeader> = {}): StoredLeader => ({
      session,
      pid,
      startTicks: 1,
      system,
      ...more,
    });
    const rows = [
      row("older", leader),
      row("left", leader),
      row("empty", 0x7fff_ffff),
      row("used again", process.pid, { startTicks: startTicks - 1 }),
      row("no kernel session", left),
      row("other boot", leader, { system: "other" }),
    ];
    using processes = daemonWith(rows).start();
    assert.deepEqual(rows, [row("left", leader)]);
    assert.equal(processes.ofKernelSession(leader), "left");
    assert.equal(processes.ledBy(process.pid, startTicks), undefined);
  },
);

test("a leader that goes on when its session was lost is inside by its start time", { skip: !isLinux }, async () => {
  const { pid = 0 } = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
  try {
    const startTicks = readStat(pid)?.startTicks ?? 0;
    using processes = daemonWith([{ session: "lost", pid, startTicks, system }]).start();
    assert.equal(processes.ledBy(pid, startTicks), "lost");
    assert.equal(processes.ledBy(pid, startTicks + 1), undefined);
  } finally {
    process.kill(pid);
  }
});
