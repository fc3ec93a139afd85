import assert from "node:assert/strict";
import { test } from "node:test";
import { PtyRun } from "../../test/pty-run.ts";
import { until } from "../../test/support/until.ts";
import { loadLibc } from "./libc.ts";
import { readStat } from "./proc-files.ts";
import { ThreadReader } from "./thread-state.ts";

const { libc } = loadLibc();
const WAITS = {
  poll: "import select; poll = select.poll(); poll.register(0, select.POLLIN); poll.poll()",
  pollMs: "import select; poll = select.poll(); poll.register(0, select.POLLIN); poll.poll(600_000)",
  select: "import select; select.select([0], [], [])",
  read: "input()",
  sleep: "import time; time.sleep(600)",
} as const;

for (const [name, script] of Object.entries(WAITS))
  test(`a stop does not change what the kernel shows of ${name}`, { skip: libc === undefined }, async () => {
    assert.ok(libc);
    const run = new PtyRun(["python3", "-c", script]);
    const { pid, terminalPath = "" } = run.pty;
    const state = () => new ThreadReader(libc, terminalPath).read(pid, pid);
    const isBlocked = () => readStat(pid)?.state === "S";
    const isWaiting = () => JSON.stringify(state()).includes(name === "sleep" ? "sleeps" : "terminal");
    try {
      await until(isWaiting, "it waits");
      const before = state();
      process.kill(pid, "SIGSTOP");
      await until(() => readStat(pid)?.state === "T", "it is stopped");
      process.kill(pid, "SIGCONT");
      await until(isBlocked, "it waits again");
      assert.deepEqual(state(), before);
    } finally {
      process.kill(pid, "SIGKILL");
    }
    await run.ended;
  });
