/** A task in a sandbox by the command line: it has its prompt and its git, and what it commits is on its branch only. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { GitRepository, writeIn } from "../support/git-repository.ts";
import { until } from "../support/until.ts";
import { SharedHome } from "./cli-home.ts";

const shared = new SharedHome();

/** What an agent does: it commits one file, leaves two, and tries what it may not. */
const prompt = (repository: string): string =>
  [
    "echo total > README.md && git commit --quiet -am agent",
    "echo mine > kept.txt; echo no > lost.txt",
    `echo evil > ${repository}/README.md; echo evil > ${repository}/.git/hooks/pre-commit; touch ../beside`,
    "echo end-$((40+2))",
  ].join("; ");

test("a task in a sandbox gets its prompt and commits on its branch, and the checkout is out of its reach", async () => {
  using repository = new GitRepository();
  const home = await shared.empty();
  const words = ["--sandbox", "-C", repository.path, "--worktree", "walled", "--prompt", prompt(repository.path)];
  await home.ok("run", "-d", ...words, "--", "bash", "--norc", "--noprofile");
  await home.ok("wait", "walled", "--for", "output:end-42", "--from", "0", "--timeout", "90s");
  const { sandbox, worktree } = await home.client.call("sessions.get", { session: "walled" });
  assert.equal(sandbox?.profile, "work");
  const path = worktree?.path ?? "";
  assert.equal(repository.git("log", "-1", "--format=%s", "walled"), "agent");
  assert.equal(repository.git("status", "--porcelain"), "");
  assert.equal(repository.git("rev-parse", "main"), worktree?.base);
  assert.equal(existsSync(join(repository.path, ".git/hooks/pre-commit")), false);
  assert.equal(existsSync(join(path, "../beside")), false);

  const listed = (await home.ok("task", "changes", "walled")).split("\n").map((line) => line.split(/ +/).at(-1));
  assert.deepEqual(listed.slice(1, 4), ["README.md", "kept.txt", "lost.txt"]);
  assert.match(
    await home.fails("task", "discard", "walled", "README.md", "--yes"),
    /nothing to discard in "README.md"; not committed are: kept.txt, lost.txt$/,
  );
  assert.match(
    await home.fails("task", "discard", "walled", "lost.txt"),
    /Lost: lost.txt\n.*Cannot ask without a terminal/,
  );
  assert.equal(await home.ok("task", "discard", "walled", "lost.txt", "--yes"), "1 discarded\n");
  assert.deepEqual(
    [existsSync(join(path, "lost.txt")), readFileSync(join(path, "kept.txt"), "utf8")],
    [false, "mine\n"],
  );
  // What is committed is what was shown: to a script by its fingerprint, to a person on a terminal by a question.
  const { fingerprint } = JSON.parse(await home.ok("task", "diff", "walled", "--json")) as { fingerprint: string };
  writeIn(path, "kept.txt", "since\n");
  assert.match(
    await home.fails("task", "commit", "walled", "-m", "Not as shown", "--fingerprint", fingerprint),
    /have changed since they were shown/,
  );
  const asked = home.onTerminal(["task", "commit", "walled", "-m", "By a person"], { columns: 150, rows: 20 });
  await asked.until("Commit 1 file? [y/N]");
  assert.match(asked.text, /Committed: kept.txt\r\n.*1 not committed, 1 commit; fingerprint \w+\r\n/);
  writeIn(path, "kept.txt", "mine\n");
  asked.write("y\r");
  await asked.until("have changed since they were shown");
  const again = home.onTerminal(["task", "commit", "walled", "-m", "By a person"], { columns: 150, rows: 20 });
  await again.until("Commit 1 file? [y/N]");
  again.write("y\r");
  await again.until(" on walled");
  assert.equal(repository.git("show", "walled:kept.txt"), "mine");
  await home.ok("kill", "walled");
  await until(async () => (await home.client.call("sessions.get", { session: "walled" })).sandbox?.setAside !== null);
  await home.ok("task", "rm", "walled");
  assert.equal(existsSync(path), false);
  assert.equal(repository.git("log", "--format=%s", "walled").split("\n").length, 3);
});

test("what a session in a sandbox has left to be executed is named at its end, and by the commands of its task", async () => {
  using repository = new GitRepository();
  const home = await shared.empty();
  const script = [
    "echo script-shell=evil > .npmrc; mkdir -p packages/a .github/workflows; echo x > packages/a/.npmrc",
    "echo x > .github/workflows/x.yml; git add .github && git commit --quiet -m x; ln -s /etc/passwd out",
    "git init -q plain; git init -q lib; git -C lib config core.fsmonitor evil; printf 'all:\\n' > Makefile",
  ].join("; ");
  const words = ["--sandbox", "-C", repository.path, "--worktree", "left", "--", "bash", "-c", script];
  const { code, stderr } = await home.run(["run", "-n", "left", ...words]);
  assert.equal(code, 0, stderr);
  const path = (await home.client.call("sessions.get", { session: "left" })).worktree?.path ?? "";
  const aside = [".npmrc", ".github/workflows", "lib"].map((name) => `"${join(path, name)}"`);
  const found = [
    `"${join(path, "Makefile")}", which "make" executes`,
    `the link "${join(path, "out")}" to "/etc/passwd"`,
    `"${join(path, "packages/a/.npmrc")}", which npm executes there`,
    `the repository "${join(path, "plain")}"`,
  ];
  for (const text of [stderr, await home.ok("info", "left")]) {
    const [, asideText = "", foundText = ""] =
      /SET ASIDE: the program put there .*?: (.*)\. Its name .*[\s;]READ FIRST: the program made or changed (.*)\. Read it/.exec(
        text,
      ) ?? [];
    assert.deepEqual(new Set(asideText.split(", ")), new Set(aside), text);
    for (const each of found) assert.ok(foundText.includes(each), `${each} in ${text}`);
  }
  assert.ok(existsSync(join(path, ".npmrc-from-sandbox")));
  for (const action of ["changes", "diff"]) {
    const shown = await home.run(["task", action, "left"]);
    const expected =
      /READ FIRST, it may be executed later: packages\/a\/\.npmrc \(npm\), \.github\/workflows\/x\.yml \(CI, in a commit\), plain\/ \(a repository\)/;
    assert.match(shown.stderr, expected, action);
  }
});
