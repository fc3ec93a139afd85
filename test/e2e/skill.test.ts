/** The skill teaches commands that work as they stand in it. */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { SharedHome } from "./cli-home.ts";

const shared = new SharedHome();

const skill = readFileSync(resolve(import.meta.dirname, "../../skills/lectern/SKILL.md"), "utf8");

test("the skill has a name and a description that fit the limits of their readers", () => {
  const [, head = ""] = /^---\n([^]*?)\n---\n/.exec(skill) ?? [];
  assert.match(head, /^name: lectern$/m);
  const [, description = ""] = /^description: (.*)$/m.exec(head) ?? [];
  assert.ok(description.length > 100 && description.length <= 1024, `${description.length} characters`);
  assert.ok(skill.split("\n").length <= 120);
});

test("the commands of the skill run in its order, but those that need an agent", async () => {
  const home = await shared.empty();
  mkdirSync(join(home.directory, "bin"));
  const command = join(home.directory, "bin/lectern");
  writeFileSync(command, `#!/bin/sh\nexec ${home.launcherEnvironment.L} "$@"\n`);
  chmodSync(command, 0o755);
  const blocks = [...skill.matchAll(/```sh\n([^]*?)```/g)].map(([, block = ""]) => block);
  const runnable = blocks.filter((block) => !block.includes("claude"));
  assert.ok(runnable.length >= 5);
  const { code, stdout, stderr } = await home.shell(`set -e\n${runnable.join("\n")}`);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^test in \/tmp$/m);
  assert.match(stdout, /build finished/);
  assert.match(stdout, /BUILD_DONE/);
  assert.equal(await home.ok("ls", "-q", "-a"), "");
});
