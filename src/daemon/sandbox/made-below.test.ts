import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { until } from "../../../test/support/until.ts";
import { buildStates, changedBuilds } from "./build-files.ts";
import { madeBelow } from "./made-below.ts";
import { setAsideNew } from "./set-aside.ts";

const around = realpathSync(mkdtempSync(join(tmpdir(), "lectern-made-")));
after(() => rmSync(around, { recursive: true, force: true }));
const root = join(around, "root");

const make = (name: string, text = ""): string => {
  const path = join(root, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
  return path;
};
const git = (directory: string, ...words: string[]): unknown => execFileSync("git", words, { cwd: directory });

/** A time after the last change of a file, as the file system knows it. */
async function later(path: string): Promise<number> {
  const { ctimeMs } = lstatSync(path);
  // Two ticks of the slowest kernel, and the 20 ms that the search takes off.
  await until(() => Date.now() > ctimeMs + 60, "the clock goes on");
  return Date.now();
}

test("what is made or changed below is found: settings, links that lead out, repositories; what was there is not", async () => {
  for (const name of ["old/.npmrc", "changed/.vscode/tasks.json", "node_modules/x/.npmrc", "package.json", "Makefile"])
    make(name, "{}");
  for (const name of ["old-repository", "changed-repository"]) {
    mkdirSync(join(root, name));
    git(join(root, name), "init", "-q");
  }
  symlinkSync(around, join(root, "old/out"));
  const builds = buildStates(root);
  const sinceMs = await later(join(root, "old/out"));

  const nested = make("packages/a/.npmrc");
  writeFileSync(join(root, "changed/.vscode/tasks.json"), "[]");
  make("node_modules/y/.npmrc");
  make("package.json", '{"dependencies":{"x":"1"},"scripts":{"test":"x"}}');
  for (const name of ["plain", "hooked", "bare"]) mkdirSync(join(root, name));
  git(join(root, "plain"), "init", "-q");
  git(join(root, "hooked"), "init", "-q");
  git(join(root, "hooked"), "config", "core.fsmonitor", "x");
  git(join(root, "bare"), "init", "-q", "--bare");
  git(join(root, "bare"), "config", "alias.status", "!x");
  git(join(root, "changed-repository"), "config", "core.pager", "x");
  symlinkSync(join(around, "nowhere"), join(root, "out"));
  symlinkSync("plain", join(root, "in"));
  symlinkSync("/usr/bin/env", join(root, "program"));

  const { findings, repositories } = await madeBelow({ root, sinceMs, roots: [root] });
  assert.deepEqual(
    new Set(findings.map(({ detail, path, what }) => `${what} ${path} ${detail}`)),
    new Set([
      `settings ${nested} npm`,
      `settings ${join(root, "changed/.vscode")} VS Code`,
      `link ${join(root, "out")} ${join(around, "nowhere")}`,
    ]),
  );
  const names = ["bare", "changed-repository", "hooked", "plain"].map((name) => join(root, name));
  assert.deepEqual(new Set(repositories.map(({ directory }) => directory)), new Set(names));
  const setAside = await setAsideNew(root, new Set(), { made: repositories });
  assert.deepEqual(new Set(setAside), new Set(names.slice(0, 3)));
  assert.equal(existsSync(join(root, "bare/HEAD-from-sandbox")), true);
  assert.equal(existsSync(join(root, "hooked/.git-from-sandbox/config")), true);
  assert.equal(existsSync(join(root, "plain/.git")), true);
  assert.equal(existsSync(join(root, "old-repository/.git")), true);
  const again = await madeBelow({ root, sinceMs, roots: [root] });
  assert.deepEqual(await setAsideNew(root, new Set(), { made: again.repositories }), []);

  assert.deepEqual(changedBuilds(root, builds), []);
  make("package.json", '{"scripts":{"postinstall":"x"}}');
  make("Makefile", "all:\n\tx\n");
  assert.deepEqual(
    changedBuilds(root, builds).map(({ detail, path }) => [path, detail]),
    [
      [join(root, "package.json"), "npm install"],
      [join(root, "Makefile"), "make"],
    ],
  );
});

test("a worktree of the repository around it has protected settings, and stays unless it has some of its own", async () => {
  const outer = join(around, "outer");
  mkdirSync(outer);
  git(outer, "init", "-q");
  git(outer, "-c", "user.name=n", "-c", "user.email=n@example.org", "commit", "-q", "--allow-empty", "-m", "x");
  git(outer, "config", "alias.x", "!y");
  const sinceMs = Date.now();
  for (const name of ["kept", "own", "other"]) git(outer, "worktree", "add", "-q", join(outer, name));
  writeFileSync(join(outer, ".git/worktrees/own/config.worktree"), "[core]\n");
  writeFileSync(join(outer, ".git/worktrees/kept/config.worktree"), "");
  writeFileSync(join(outer, ".git/worktrees/other/commondir"), join(around, "root/hooked/.git-from-sandbox"));
  const { repositories } = await madeBelow({ root: outer, sinceMs, roots: [outer] });
  const setAside = await setAsideNew(outer, new Set(), { made: repositories });
  assert.deepEqual(new Set(setAside), new Set([join(outer, "own"), join(outer, "other")]));
});
