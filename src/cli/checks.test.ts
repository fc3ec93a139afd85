import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { PROTOCOL_VERSION } from "../protocol/routes.ts";
import {
  checkCallers,
  checkClock,
  checkDaemon,
  checkHosts,
  checkNode,
  checkPrivate,
  checkSession,
  checkSocketPath,
  judgeDisk,
  checkReleases,
} from "./checks.ts";
import { buildVersion } from "../daemon/version.ts";

const statusOf = (version: string, platform: string) => checkNode(version, platform).status;

test("an old Node fails, one without FFI warns on Linux only", () => {
  assert.deepEqual(
    [
      statusOf("22.1.0", "linux"),
      statusOf("24.0.0", "linux"),
      statusOf("24.0.0", "darwin"),
      statusOf("26.10.0", "linux"),
    ],
    ["fail", "warn", "ok", "ok"],
  );
});

test("a system that does not report callers is a warning that says what follows", () => {
  assert.equal(checkCallers(undefined).status, "ok");
  const check = checkCallers("needs Linux, this is darwin");
  assert.equal(check.status, "warn");
  assert.match(check.message, /could approve its own calls: needs Linux/);
});

test("a directory must be mine, real and closed to others, and may be missing", () => {
  const base = mkdtempSync(join(tmpdir(), "lectern-checks-"));
  try {
    const check = (path: string, kind: "directory" | "file" = "directory") => checkPrivate("x", join(base, path), kind);
    assert.equal(check("missing").status, "ok");
    mkdirSync(join(base, "open"));
    chmodSync(join(base, "open"), 0o755);
    assert.match(check("open").next ?? "", /chmod 700/);
    mkdirSync(join(base, "private"), { mode: 0o700 });
    assert.equal(check("private").status, "ok");
    symlinkSync(join(base, "private"), join(base, "link"));
    assert.match(check("link").message, /symbolic link/);
    writeFileSync(join(base, "token"), "x", { mode: 0o644 });
    chmodSync(join(base, "token"), 0o644);
    assert.match(check("token", "file").next ?? "", /chmod 600/);
    assert.match(check("token").message, /is not a directory/);
  } finally {
    rmSync(base, { recursive: true });
  }
});

test("a full disk, a long socket path and an unset clock are said with the next step", () => {
  assert.deepEqual(
    [2e9, 5e8, 1e6].map((freeBytes) => judgeDisk({ freeBytes, freeInodes: 1e6 }, "/").status),
    ["ok", "warn", "fail"],
  );
  const withoutInodes = judgeDisk({ freeBytes: 2e9, freeInodes: 0 }, "/");
  assert.equal(withoutInodes.status, "fail");
  assert.match(withoutInodes.message, /^0 inodes free at \//);
  assert.equal(checkSocketPath("/run/user/1000/lectern/daemon.sock").status, "ok");
  assert.match(checkSocketPath(`/${"x".repeat(110)}`).next ?? "", /LECTERN_HOME/);
  assert.deepEqual([checkClock(0).status, checkClock(Date.UTC(2026, 1, 1)).status], ["fail", "ok"]);
});

test("a daemon or host of another version is said", () => {
  const host = { name: "h", pid: 2, version: "0.0.1", backend: "ffi", sessions: 1, draining: false };
  const info = {
    version: buildVersion(),
    protocolVersion: PROTOCOL_VERSION,
    pid: 1,
    startedAt: "",
    dataDirectory: "",
    listen: [],
    sessions: { live: 0, ended: 0 },
    hosts: [host, { ...host, draining: true }, { ...host, version: buildVersion() }],
    problems: [],
  };
  assert.equal(checkDaemon(undefined, { logFile: "log" }).status, "ok");
  const restarts = { starts: 10, reason: "no space", timeMs: Date.UTC(2026, 0, 1), triesAgain: false };
  assert.deepEqual(checkDaemon(undefined, { logFile: "log", restarts }), {
    name: "daemon",
    status: "fail",
    message: "not running since 2026-01-01T00:00:00.000Z, after 10 starts: no space; it is no longer started by itself",
    next: 'Agents wait for it: run "lectern up", and see log',
  });
  assert.equal(checkDaemon(info, { logFile: "log" }).status, "ok");
  assert.equal(checkDaemon({ ...info, version: "0.0.1" }, { logFile: "log" }).status, "warn");
  assert.equal(checkDaemon({ ...info, protocolVersion: PROTOCOL_VERSION + 1 }, { logFile: "log" }).status, "fail");
  assert.deepEqual(
    checkHosts(info).map(({ status }) => status),
    ["warn", "ok", "ok"],
  );
});

test("a session that cannot be reached or written is a failure with its reason", () => {
  assert.equal(checkSession({ name: "a", degraded: null, unreachable: null, damaged: null }), undefined);
  const unreachable = checkSession({
    name: "a",
    degraded: null,
    unreachable: "its pty host (process 7) is alive but stuck",
    damaged: null,
  });
  assert.match(`${unreachable?.status} ${unreachable?.message}`, /^fail a: its pty host \(process 7\).*is recorded$/);
  assert.match(
    checkSession({ name: "a", degraded: "disk full", unreachable: null, damaged: null })?.message ?? "",
    /disk full/,
  );
});

test("an installed agent that is newer than its recordings is named", (context) => {
  const directory = mkdtempSync(join(tmpdir(), "agent-checks-"));
  context.after(() => rmSync(directory, { recursive: true }));
  const install = (name: string, version: string): void => {
    const package_ = join(directory, "node_modules", name);
    mkdirSync(join(package_, "dist"), { recursive: true });
    writeFileSync(join(package_, "package.json"), JSON.stringify({ name, version }));
    writeFileSync(join(package_, "dist", "cli.js"), "");
  };
  const bin = join(directory, "bin");
  mkdirSync(bin);
  install("@earendil-works/pi-coding-agent", "99.0.0");
  symlinkSync("../node_modules/@earendil-works/pi-coding-agent/dist/cli.js", join(bin, "pi"));
  install("@openai/codex", "0.100.0");
  symlinkSync("../node_modules/@openai/codex/dist/cli.js", join(bin, "codex"));
  // A program of the same name that is not this agent.
  writeFileSync(join(bin, "gemini"), "");
  const checks = checkReleases(`relative:${bin}`);
  assert.deepEqual(
    checks.map(({ name, status }) => `${name} ${status}`),
    ["agent warn"],
  );
  assert.match(checks[0]?.message ?? "", /^pi 99\.0\.0 is newer than the release \d/);
});
