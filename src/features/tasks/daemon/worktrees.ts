/** Makes and removes worktrees with a branch of their own. `undoWorktree` removes what was made half way. */
import { existsSync } from "node:fs";
import { copyFile, lstat, mkdir, readdir, readFile, realpath, rm, rmdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import * as z from "zod";
import { LecternError } from "../../../core/errors.ts";
import { SESSION_VARIABLE } from "../../../host/tagged-processes.ts";
import { branchFileName } from "../../../protocol/names.ts";
import type { SessionWorktree } from "../../../protocol/session.ts";
import { git, gitFailed, tryGit, userSettings, type GitRun } from "../../../daemon/git/run-git.ts";
import { Shadow } from "./shadow.ts";

interface WantedWorktree {
  readonly name: string;
  /** It may exist. Default: a new one with the name of the worktree. */
  readonly branch?: string | undefined;
  /** A commit, branch or tag. Default: the commit that is checked out. */
  readonly base?: string | undefined;
  readonly group?: string | undefined;
}

interface Where {
  /** Where the repository is looked up, from here upwards. */
  readonly workingDirectory: string;
  /** Id of the session that it is made for. */
  readonly session: string;
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

/** What is made for a session, written before it is: only what is known to be of this session is removed again. */
const makingSchema = z.strictObject({
  version: z.literal(1),
  /** Id. */
  session: z.string(),
  branch: z.string(),
  path: z.string(),
  /** The shared git directory. */
  common: z.string(),
  /** The directory of worktrees was made for it. */
  isFirst: z.boolean(),
  /** The branch was there before, and stays. Then the worktree is of this session once it is `added`. */
  isKnownBranch: z.boolean().default(false),
  isAdded: z.boolean().default(false),
});
type Making = z.output<typeof makingSchema>;

const MAKING_FILE = "worktree.json";

/**
 * Throws `INVALID_INPUT` without a repository, `NAME_TAKEN`, `CONFLICT` with what git reports, and `NOT_AVAILABLE` without git. What was made
 * until then is removed by `undoWorktree`.
 */
export async function createWorktree(wanted: WantedWorktree, where: Where): Promise<SessionWorktree> {
  const repository = await findRepository(where.workingDirectory);
  const { common } = repository;
  const base = await baseOf(wanted.base, where.workingDirectory);
  const directory = worktreesDirectory(repository);
  const path = join(directory, branchFileName(wanted.name));
  // A git that outlives its daemon is found by the session in its environment.
  const environment = { GIT_DIR: common, [SESSION_VARIABLE]: where.session };
  const inRepository: GitRun = { workingDirectory: common, environment };
  const branch = wanted.branch ?? wanted.name;
  const known = await requireFree(wanted, path, inRepository);
  const start = known ?? base.commit;
  const making: Making = {
    version: 1,
    session: where.session,
    branch,
    path,
    common,
    isFirst: !existsSync(directory),
    isKnownBranch: known !== undefined,
    isAdded: false,
  };
  await writeMaking(where, making);
  if (known === undefined) await makeBranch(making, start, inRepository);
  await mkdir(directory, { recursive: true });
  await addWorktree(path, branch, inRepository);
  if (known !== undefined) await writeMaking(where, { ...making, isAdded: true });
  const worktree: SessionWorktree = {
    path: await realpath(path),
    branch,
    base: known === undefined ? start : await forkOf(known, base.commit, inRepository),
    baseName: base.name,
    repository: repository.root ?? common,
    gitDirectory: await gitDirectoryOf(path),
    group: wanted.group ?? null,
    leftOut: await uncommittedIn(repository, where),
  };
  const shadow = new Shadow(where.sessionDirectory, { ...worktree, common });
  await shadow.prepare();
  const index = `index-${start}`;
  const checkout = shadow.run(index, { msMax: CHECKOUT_MS_MAX });
  const words = ["read-tree", "--reset", "-u", start];
  await git(words, { ...checkout, environment: { ...checkout.environment, [SESSION_VARIABLE]: where.session } });
  await copyFile(join(shadow.directory, index), join(worktree.gitDirectory, "index"));
  return worktree;
}

const CHECKOUT_MS_MAX = 300_000;

const writeMaking = async ({ sessionDirectory }: Where, making: Making): Promise<void> =>
  await writeFile(join(sessionDirectory, MAKING_FILE), JSON.stringify(making), { mode: 0o600 });

/** Git checks a branch out in one worktree only. */
async function addWorktree(path: string, branch: string, run: GitRun): Promise<void> {
  const words = ["worktree", "add", "--quiet", "--no-checkout", path, branch];
  const { code, problem } = await tryGit(words, run);
  if (code === 0) return;
  const other = /is already (?:checked out|used by worktree) at '([^']+)'/.exec(problem)?.[1];
  if (other === undefined) throw gitFailed(words, problem);
  throw new LecternError(
    "NAME_TAKEN",
    `Cannot make a worktree of the branch "${branch}": it is checked out in "${other}"; start there ("lectern run -C DIRECTORY"), or choose another branch`,
  );
}

