/** The daily loop of a task on the command line: comments to the agent, a merge with a conflict, and what goes with a worktree. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { GitRepository, gitIn, writeIn } from "../support/git-repository.ts";
import { until } from "../support/until.ts";
import { SharedHome } from "./cli-home.ts";

const program = join(import.meta.dirname, "../support/redrawing-program.ts");

test("comments reach the agent as one prompt, a conflict is named, and ignored files are named before they go", async () => {
  using repository = new GitRepository();
  const home = await new SharedHome().empty();
  const taken = join(repository.directory, "taken.txt");
  const start = ["--worktree", "loop", "--branch", "user/loop", "-C", repository.path];
  await home.ok("run", "-d", ...start, "--", process.execPath, program, taken);
  const path = join(repository.directory, "shop.worktrees", "loop");
  writeIn(path, "src/total.js", "export const total = 1;\nexport const more = 2;\n");
  assert.match(await home.fails("task", "comment", "loop", "src/total.js:9", "x"), /^3 .*Line 9 .* not in the changes/);
  assert.match(await home.fails("task", "comment", "loop", "src/total.js", "x"), /^2 .*wanted FILE:LINE and TEXT/);
  assert.match(await home.fails("task", "comment", "loop"), /^2 .*Missing the comments/);
  await home.ok("task", "comment", "loop", "src/total.js:2", "why?", "src/total.js:1", "rename it");
  await until(() => existsSync(taken));
  const [first = ""] = readFileSync(taken, "utf8").split("\n");
  const comments =
    "src/total.js:1\n> export const total = 1;\nrename it\n\nsrc/total.js:2\n> export const more = 2;\nwhy?";
  assert.equal(JSON.parse(first), `Review comments on your changes. Please address each of them:\n\n${comments}`);
  await home.ok("task", "commit", "loop", "-m", "Two totals");
  repository.write("src/total.js", "export const total = 3;\n");
  repository.git("commit", "--quiet", "-am", "three");
  const conflict = await home.fails("task", "merge", "loop");
  assert.match(
    conflict,
    /^1 .*both sides have changed src\/total\.js; let the agent .*: lectern prompt loop 'Merge the branch main/,
  );
  gitIn(path, "reset", "--quiet", "--hard", "main");
  writeIn(path, "new.txt", "new\n");
  writeIn(path, ".gitignore", "kept/\n");
  writeIn(path, "kept/data", "data\n");
  await home.ok("task", "commit", "loop", "-m", "New");
  assert.match(await home.ok("task", "merge", "loop"), /^[0-9a-f]{40} on main, in .*shop\n$/);
  assert.equal(readFileSync(join(repository.path, "new.txt"), "utf8"), "new\n");
  await home.ok("kill", "loop");
  const { stderr, stdout } = await home.run(["task", "rm", "loop"]);
  assert.match(stderr, /Removed with it, because git ignores them: kept\//);
  assert.match(stdout, /loop removed; branch "user\/loop" removed/);
});
