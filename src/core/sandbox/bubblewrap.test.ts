import assert from "node:assert/strict";
import { test } from "node:test";
import { bubblewrapWords } from "./bubblewrap.ts";
import type { SandboxPlan } from "./plan.ts";

const plan: SandboxPlan = {
  profile: "work",
  workingDirectory: "/project",
  mounts: [
    { kind: "empty", path: "/run" },
    { kind: "memory", path: "/tmp" },
    { kind: "writable", path: "/project" },
    { kind: "read-only", path: "/project/.git/hooks" },
    { kind: "socket", path: "/project/x.sock" },
    { kind: "empty-file", path: "/project/x.txt" },
  ],
  standIns: [],
  environment: { TMPDIR: "/tmp" },
  unset: ["SSH_AUTH_SOCK"],
  network: "gateway",
  wayOut: {
    binds: [{ source: "/data/gateway.sock", target: "/tmp/gateway.sock" }],
    environment: { HTTPS_PROXY: "http://127.0.0.1:1" },
    prefix: ["forward", "--"],
  },
};
const start = {
  bubblewrap: "/usr/bin/bwrap",
  filterFile: "/data/filter",
  eventSocket: "/data/ev.sock",
  privateDirectory: "/private",
};
const text = (words: readonly string[]): string => words.join(" ");

test("the filter is handed over as a descriptor, and the signals of the group are ignored by the wrapper only", () => {
  const words = bubblewrapWords(plan, start);
  assert.deepEqual(words.slice(0, 2), ["/bin/sh", "-c"]);
  assert.match(words[2] ?? "", /^trap '' HUP INT [^]*exec 9</);
  assert.deepEqual([words[3], words[6]], ["/data/filter", "/usr/bin/bwrap"]);
  assert.match(text(words), / --seccomp 9 /);
  assert.deepEqual(words.slice(-3), ["--", "forward", "--"]);
  const alone = bubblewrapWords({ ...plan, wayOut: null }, start);
  assert.deepEqual(alone.slice(-4), ["--", "/usr/bin/env", "--default-signal", "--"]);
});

test("every namespace is a new one, and no terminal session", () => {
  const words = bubblewrapWords(plan, start);
  for (const name of ["user", "pid", "ipc", "uts", "net"]) assert.ok(words.includes(`--unshare-${name}`), name);
  assert.ok(words.includes("--die-with-parent"));
  assert.ok(!words.includes("--new-session"));
});

test("mounts follow the root in their order, sockets come after them, with their place and number at the front, and an empty directory is closed after that", () => {
  assert.match(
    text(bubblewrapWords(plan, start)),
    / --ro-bind \/ \/ --dev \/dev --proc \/proc --perms 0755 --tmpfs \/run --perms 1777 --tmpfs \/tmp --bind \/project \/project --ro-bind \/project\/\.git\/hooks \/project\/\.git\/hooks --ro-bind \/dev\/null \/project\/x\.txt \/project\/x\.sock --bind \/data\/ev\.sock \/data\/ev\.sock --ro-bind \/data\/gateway\.sock \/tmp\/gateway\.sock --remount-ro \/proc --remount-ro \/run --unsetenv SSH_AUTH_SOCK --setenv TMPDIR \/tmp --setenv HTTPS_PROXY http:\/\/127\.0\.0\.1:1 --chdir \/project -- /,
  );
  const words = bubblewrapWords(plan, start);
  const at = words.indexOf("/project/x.sock");
  assert.deepEqual(words.slice(4, 6), [String(at - 6), "1"]);
});

test("without a filter and a socket neither is named", () => {
  const words = bubblewrapWords(
    { ...plan, wayOut: null },
    { ...start, filterFile: null, eventSocket: undefined, privateDirectory: "/private" },
  );
  assert.ok(!words.includes("--seccomp"));
  assert.ok(!text(words).includes("sock --bind"));
  assert.ok(!(words[2] ?? "").includes("9<"));
});
