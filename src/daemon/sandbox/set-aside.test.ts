import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { checkedOutLinks, setAsideNew } from "./set-aside.ts";

const around = realpathSync(mkdtempSync(join(tmpdir(), "lectern-aside-")));
after(() => rmSync(around, { recursive: true, force: true }));
const root = join(around, "root");
const git = (directory: string, ...words: string[]): string =>
  execFileSync("git", ["-c", "user.name=n", "-c", "user.email=n@example.org", ...words], {
    cwd: directory,
    encoding: "utf8",
  });

function makeRepository(directory: string): void {
  mkdirSync(directory, { recursive: true });
  git(directory, "init", "-q");
  git(directory, "commit", "-q", "--allow-empty", "-m", "x");
}

/** A repository at a gitlink of another one. */
function plant(outer: string, name: string): string {
  const inner = join(outer, name);
  makeRepository(inner);
  const commit = git(inner, "rev-parse", "HEAD").trim();
  git(outer, "update-index", "--add", "--cacheinfo", `160000,${commit},${name}`);
  return inner;
}

makeRepository(root);
const marker = join(around, "RAN");
const program = join(around, "program");
writeFileSync(program, `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });

test("a planted repository that could run something is set aside, at any depth, and git status runs nothing", async () => {
  const old = plant(root, "old");
  git(old, "config", "core.fsmonitor", program);
  const known = new Set(await checkedOutLinks(root));
  assert.deepEqual([...known], [old]);
  const settings = plant(root, "settings");
  git(settings, "config", "core.fsmonitor", program);
  const hooks = plant(root, "hooks");
  writeFileSync(join(hooks, ".git/hooks/post-index-change"), "#!/bin/sh\n", { mode: 0o755 });
  const plain = plant(root, "plain");
  const deep = plant(plain, "deep");
  git(deep, "config", "filter.x.clean", program);
  const included = plant(root, "included");
  git(included, "config", "include.path", program);
  assert.deepEqual((await setAsideNew(root, known)).toSorted(), [deep, hooks, included, settings].toSorted());
  for (const directory of [deep, hooks, included, settings]) {
    assert.equal(existsSync(join(directory, ".git")), false, directory);
    assert.equal(existsSync(join(directory, ".git-from-sandbox/config")), true, directory);
  }
  for (const directory of [old, plain]) assert.equal(existsSync(join(directory, ".git")), true, directory);
  git(old, "config", "--unset", "core.fsmonitor");
  git(root, "status");
  assert.equal(existsSync(marker), false);
  assert.deepEqual(await setAsideNew(root, known), []);
});

test("a gitlink behind a symbolic link leads to nobody else's repository", async () => {
  const other = join(around, "other");
  makeRepository(other);
  git(other, "config", "alias.x", "!y");
  const link = plant(root, "link");
  renameSync(link, join(around, "moved"));
  symlinkSync(other, link);
  assert.deepEqual((await setAsideNew(root, new Set())).includes(link), false);
  assert.equal(existsSync(join(other, ".git")), true);
});

test("what is not looked into is set aside: one repository too many, and one that is too deep", async () => {
  const many = join(around, "many");
  makeRepository(many);
  for (const name of ["l1", "l2", "l3"]) git(plant(many, name), "config", "user.name", "n");
  const last = join(many, "l3");
  git(last, "config", "core.fsmonitor", program);
  await assert.rejects(checkedOutLinks(many, 2), { code: "LIMIT_EXCEEDED" });
  assert.deepEqual(await setAsideNew(many, new Set(), { repositoriesMax: 2 }), [last]);
  git(many, "status");
  const nested = join(around, "nested");
  makeRepository(nested);
  let deep = nested;
  for (let depth = 1; depth <= 10; depth += 1) deep = plant(deep, "deep");
  git(deep, "config", "core.fsmonitor", program);
  assert.equal((await setAsideNew(nested, new Set())).length, 1);
  git(nested, "status");
  assert.equal(existsSync(marker), false);
});

test("a directory that was made a repository itself is set aside by its HEAD; a bare repository of a person is not", async () => {
  const bare = join(around, "bare");
  mkdirSync(bare);
  git(bare, "init", "-q", "--bare");
  assert.deepEqual(await setAsideNew(bare, new Set()), []);
  rmSync(join(bare, "config"));
  assert.deepEqual(await setAsideNew(bare, new Set()), [bare]);
  assert.equal(existsSync(join(bare, "HEAD")), false);
  assert.equal(existsSync(join(bare, "HEAD-from-sandbox")), true);
});
