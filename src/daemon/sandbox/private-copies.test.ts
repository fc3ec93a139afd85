import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { copyPrivatePlaces, directoriesIn, removePrivateCopies } from "./private-copies.ts";

let root = "";
let home = "";
let copies = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "private-")));
  [home, copies] = [join(root, "home"), join(root, "session/private")];
  mkdirSync(join(home, ".agent/plugins"), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("files are copied with their rights, links stay links, and directories, sockets and large files are left out", () => {
  writeFileSync(join(home, ".agent/auth.json"), "key", { mode: 0o600 });
  writeFileSync(join(home, ".agent/plugins/run.sh"), "x");
  symlinkSync("/etc/passwd", join(home, ".agent/link"));
  writeFileSync(join(home, ".agent/log"), "");
  truncateSync(join(home, ".agent/log"), 65 * 1024 * 1024);
  assert.equal(spawnSync("mkfifo", [join(home, ".agent/pipe")]).status, 0);
  writeFileSync(join(home, ".agent.json"), "{}");
  copyPrivatePlaces(
    [
      { kind: "private", path: join(home, ".agent") },
      { kind: "read-only", path: join(home, ".agent/plugins") },
      { kind: "private", path: join(home, ".agent.json") },
    ],
    copies,
  );
  const copy = `${copies}${home}`;
  assert.deepEqual(readdirSync(copy).toSorted(), [".agent", ".agent.json"]);
  assert.deepEqual(readdirSync(join(copy, ".agent")).toSorted(), ["auth.json", "link"]);
  assert.equal(readFileSync(join(copy, ".agent/auth.json"), "utf8"), "key");
  assert.equal(statSync(join(copy, ".agent/auth.json")).mode & 0o777, 0o600);
  assert.equal(statSync(copies).mode & 0o777, 0o700);
  assert.equal(readlinkSync(join(copy, ".agent/link")), "/etc/passwd");
});

test("no more files are copied than a session may have", () => {
  for (let index = 0; index < 2_010; index += 1) writeFileSync(join(home, `.agent/${index}`), "");
  copyPrivatePlaces([{ kind: "private", path: join(home, ".agent") }], copies);
  assert.equal(readdirSync(`${copies}${home}/.agent`).length, 2_000);
});

test("copies are removed with what a program has locked in them, and what its links lead to stays", () => {
  const locked = join(copies, "a/locked/inner");
  mkdirSync(locked, { recursive: true });
  writeFileSync(join(locked, "file"), "");
  writeFileSync(join(home, "own"), "own");
  symlinkSync(home, join(copies, "a/link"));
  chmodSync(locked, 0o000);
  chmodSync(join(copies, "a/locked"), 0o000);
  removePrivateCopies(copies);
  assert.ok(!existsSync(copies));
  assert.equal(readFileSync(join(home, "own"), "utf8"), "own");
  removePrivateCopies(copies);
});

test("the directories of a place are its own, without those that are linked", () => {
  symlinkSync("/etc", join(home, ".agent/linked"));
  assert.deepEqual(directoriesIn(join(home, ".agent")), [join(home, ".agent/plugins")]);
  assert.deepEqual(directoriesIn(join(home, "missing")), []);
});
