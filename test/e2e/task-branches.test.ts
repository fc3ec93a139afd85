/** Branches of tasks in real repositories: one that exists, a merge, and what goes with the worktree. */
import assert from "node:assert/strict";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { SessionWorktree } from "../../src/protocol/session.ts";
import { GitRepository, gitIn, writeIn } from "../support/git-repository.ts";
import { SharedDaemon } from "../support/shared-daemon.ts";
import type { TemporaryDaemon } from "../support/temporary-daemon.ts";

const shared = new SharedDaemon();

interface Started {
  readonly daemon: TemporaryDaemon;
  readonly session: string;
  readonly worktree: SessionWorktree;
}

async function start(repository: GitRepository, name: string): Promise<Started> {
  const daemon = await shared.empty();
  const { id, worktree } = await daemon.call("sessions.create", {
    command: ["sleep", "600"],
    workingDirectory: repository.path,
    worktree: { name },
  });
  assert.ok(worktree !== null);
  return { daemon, session: id, worktree };
}

test("a branch that exists is continued if it is named, and stays if the start fails", async () => {
  using repository = new GitRepository();
  const daemon = await shared.empty();
  repository.git("branch", "user/topic");
  repository.write("later.txt", "later\n");
  repository.git("add", ".");
  repository.git("commit", "--quiet", "-m", "later");
  const create = (name: string, branch: string, command = "sleep") =>
    daemon.call("sessions.create", {
      command: [command, "60"],
      workingDirectory: repository.path,
      worktree: { name, branch },
    });
  await assert.rejects(create("first", "user/topic", "no-such-program"), { code: "COMMAND_NOT_FOUND" });
  assert.equal(existsSync(join(repository.directory, "shop.worktrees")), false);
  const { id, name, worktree } = await create("first", "user/topic");
  assert.deepEqual([name, worktree?.branch, worktree?.baseName], ["first", "user/topic", "main"]);
  const path = worktree?.path ?? "";
  assert.equal(existsSync(join(path, "later.txt")), false);
  assert.deepEqual((await daemon.call("tasks.changes", { session: id })).files, [], "against where it left main");
  assert.equal(gitIn(path, "status", "--porcelain"), "");
  await assert.rejects(create("second", "user/topic"), { code: "NAME_TAKEN", message: /checked out in "[^"]*first"/ });
  await assert.rejects(create("second", "main"), { code: "NAME_TAKEN", message: /checked out in "[^"]*shop"/ });
  assert.equal((await create("second", "made")).worktree?.branch, "made");
  assert.deepEqual(readdirSync(join(repository.directory, "shop.worktrees")).toSorted(), ["first", "second"]);
});

const commitIn = (path: string, name: string, text: string): void => {
  writeIn(path, name, text);
  gitIn(path, "add", ".");
  gitIn(path, "commit", "--quiet", "-m", name);
};

test("a branch is merged where it came from, with the files of its checkout; what is not committed there stays", async () => {
  using repository = new GitRepository();
  const started = await start(repository, "add");
  const { daemon, session, worktree } = started;
  const merge = async (more: object = {}) => await daemon.call("tasks.merge", { session, ...more });
  // No hook runs, and no merge driver.
  const ran = join(repository.directory, "ran");
  repository.git("config", "merge.evil.driver", `touch ${ran}`);
  repository.write(".git/hooks/post-merge", `#!/bin/sh\ntouch ${ran}\n`);
  repository.write(".git/hooks/reference-transaction", `#!/bin/sh\ntouch ${ran}\n`);
  for (const hook of ["post-merge", "reference-transaction"])
    chmodSync(join(repository.path, ".git", "hooks", hook), 0o755);
  writeIn(worktree.path, "half.txt", "half\n");
  await assert.rejects(merge(), { code: "CONFLICT", message: /not committed are half\.txt; commit or discard/ });
  rmSync(join(worktree.path, "half.txt"));
  commitIn(worktree.path, "one.txt", "one\n");
  rmSync(ran, { force: true });
  repository.write("README.md", "mine, not committed\n");
  // Ahead of main: it is where the branch is.
  const forward = await merge();
  assert.deepEqual([forward.into, forward.checkout, existsSync(ran)], ["main", repository.path, false]);
  assert.equal(forward.commit, gitIn(worktree.path, "rev-parse", "HEAD"));
  assert.equal(readFileSync(join(repository.path, "one.txt"), "utf8"), "one\n");
  assert.equal(repository.git("status", "--porcelain"), "M README.md");
  assert.equal((await merge()).commit, forward.commit, "nothing is left to merge");
  commitIn(worktree.path, "locked.txt", "locked\n");
  repository.write(".git/refs/heads/main.lock", "");
  await assert.rejects(merge());
  rmSync(join(repository.path, ".git/refs/heads/main.lock"));
  assert.equal(repository.git("status", "--porcelain"), "M README.md", "files follow only a branch that moves");
  assert.equal(existsSync(join(repository.path, "locked.txt")), false);
  // Both have commits.
  repository.git("-c", "core.hooksPath=/dev/null", "commit", "--quiet", "-am", "mine");
  writeIn(worktree.path, ".gitattributes", "* merge=evil\n");
  commitIn(worktree.path, "two.txt", "two\n");
  rmSync(ran, { force: true });
  const merged = await merge();
  assert.deepEqual([merged.conflicts, existsSync(ran)], [[], false]);
  assert.equal(repository.git("log", "-1", "--format=%s %an", "main"), "Merge branch 'add' into main Test Person");
  assert.equal(repository.git("rev-list", "--parents", "-1", "main").split(" ").length, 3);
  assert.equal(repository.git("status", "--porcelain"), "");
  assert.equal(readFileSync(join(repository.path, "two.txt"), "utf8"), "two\n");
  // Changed here and not committed, and changed by the agent.
  commitIn(worktree.path, "src/total.js", "agent\n");
  repository.write("src/total.js", "person\n");
  await assert.rejects(merge(), {
    code: "CONFLICT",
    message: /"src\/total\.js" has changes there .*; commit or stash/,
  });
  assert.equal(readFileSync(join(repository.path, "src/total.js"), "utf8"), "person\n");
  assert.equal(repository.git("rev-parse", "main"), merged.commit);
  repository.git("-c", "core.hooksPath=/dev/null", "commit", "--quiet", "-am", "person");
  const before = repository.git("rev-parse", "main");
  const refused = await merge();
  assert.deepEqual([refused.commit, refused.conflicts], [null, ["src/total.js"]]);
  assert.deepEqual([repository.git("rev-parse", "main"), repository.git("status", "--porcelain")], [before, ""]);
  // A branch that is checked out nowhere, and one that is not there.
  repository.git("-c", "core.hooksPath=/dev/null", "branch", "release", "main~1");
  assert.equal((await merge({ into: "release" })).checkout, null);
  assert.equal(repository.git("show", "release:src/total.js"), "agent");
  await assert.rejects(merge({ into: "nowhere" }), { code: "CONFLICT", message: /there is no such branch/ });
  // In the middle of something.
  repository.write(".git/MERGE_HEAD", `${before}\n`);
  repository.git("-c", "core.hooksPath=/dev/null", "reset", "--quiet", "--hard", "main~1");
  repository.write(".git/MERGE_HEAD", `${before}\n`);
  await assert.rejects(merge(), { code: "CONFLICT", message: /a merge is not finished there; finish or abort it/ });
});

test("ignored files are named before they are removed with the worktree", async () => {
  using repository = new GitRepository();
  repository.write(".gitignore", "node_modules/\n.env\n");
  repository.git("add", ".");
  repository.git("commit", "--quiet", "-m", "ignore");
  const { daemon, session, worktree } = await start(repository, "ignores");
  writeIn(worktree.path, "node_modules/a/index.js", "a\n");
  writeIn(worktree.path, ".env", "SECRET=1\n");
  assert.deepEqual(await daemon.call("tasks.ignored", { session }), { files: [".env", "node_modules/"], total: 2 });
});
