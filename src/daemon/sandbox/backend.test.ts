import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { bubblewrapWords } from "../../core/sandbox/bubblewrap.ts";
import { probeSandbox, remedyFor } from "./backend.ts";
import { pathsOf } from "./make-plan.ts";
import { filterFile } from "./filter-file.ts";

const settings =
  (values: Readonly<Record<string, string>>) =>
  (path: string): string | undefined =>
    values[path];

test("each failure of bubblewrap has its remedy", () => {
  const refused = "bwrap: setting up uid map: Permission denied";
  const appArmor = settings({ "kernel/apparmor_restrict_unprivileged_userns": "1" });
  assert.match(remedyFor(refused, appArmor), /^AppArmor forbids user namespaces .*bwrap-userns-restrict/);
  assert.match(
    remedyFor(refused, settings({ "kernel/unprivileged_userns_clone": "0" })),
    /unprivileged_userns_clone=1/,
  );
  assert.match(remedyFor(refused, settings({ "user/max_user_namespaces": "0" })), /max_user_namespaces/);
  assert.match(remedyFor("bwrap: Unknown option --perms", settings({})), /bubblewrap 0\.6 or later/);
  assert.match(remedyFor("/usr/bin/env: unrecognized option '--default-signal'", settings({})), /coreutils 8\.31/);
});

test("a bubblewrap that does not start is reported with what it says", async () => {
  const directory = mkdtempSync(join(tmpdir(), "backend-"));
  try {
    const fake = join(directory, "bwrap");
    writeFileSync(fake, "#!/bin/sh\necho 'bwrap: No permissions to creating new namespace' >&2\nexit 1\n");
    chmodSync(fake, 0o755);
    const backend = await probeSandbox(directory, { LECTERN_BUBBLEWRAP: fake });
    assert.ok(!backend.isAvailable);
    assert.match(backend.reason, /does not work: bwrap: No permissions to creating new namespace$/);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test("a filter that was changed is written again before it is used", () => {
  const directory = mkdtempSync(join(tmpdir(), "filter-"));
  try {
    const path = filterFile(directory) ?? assert.fail("no filter for this processor");
    const whole = readFileSync(path);
    chmodSync(path, 0o600);
    writeFileSync(path, "");
    assert.equal(filterFile(directory), path);
    assert.deepEqual(readFileSync(path), whole);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test("a socket that is gone when the sandbox is made is left out, and no file is made in its place", async () => {
  const directory = realpathSync(mkdtempSync(join(homedir(), "sandbox-")));
  const [open, lost] = [join(directory, `it's "open" $HOME.sock`), join(directory, "lost.sock")];
  await using server = createServer();
  try {
    await once(server.listen(open), "listening");
    const backend = await probeSandbox(directory, process.env);
    assert.ok(backend.isAvailable);
    const mounts = [
      { kind: "writable", path: directory },
      ...[open, lost].map((path) => ({ kind: "socket", path }) as const),
    ] as const;
    const plan = { profile: "work", workingDirectory: directory, mounts, standIns: [], environment: {}, unset: [] };
    const [shell, ...words] = bubblewrapWords(
      { ...plan, network: "none", wayOut: null },
      { ...backend, eventSocket: undefined, privateDirectory: directory },
    );
    const command = ["stat", "-c", "%F, %n", ...readdirSync(directory).filter((name) => name.endsWith(".sock"))];
    const { stdout } = await promisify(execFile)(shell, [...words, ...command]);
    assert.equal(stdout, `character special file, ${basename(open)}\n`);
    assert.ok(!existsSync(lost));
    // What the shell needs for itself is not seen inside.
    const environment = Object.fromEntries(
      ["at", "first", "last", "name", "word", "words"].map((name) => [name, "kept"]),
    );
    const inside = await promisify(execFile)(shell, [...words, "printenv", ...Object.keys(environment)], {
      env: { ...process.env, ...environment },
    });
    assert.equal(inside.stdout, "kept\n".repeat(6));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test("sockets of the kernel's list are those with an absolute path", () => {
  const text = `Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000002 00000000 00010000 0001 01 17587 /run/a socket
0000000000000000: 00000002 00000000 00010000 0001 01 17588 @abstract
0000000000000000: 00000003 00000000 00000000 0001 03 17589
0000000000000000: 00000003 00000000 00000000 0001 03 17590 /run/a socket
`;
  assert.deepEqual(pathsOf(text), ["/run/a socket"]);
});
