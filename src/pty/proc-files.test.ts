import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { constants } from "node:os";
import { test } from "node:test";
import { until } from "../../test/support/until.ts";
import {
  environmentOf,
  executableOf,
  isCaught,
  isBecomingProgram,
  linkOfDescriptor,
  parseStat,
  readMemory,
  readProc,
  readStat,
  threadsOf,
} from "./proc-files.ts";
import { platform } from "./platform.ts";

const fields = "S 10 20 30 34816 20 4194304 100 0 0 0 1 2 0 0 20 0 1 0 98765 1000 200";

test("a name with brackets and blanks is one name", () => {
  const stat = { state: "S", parent: 10, group: 20, session: 30, foregroundGroup: 20, startTicks: 98_765, image: null };
  assert.deepEqual(parseStat(`7 (bash) ${fields}`), { name: "bash", ...stat });
  assert.deepEqual(parseStat(`7 (a) b (c) ${fields}`), { name: "a) b (c", ...stat });
  assert.equal(parseStat(`7 (${Buffer.from("ä").toString("latin1")}) ${fields}`)?.name, "ä");
  assert.equal(parseStat(""), undefined);
});

test("a process that is gone is undefined or empty, and never an exception", () => {
  const gone = Number(execFileSync(process.execPath, ["-p", "process.pid"], { encoding: "utf8" }));
  assert.equal(readStat(gone), undefined);
  assert.deepEqual(threadsOf(gone), []);
  assert.equal(executableOf(gone), undefined);
  assert.equal(isCaught(gone, constants.signals.SIGINT), false);
  assert.equal(linkOfDescriptor(gone, 0), undefined);
  assert.equal(readMemory(gone, 4096n, 8), undefined);
  assert.deepEqual(readProc(`${gone}/stat`), { text: undefined, denied: false });
});

if (platform.hasProc) {
  test("this process finds itself", () => {
    const stat = readStat(process.pid);
    assert.equal(stat?.parent, process.ppid);
    assert.equal(stat?.state, "R");
    assert.ok(threadsOf(process.pid).includes(process.pid));
    assert.equal(readMemory(process.pid, 0n, 8), undefined);
    assert.equal(isCaught(process.pid, constants.signals.SIGUSR2), false);
    process.once("SIGUSR2", () => undefined);
    assert.equal(isCaught(process.pid, constants.signals.SIGUSR2), true);
    process.removeAllListeners("SIGUSR2");
  });

  test("an environment that the kernel does not show now is unknown, and not empty", async () => {
    // The kernel shows as little of a process that has ended and of one that is becoming another program.
    // The child ends when its parent is a program that does not wait for it, as a shell would.
    const child = '(while read -r name </proc/$$/comm && [ "$name" != sleep ]; do :; done)';
    const parent = spawn("sh", ["-c", `${child} & echo $!; exec sleep 600`], {
      env: { PATH: process.env["PATH"], A: "1" },
    });
    const none = spawn("sleep", ["600"], { env: {} });
    try {
      const ended = Number(await parent.stdout.setEncoding("utf8").take(1).toArray());
      await until(() => readStat(ended)?.state === "Z", "the child has ended");
      assert.equal(environmentOf(ended), undefined);
      assert.equal(isBecomingProgram(ended), false);
      assert.deepEqual(environmentOf(none.pid ?? 0), []);
      assert.equal(isBecomingProgram(none.pid ?? 0), false);
      await until(() => environmentOf(parent.pid ?? 0)?.includes("A=1") === true, "the parent is shown");
    } finally {
      parent.kill("SIGKILL");
      none.kill("SIGKILL");
    }
  });
}
