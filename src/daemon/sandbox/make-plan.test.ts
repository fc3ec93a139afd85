import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { visibility } from "../../core/sandbox/plan.ts";
import { builtInProfiles } from "../../core/sandbox/profile.ts";
import { makePlan } from "./make-plan.ts";

test("credentials in a fresh directory stay hidden if readOnly shows the directory around them", async () => {
  const around = realpathSync(mkdtempSync("/tmp/lectern-plan-"));
  try {
    for (const name of ["home/.ssh", "home/.aws", "project"]) mkdirSync(join(around, name), { recursive: true });
    const {
      plan: { mounts },
    } = await makePlan({
      profile: { ...builtInProfiles.work, readOnly: [`${around}/`, "~/.aws/"] },
      command: ["/bin/cat"],
      workingDirectory: join(around, "project"),
      environment: { HOME: join(around, "home") },
      ownDirectories: [],
      neededFiles: [],
      writtenDirectories: [],
      agentPlaces: { private: [], fresh: [], write: [] },
    });
    const kinds = ["home", "home/.ssh", "home/.aws", "project"].map((name) => visibility(mounts, join(around, name)));
    assert.deepEqual(kinds, ["read-only", "empty", "read-only", "writable"]);
  } finally {
    rmSync(around, { recursive: true });
  }
});

