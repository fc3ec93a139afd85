/** Makes and removes worktrees with a branch of their own. What fails half way leaves nothing behind. */
import { copyFile, lstat, mkdir, readFile, realpath, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { LecternError } from "../../core/errors.ts";
import type { SessionWorktree } from "../../protocol/session.ts";
import { git, tryGit, userSettings, type GitRun } from "../git/run-git.ts";
import { commonDirectoryOf, Shadow } from "./shadow.ts";

interface WantedWorktree {
  readonly name: string;
  /** A commit, branch or tag. Default: the commit that is checked out. */
  readonly base?: string | undefined;
  readonly group?: string | undefined;
}

interface Where {
  /** Where the repository is looked up, from here upwards. */
  readonly workingDirectory: string;
  readonly sessionDirectory: string;
}

interface Repository {
  /** The shared git directory. */
  readonly common: string;
  /** The files beside it; null for a bare repository. */
  readonly root: string | null;
  /** The checkout that the person is in, which may be a worktree; null in a bare repository. */
  readonly checkout: { readonly path: string; readonly gitDirectory: string } | null;
}

/** Throws `INVALID_INPUT` without a repository, `NAME_TAKEN`, `CONFLICT` with what git reports, and `NOT_AVAILABLE` without git. */
export async function createWorktree(wanted: WantedWorktree, where: Where): Promise<SessionWorktree> {
  const repository = await findRepository(where.workingDirectory);
  const base = await baseOf(wanted.base, where.workingDirectory);
  const directory = worktreesDirectory(repository);
  const path = join(directory, wanted.name);
  const inRepository: GitRun = { workingDirectory: repository.common, environment: { GIT_DIR: repository.common } };
  await requireFree(wanted.name, path, inRepository);
  const isNew = (await mkdir(directory, { recursive: true })) !== undefined;
  try {
    const words = ["worktree", "add", "--quiet", "--no-checkout", "--no-track", "-b", wanted.name, path, base.commit];
    await git(words, inRepository);
    const worktree: SessionWorktree = {
      path: await realpath(path),
      branch: wanted.name,
      base: base.commit,
      baseName: base.name,
      repository: repository.root ?? repository.common,
      gitDirectory: await gitDirectoryOf(path),
      group: wanted.group ?? null,
      leftOut: await uncommittedIn(repository, where),
    };
    const shadow = new Shadow(where.sessionDirectory, { ...worktree, common: repository.common });
    await shadow.prepare();
    const index = `index-${base.commit}`;
    await git(["read-tree", "--reset", "-u", base.commit], shadow.run(index, { msMax: CHECKOUT_MS_MAX }));
    await copyFile(join(shadow.directory, index), join(worktree.gitDirectory, "index"));
    return worktree;
  } catch (error) {
    await dropWorktree({ path, branch: wanted.name, common: repository.common, deleteBranch: true });
    if (isNew) await rmdir(directory).catch(() => undefined);
    throw error;
  }
}

const CHECKOUT_MS_MAX = 300_000;

/** A session that could not be started: its worktree and its branch have nothing of anybody. */
export async function undoWorktree({ path, branch, gitDirectory }: SessionWorktree): Promise<void> {
  await dropWorktree({ path, branch, common: commonDirectoryOf({ gitDirectory }), deleteBranch: true });
  await rmdir(dirname(path)).catch(() => undefined);
}

interface Dropped {
  readonly path: string;
  readonly branch: string;
  readonly common: string;
  readonly deleteBranch: boolean;
}

/** The caller has checked that nothing of value is lost. */
export async function dropWorktree({ path, branch, common, deleteBranch }: Dropped): Promise<void> {
  await rm(path, { recursive: true, force: true });
  const run: GitRun = { workingDirectory: common, environment: { GIT_DIR: common } };
  // The directory is gone: this only makes git forget it.
  await tryGit(["worktree", "remove", "--force", path], run);
  if (deleteBranch) await tryGit(["branch", "--quiet", "-D", "--", branch], run);
}

async function findRepository(workingDirectory: string): Promise<Repository> {
  // Settings of the user are read for `safe.directory`.
  const run: GitRun = { workingDirectory, environment: userSettings };
  const words = ["rev-parse", "--path-format=absolute", "--git-common-dir", "--git-dir", "--is-bare-repository"];
  const { code, text, problem } = await tryGit(words, run);
  if (code !== 0) throw notInRepository(workingDirectory, problem);
  const [named = "", gitDirectory = "", isBare] = text.split("\n");
  const common = await realpath(named);
  if (isBare === "true") return { common, root: null, checkout: null };
  const top = await tryGit(["rev-parse", "--show-toplevel"], run);
  if (top.code !== 0) throw notInRepository(workingDirectory, top.problem);
  const path = await realpath(top.text.replace(/\n$/, ""));
  // The shared directory is in the main checkout, whichever worktree the person is in.
  return { common, root: basename(common) === ".git" ? dirname(common) : path, checkout: { path, gitDirectory } };
}

function notInRepository(workingDirectory: string, problem: string): LecternError {
  if (/dubious ownership/.test(problem)) {
    return new LecternError(
      "CONFLICT",
      `Cannot make a worktree: the repository of "${workingDirectory}" belongs to another user; "git config --global --add safe.directory DIRECTORY" accepts it`,
    );
  }
  return new LecternError(
    "INVALID_INPUT",
    `Cannot make a worktree: "${workingDirectory}" is not in a git repository; start in one, run "git init" and commit first, or leave the worktree out`,
  );
}

async function baseOf(
  wanted: string | undefined,
  workingDirectory: string,
): Promise<{ commit: string; name: string | null }> {
  const run: GitRun = { workingDirectory, environment: userSettings };
  const name = wanted ?? "HEAD";
  const words = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
  const { code, text } = await tryGit(words, run);
  if (code === 0) return { commit: text.trim(), name: wanted ?? (await branchIn(run)) };
  if (wanted !== undefined) {
    throw new LecternError(
      "INVALID_INPUT",
      `Cannot find the base "${wanted}" in the repository: name a commit, a branch or a tag that exists here`,
    );
  }
  throw new LecternError(
    "CONFLICT",
    `Cannot make a worktree: the repository of "${workingDirectory}" has no commit yet; make one first ("git commit --allow-empty -m start")`,
  );
}

/** The branch that is checked out; null if none is. */
async function branchIn(run: GitRun): Promise<string | null> {
  const { code, text } = await tryGit(["symbolic-ref", "--quiet", "--short", "HEAD"], run);
  return code === 0 ? text.trim() : null;
}

/** Beside the repository, because a sandbox hides the data directory. */
const worktreesDirectory = ({ root, common }: Repository): string =>
  `${root ?? common.replace(/\.git$/, "")}.worktrees`;

async function requireFree(name: string, path: string, run: GitRun): Promise<void> {
  if ((await tryGit(["check-ref-format", "--branch", name], run)).code !== 0) {
    throw new LecternError("INVALID_INPUT", `Cannot use "${name}" as the name of a branch: choose another name`);
  }
  if ((await tryGit(["show-ref", "--verify", "--quiet", `refs/heads/${name}`], run)).code === 0) {
    throw new LecternError(
      "NAME_TAKEN",
      `Cannot make the worktree "${name}": the branch "${name}" exists already; choose another name, or start in its worktree ("git worktree list" has it)`,
    );
  }
  if ((await lstat(path).catch(() => undefined)) === undefined) return;
  throw new LecternError(
    "NAME_TAKEN",
    `Cannot make the worktree "${name}": "${path}" exists already; choose another name, or start in that directory without a new worktree`,
  );
}

async function gitDirectoryOf(path: string): Promise<string> {
  const named = /^gitdir: (.+)$/m.exec(await readFile(join(path, ".git"), "utf8"))?.[1];
  if (named === undefined) throw new LecternError("INTERNAL", `Cannot read "${path}/.git", which git has just made`);
  return await realpath(resolve(path, named));
}

/** How many files of the checkout differ from its commit: they are not in the new worktree. */
async function uncommittedIn({ checkout, common }: Repository, { sessionDirectory }: Where): Promise<number> {
  if (checkout === null) return 0;
  const { commit } = await baseOf(undefined, checkout.path);
  const directory = join(sessionDirectory, "repository");
  const shadow = new Shadow(directory, { path: checkout.path, base: commit, common });
  try {
    await mkdir(directory, { mode: 0o700 });
    await shadow.prepare();
    await copyFile(join(checkout.gitDirectory, "index"), join(shadow.directory, "index"));
    const words = ["status", "--porcelain", "-z", "--ignore-submodules=all", "--no-renames"];
    const { code, text } = await tryGit(words, shadow.run("index"));
    return code === 0 ? text.split("\0").length - 1 : 0;
  } catch {
    // Only a figure for a note.
    return 0;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
