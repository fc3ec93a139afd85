import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isOwnFile, launchdList, serviceUnit } from "./unit.ts";

const facts = {
  node: process.execPath,
  launcher: "/opt/a b/50%/$x/lectern.mjs",
  environment: { PATH: '/usr/bin:/o"dd', LECTERN_HOME: "/data/50%" },
};

test("the unit has exact paths, and ends the daemon without the programs", () => {
  const unit = serviceUnit(facts);
  assert.match(unit, /^ExecStart="\/.*" "\/opt\/a b\/50%%\/\$\$x\/lectern\.mjs" up$/m);
  assert.match(unit, /^Environment="PATH=\/usr\/bin:\/o\\"dd"$/m);
  assert.match(unit, /^Environment="LECTERN_HOME=\/data\/50%%"$/m);
  assert.match(unit, /^KillMode=process$/m);
  assert.match(unit, /^Restart=on-failure$/m);
  assert.ok(isOwnFile(unit));
  assert.ok(!isOwnFile("[Unit]\nDescription=mine\n"));
});

test("systemd accepts the unit", { skip: process.platform !== "linux" }, () => {
  const directory = mkdtempSync(join(tmpdir(), "lectern-unit-"));
  const file = join(directory, "lectern.service");
  writeFileSync(file, serviceUnit({ ...facts, launcher: process.execPath }));
  const environment = { ...process.env, XDG_RUNTIME_DIR: directory };
  const { error, status, stderr } = spawnSync("systemd-analyze", ["--user", "verify", file], { env: environment });
  rmSync(directory, { recursive: true, force: true });
  assert.equal(error, undefined);
  const own = stderr
    .toString()
    .split("\n")
    .filter((line) => line.includes("lectern.service"));
  assert.deepEqual([status, own], [0, []]);
});

test("the list for launchd is XML with the same command", () => {
  const list = launchdList({ ...facts, environment: { PATH: "/a&b<c>" } });
  assert.match(list, /<string>\/a&amp;b&lt;c&gt;<\/string>/);
  assert.match(list, /<array><string>.*<string>up<\/string><\/array>/);
  assert.ok(isOwnFile(list));
});