/** In its own project, without a home or settings of whoever runs the test. */
const planIn = async (project: string, write: readonly string[] = []) =>
  await makePlan({
    profile: { ...builtInProfiles.work, write: [...builtInProfiles.work.write, ...write] },
    command: ["/bin/cat"],
    workingDirectory: project,
    environment: { HOME: join(project, "home"), GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" },
    ownDirectories: [],
    neededFiles: [],
    writtenDirectories: [],
    agentPlaces: { private: [], fresh: [], write: [] },
  });

test("what something executes later is read-only if it exists, and open if the profile says so", async () => {
  const project = realpathSync(mkdtempSync("/var/tmp/lectern-plan-"));
  try {
    for (const name of [".github/workflows", ".yarn/releases"]) mkdirSync(join(project, name), { recursive: true });
    for (const name of [".npmrc", "GNUmakefile"]) writeFileSync(join(project, name), "");
    const { plan, roots } = await planIn(project, [".yarn/releases"]);
    for (const [name, kind] of [
      [".npmrc", "read-only"],
      ["GNUmakefile", "read-only"],
      [".github/workflows", "read-only"],
      [".github", "writable"],
      [".yarn/releases", "writable"],
      [".windsurf", "read-only"],
      [".yarnrc.yml", "writable"],
    ] as const)
      assert.equal(visibility(plan.mounts, join(project, name)), kind, name);
    const { present } = roots.find(({ root }) => root === project) ?? { present: [] };
    assert.deepEqual(new Set(present), new Set([".npmrc", "GNUmakefile", ".github/workflows", ".yarn/releases"]));
    assert.ok(!plan.standIns.some(({ path }) => path.endsWith(".yarnrc.yml")), "git would see a file");
  } finally {
    rmSync(project, { recursive: true });
  }
});

test("what hooks and settings under a condition name is read-only", async () => {
  const project = realpathSync(mkdtempSync("/var/tmp/lectern-plan-"));
  const git = (...words: string[]): unknown => execFileSync("git", words, { cwd: project });
  try {
    git("init", "-q", ".");
    git("-c", "user.name=n", "-c", "user.email=n@example.org", "commit", "-q", "--allow-empty", "-m", "x");
    git("worktree", "add", "-q", join(project, "tree"));
    mkdirSync(join(project, "tools"));
    for (const name of ["tools/a.sh", "tools/b.py", "tools/c.txt", "tools/later.sh", "tools/inner.sh"])
      writeFileSync(join(project, name), "");
    writeFileSync(
      join(project, ".git/hooks/pre-commit"),
      "#!/bin/sh\n./tools/a.sh && python3 tools/b.py tools/c.txt\n",
    );
    git("config", "includeIf.onbranch:other.path", "../other.gitconfig");
    writeFileSync(
      join(project, "other.gitconfig"),
      '[core]\n\tfsmonitor = ./tools/later.sh\n[includeIf "onbranch:x"]\n\tpath = inner.gitconfig\n',
    );
    writeFileSync(join(project, "inner.gitconfig"), '[filter "x"]\n\tclean = tools/inner.sh\n');
    const { plan } = await planIn(project);
    for (const [name, kind] of [
      ["tools/a.sh", "read-only"],
      ["tools/b.py", "read-only"],
      ["tools/c.txt", "writable"],
      ["other.gitconfig", "read-only"],
      ["inner.gitconfig", "read-only"],
      ["tools/later.sh", "read-only"],
      ["tools/inner.sh", "read-only"],
      [".git/worktrees/tree/config.worktree", "read-only"],
    ] as const)
      assert.equal(visibility(plan.mounts, join(project, name)), kind, name);
    writeFileSync(join(project, "inner.gitconfig"), "[broken");
    await assert.rejects(planIn(project), /git cannot read the settings of ".*inner\.gitconfig"/);
  } finally {
    rmSync(project, { recursive: true });
  }
});

test("what the settings of a repository name is read-only, also where it does not exist yet", async () => {
  const project = realpathSync(mkdtempSync("/var/tmp/lectern-plan-"));
  const git = (...words: string[]): unknown => execFileSync("git", words, { cwd: project });
  const planOf = () =>
    makePlan({
      profile: builtInProfiles.work,
      command: ["/bin/cat"],
      workingDirectory: project,
      // With its own "git" and its own settings a program would run outside of its sandbox.
      environment: {
        HOME: project,
        PATH: join(project, "bin"),
        GIT_TRACE: join(project, "traced"),
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_CONFIG_GLOBAL: "/dev/null",
      },
      ownDirectories: [],
      neededFiles: [],
      writtenDirectories: [],
      agentPlaces: { private: [], fresh: [], write: [] },
    });
  try {
    git("init", "-q", ".");
    mkdirSync(join(project, "bin"));
    writeFileSync(join(project, "bin/git"), `#!/bin/sh\n: > '${project}/ran'\n`, { mode: 0o755 });
    mkdirSync(join(project, "tools"));
    mkdirSync(join(project, ".githooks"));
    for (const file of [
      "tools/clean.js",
      "tools/other.js",
      "tools/a b",
      "tools/in",
      "tools/top",
      "tools/tar",
      "watch",
      ".gitconfig-shared",
      "a.txt",
    ])
      writeFileSync(join(project, file), "");
    writeFileSync(join(project, ".gitconfig-shared"), '[merge "x"]\n\tdriver = sh ./tools/merge.sh %A\n');
    git("config", "core.hooksPath", ".githooks");
    git("config", "include.path", "../.gitconfig-shared");
    git("config", "--add", "include.path", "../later/config");
    git("config", "filter.x.clean", "node tools/clean.js --in %f");
    git("config", "core.fsmonitor", "./watch");
    git("config", "filter.b.clean", "'tools/a b' %f");
    git("config", "filter.c.clean", "cd tools && ./in");
    git("config", "filter.d.clean", "$(git rev-parse --show-toplevel)/tools/top %f");
    git("config", "filter.e.clean", "made/later.sh %f");
    git("config", "tar.x.command", "tools/tar");
    git("config", "alias.a", "!sh -c 'tools/alias.sh'");
    const {
      plan: { mounts, standIns },
    } = await planOf();
    for (const [name, kind] of [
      [".githooks", "read-only"],
      [".gitconfig-shared", "read-only"],
      ["later", "read-only"],
      ["tools/clean.js", "read-only"],
      ["tools/a b", "read-only"],
      ["tools/in", "read-only"],
      ["tools/top", "read-only"],
      ["tools/tar", "read-only"],
      ["made", "read-only"],
      ["watch", "read-only"],
      ["tools/other.js", "writable"],
      ["tools", "writable"],
      ["a.txt", "writable"],
    ] as const)
      assert.equal(visibility(mounts, join(project, name)), kind, name);
    assert.deepEqual([existsSync(join(project, "ran")), existsSync(join(project, "traced"))], [false, false]);
    assert.ok(standIns.some(({ path }) => path === join(project, "later")));
    git("config", "alias.long", `!${"x ".repeat(33_000)}`);
    await assert.rejects(planOf, /command lines have more than 65536 characters/);
    git("config", "--unset", "alias.long");
    git("config", "core.hooksPath", ".");
    await assert.rejects(planOf, /a setting of git names/);
    writeFileSync(join(project, ".gitconfig-shared"), "[broken");
    await assert.rejects(planOf, /git cannot read the settings/);
  } finally {
    rmSync(project, { recursive: true });
  }
});
