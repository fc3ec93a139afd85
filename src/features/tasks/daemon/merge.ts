/**
 * Merges the branch of a task into another one. The merge is made of commits alone, by the settings of the shadow: no driver, hook or filter
 * runs. Where the other branch is checked out, its files follow, as with a fast-forward of git: what is not committed there is never lost.
 */
import { copyFile, mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { LecternError } from "../../../core/errors.ts";
import type { OutputOf } from "../../../protocol/operations.ts";
import { git, gitFailed, tryGit, type GitRun } from "../../../daemon/git/run-git.ts";
import { checkout } from "./checkout.ts";
import { COMMIT_MS_MAX, filteredAmong, committerOf, withIndexLock, type Target } from "./commit.ts";
import { commonDirectoryOf, Shadow } from "./shadow.ts";

interface WantedMerge extends Target {
  readonly sessionDirectory: string;
  /** A branch. Default: the one that the task has started from. */
  readonly into: string | undefined;
}

/** From one commit of a branch to its next one. */
interface Step {
  readonly ref: string;
  readonly into: string;
  readonly from: string;
  readonly to: string;
}

type Merged = OutputOf<"tasks.merge">;

/** Conflicts are a result: nothing has changed then. Throws `INVALID_INPUT`, and `CONFLICT` with the next step. */
export async function mergeTask(wanted: WantedMerge): Promise<Merged> {
  const { head, worktree } = wanted;
  const common = commonDirectoryOf(worktree);
  const references: GitRun = { workingDirectory: common, environment: { GIT_DIR: common } };
  const into = wanted.into ?? worktree.baseName;
  if (into === null || into === worktree.branch)
    throw new LecternError(
      "INVALID_INPUT",
      `Cannot merge "${worktree.branch}" without another branch: name one with --into BRANCH`,
    );
  const ref = `refs/heads/${into}`;
  const tip = await tryGit(["rev-parse", "--verify", "--quiet", "--end-of-options", ref], references);
  if (tip.code !== 0)
    throw new LecternError("CONFLICT", `Cannot merge into "${into}": there is no such branch; name one with --into`);
  const from = tip.text.trim();
  const isWithin = async (one: string, other: string): Promise<boolean> =>
    (await tryGit(["merge-base", "--is-ancestor", one, other], references)).code === 0;
  if (await isWithin(head, from)) return { into, commit: from, conflicts: [], checkout: null };
  const merged = (await isWithin(from, head)) ? { commit: head } : await mergeCommit(wanted, { from, into });
  if ("conflicts" in merged) return { into, commit: null, conflicts: [...merged.conflicts], checkout: null };
  const step = { ref, into, from, to: merged.commit };
  const place = await checkoutOf(ref, references);
  if (place === undefined) await moveBranch(step, references);
  else await moveCheckout(step, { ...wanted, ...place, common }, references);
  return { into, commit: step.to, conflicts: [], checkout: place?.path ?? null };
}

async function mergeCommit(
  { head, shadow, worktree }: Target,
  { from, into }: Pick<Step, "from" | "into">,
): Promise<{ readonly commit: string } | { readonly conflicts: readonly string[] }> {
  const run = shadow.run("merge", {
    environment: { ...shadow.intoRepository, ...(await committerOf(worktree)) },
    msMax: COMMIT_MS_MAX,
  });
  const words = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", from, head];
  const { code, problem, text } = await tryGit(words, run);
  const [tree = "", ...names] = text.split("\0");
  if (code === 1) return { conflicts: names.filter((name) => name !== "") };
  if (code !== 0) throw gitFailed(words, `${problem.trim().split("\n")[0] ?? ""} (git 2.38 or newer merges here)`);
  const message = `Merge branch '${worktree.branch}' into ${into}\n`;
  const commit = await git(["commit-tree", "-p", from, "-p", head, "-F", "-", tree], { ...run, input: message });
  return { commit: commit.trim() };
}

const moveBranch = async ({ ref, from, to }: Step, run: GitRun): Promise<string> =>
  await git(["update-ref", "-m", "merge: by Lectern", ref, to, from], run);

interface Place {
  readonly path: string;
  readonly gitDirectory: string;
}

/** Where the branch is checked out. */
async function checkoutOf(ref: string, references: GitRun): Promise<Place | undefined> {
  const { workingDirectory: common } = references;
  const listed = await git(["worktree", "list", "--porcelain", "-z"], references);
  for (const [index, entry] of listed.split("\0\0").entries()) {
    const lines = entry.split("\0");
    const path = lines.find((line) => line.startsWith("worktree "))?.slice("worktree ".length);
    if (path === undefined || !lines.includes(`branch ${ref}`)) continue;
    return { path, gitDirectory: index === 0 ? common : await gitDirectoryAt(path, common) };
  }
  return undefined;
}

/** By the record of the repository: the file `.git` of a worktree is an agent's. */
async function gitDirectoryAt(path: string, common: string): Promise<string> {
  for (const name of await readdir(join(common, "worktrees"))) {
    const directory = join(common, "worktrees", name);
    const link = await readFile(join(directory, "gitdir"), "utf8").catch(() => "");
    if (link.trim() === join(path, ".git")) return directory;
  }
  throw new LecternError("CONFLICT", `Cannot merge: git does not know the worktree "${path}" any more`);
}

async function moveCheckout(
  step: Step,
  {
    common,
    gitDirectory,
    path,
    sessionDirectory,
  }: Place & { readonly common: string; readonly sessionDirectory: string },
  references: GitRun,
): Promise<void> {
  const { unfinished } = await checkout({ gitDirectory, path });
  if (unfinished !== null)
    throw refused(step, path, `a ${unfinished} is not finished there; finish or abort it with git`);
  const directory = join(sessionDirectory, "merge");
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { mode: 0o700 });
  try {
    const shadow = new Shadow(directory, { path, base: step.from, common });
    await shadow.requirePlace();
    await shadow.prepare();
    await withIndexLock({ gitDirectory, path }, async (install) => {
      await copyFile(join(gitDirectory, "index"), join(shadow.directory, "index"));
      const run = shadow.run("index", { msMax: COMMIT_MS_MAX });
      const names = (await git(["diff-tree", "-r", "-z", "--name-only", step.from, step.to], run)).split("\0");
      const filtered = await filteredAmong(names.slice(0, -1), run);
      if (filtered !== undefined)
        throw refused(
          step,
          path,
          `.gitattributes names the filter "${filtered.filter}" for "${filtered.path}"; merge with git there`,
        );
      await tryGit(["update-index", "-q", "--refresh"], run);
      const { code, problem } = await tryGit(["read-tree", "-m", "-u", step.from, step.to], run);
      if (code !== 0) {
        const name = /'([^']+)'/.exec(problem)?.[1] ?? "a file";
        throw refused(
          step,
          path,
          `"${name}" has changes there that are not committed; commit or stash them, then merge again`,
        );
      }
      try {
        await moveBranch(step, references);
      } catch (error) {
        // The branch has moved meanwhile, or is locked: the files are again those of before.
        await git(["read-tree", "-m", "-u", step.to, step.from], run);
        throw error;
      }
      await install(join(shadow.directory, "index"));
    });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const refused = ({ into }: Step, path: string, why: string): LecternError =>
  new LecternError("CONFLICT", `Cannot merge into "${into}", which is checked out in "${path}": ${why}`);
