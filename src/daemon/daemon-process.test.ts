import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { removeDaemonFile, writeDaemonFile } from "./daemon-file.ts";
import { lecternPaths, type LecternPaths } from "./paths.ts";
import { Silence } from "./daemon-process.ts";
import { waits } from "../core/waits.ts";

function temporaryPaths(context: TestContext): LecternPaths {
  const home = mkdtempSync(join(tmpdir(), "lectern-silence-"));
  context.after(() => rmSync(home, { recursive: true }));
  return lecternPaths({ LECTERN_HOME: home });
}

for (const content of [undefined, "", "{"]) {
  test(`a holder of the lock gets the full time to start if its daemon file is ${JSON.stringify(content) ?? "missing"}`, (context) => {
    const paths = temporaryPaths(context);
    if (content !== undefined) writeFileSync(paths.daemonFile, content);
    const silence = new Silence(paths);
    assert.equal(silence.isUnidentified, false);
    silence.check(0);
    silence.check(waits.startMs);
    assert.equal(silence.isUnidentified, true);
    assert.throws(() => silence.check(waits.startMs + 1), {
      code: "DAEMON_UNREACHABLE",
      message: /a process that cannot write its daemon file.*end that process/,
    });
  });
}

test("a daemon that is running without its socket is reported after 5 s, also after a long start", (context) => {
  const paths = temporaryPaths(context);
  const silence = new Silence(paths);
  silence.check(0);
  writeDaemonFile(paths, { startedBy: "user", state: "starting" });
  silence.check(50_000);
  silence.check(110_000);
  removeDaemonFile(paths);
  silence.check(110_001);
  writeDaemonFile(paths, { startedBy: "user", state: "running" });
  silence.check(230_000);
  silence.check(235_000);
  assert.equal(silence.isUnidentified, false);
  const message = new RegExp(`process ${process.pid} holds .*end it with "kill ${process.pid}"`);
  assert.throws(() => silence.check(235_001), { code: "DAEMON_UNREACHABLE", message });
});

test("a daemon that has taken the place of a silent one gets its own time", (context) => {
  const paths = temporaryPaths(context);
  const silence = new Silence(paths);
  const runs = (pid: number) =>
    writeFileSync(paths.daemonFile, JSON.stringify({ pid, startTicks: null, startedBy: "client", state: "running" }));
  runs(process.pid);
  silence.check(0);
  runs(process.ppid);
  silence.check(60_000);
  silence.check(65_000);
  assert.throws(() => silence.check(65_001), {
    code: "DAEMON_UNREACHABLE",
    message: new RegExp(`process ${process.ppid} `),
  });
});

for (const state of ["starting", "ending"] as const) {
  test(`a daemon that is ${state} for more than a minute is reported`, (context) => {
    const paths = temporaryPaths(context);
    const silence = new Silence(paths);
    writeDaemonFile(paths, { startedBy: "user", state });
    silence.check(0);
    silence.check(waits.startMs);
    assert.throws(() => silence.check(waits.startMs + 1), {
      code: "DAEMON_UNREACHABLE",
      message: new RegExp(`process ${process.pid} is still ${state} after 60 s: see ".*daemon.log"`),
    });
  });
}