/** Where a branch has left its base: changes are shown against that. */
async function forkOf(commit: string, base: string, run: GitRun): Promise<string> {
  const { code, text } = await tryGit(["merge-base", commit, base], run);
  return code === 0 ? text.trim() : commit;
}

/** In the log of the branch: who has made it. */
const madeBy = (session: string): string => `lectern: made for session ${session}`;

/** Throws `NAME_TAKEN` if another start has made it meanwhile: only one of them can. */
async function makeBranch({ branch, session }: Making, commit: string, run: GitRun): Promise<void> {
  const ref = `refs/heads/${branch}`;
  const words = ["update-ref", "--create-reflog", "-m", madeBy(session), ref, commit, "0".repeat(commit.length)];
  const { code, problem } = await tryGit(words, run);
  if (code === 0) return;
  if (/already exists/.test(problem)) throw branchTaken(branch);
  // A branch is a file among those of git, and "topic/one" one in a directory "topic".
  const other = /'refs\/heads\/([^']+)' exists; cannot create/.exec(problem)?.[1];
  if (other !== undefined) {
    throw new LecternError(
      "NAME_TAKEN",
      `Cannot make the branch "${branch}" beside the branch "${other}", which git does not allow: choose another name`,
    );
  }
  throw gitFailed(words, problem);
}

/** Removes the worktree and the branch of a session that could not be started; nobody has worked in them. */
export async function undoWorktree(sessionDirectory: string): Promise<void> {
  const making = await readMaking(sessionDirectory);
  if (making === undefined) return;
  const { branch, common, isAdded, isFirst, isKnownBranch, path, session } = making;
  const run: GitRun = { workingDirectory: common, environment: { GIT_DIR: common } };
  if (isKnownBranch) {
    if (!isAdded) return;
    await dropWorktree({ path, branch, common, deleteBranch: false });
    if (isFirst) await rmdir(dirname(path)).catch(() => undefined);
    return;
  }
  const words = ["reflog", "show", "--format=%gs", `refs/heads/${branch}`, "--"];
  const { text } = await tryGit(words, run);
  if (!text.split("\n").includes(madeBy(session))) return;
  if (await isCheckoutOf(branch, path)) await dropWorktree({ path, branch, common, deleteBranch: false });
  await git(["branch", "--quiet", "-D", "--", branch], run);
  if (isFirst) await rmdir(dirname(path)).catch(() => undefined);
}

/** Undefined if none was begun. */
async function readMaking(sessionDirectory: string): Promise<Making | undefined> {
  const text = await readFile(join(sessionDirectory, MAKING_FILE), "utf8").catch(() => "null");
  return text === "null" ? undefined : makingSchema.parse(JSON.parse(text));
}

/** Git checks a branch out in one worktree only. Also true if git has not written yet what is checked out, or has made nothing there. */
async function isCheckoutOf(branch: string, path: string): Promise<boolean> {
  const isMissing = (error: NodeJS.ErrnoException): undefined => {
    if (error.code !== "ENOENT") throw error;
  };
  if (!existsSync(path)) return true;
  const link = await readFile(join(path, ".git"), "utf8").catch(isMissing);
  if (link === undefined) return (await readdir(path)).length === 0;
  const head = await readFile(join(gitDirectoryIn(link, path), "HEAD"), "utf8").catch(isMissing);
  return head === undefined || head.trim() === `ref: refs/heads/${branch}`;
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
  // The directory is gone: this only makes git forget it, also if git has locked it while it was made.
  await tryGit(["worktree", "remove", "--force", "--force", path], run);
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

/** The last commit of a branch that was named and exists; undefined if the branch is to be made. */
async function requireFree(
  { branch: named, name }: WantedWorktree,
  path: string,
  run: GitRun,
): Promise<string | undefined> {
  const branch = named ?? name;
  if ((await tryGit(["check-ref-format", "--branch", branch], run)).code !== 0)
    throw new LecternError("INVALID_INPUT", `Cannot use "${branch}" as the name of a branch: choose another name`);
  const { code, text } = await tryGit(["show-ref", "--verify", "--hash", `refs/heads/${branch}`], run);
  if (code === 0 && named === undefined) throw branchTaken(branch);
  if ((await lstat(path).catch(() => undefined)) === undefined) return code === 0 ? text.trim() : undefined;
  throw new LecternError(
    "NAME_TAKEN",
    `Cannot make the worktree "${name}": "${path}" exists already; choose another name, or start in that directory without a new worktree`,
  );
}

const branchTaken = (name: string): LecternError =>
  new LecternError(
    "NAME_TAKEN",
    `Cannot make the worktree "${name}": the branch "${name}" exists already; --branch ${name} continues it, or choose another name`,
  );

const gitDirectoryOf = async (path: string): Promise<string> =>
  await realpath(gitDirectoryIn(await readFile(join(path, ".git"), "utf8"), path));

/** `link`: the text of the file `.git` of a worktree. */
function gitDirectoryIn(link: string, path: string): string {
  const named = /^gitdir: (.+)$/m.exec(link)?.[1];
  if (named === undefined) throw new LecternError("INTERNAL", `Cannot read "${path}/.git", which git has just made`);
  return resolve(path, named);
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
