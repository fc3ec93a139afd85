/**
 * Commits or discards what is not committed, while the lock of git's own index is held: a git of the agent waits or fails, as for any other git.
 * The new index is complete before the branch moves, and is put in place after it.
 */
import { copyFile, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { LecternError } from "../../../core/errors.ts";
import type { SessionWorktree } from "../../../protocol/session.ts";
import { referencesOf } from "./checkout.ts";
import type { WorktreeChanges } from "./read-changes.ts";
import { git, tryGit, userSettings, type GitRun } from "../../../daemon/git/run-git.ts";
import type { Shadow } from "./shadow.ts";

export const COMMIT_MS_MAX = 120_000;

export interface Target {
  readonly shadow: Shadow;
  readonly worktree: SessionWorktree;
  readonly head: string;
}

interface NewCommit extends Target {
  readonly message: string;
  readonly uncommitted: WorktreeChanges;
}

/** Returns the commit. Throws `CONFLICT` for what only git itself with its filters commits rightly. */
export async function commitAll(wanted: NewCommit): Promise<string> {
  const { shadow, worktree, head, message, uncommitted } = wanted;
  const [inner] = uncommitted.innerRepositories;
  if (inner !== undefined) {
    throw new LecternError(
      "CONFLICT",
      `Cannot commit in "${worktree.path}": "${inner}" is a repository of its own; move it away, add it to .gitignore, or commit with git`,
    );
  }
  await requireNoFilters(wanted);
  const person = await committerOf(worktree);
  return await withIndexLock(worktree, async (install) => {
    const index = "commit";
    await shadow.copyIndex(await shadow.indexOf(head), index);
    const run = shadow.run(index, { environment: { ...shadow.intoRepository, ...person }, msMax: COMMIT_MS_MAX });
    await git(["add", "--all"], run);
    const tree = (await git(["write-tree"], run)).trim();
    const commit = (await git(["commit-tree", "-p", head, "-F", "-", tree], { ...run, input: message })).trim();
    const [subject = ""] = message.split("\n");
    const references: GitRun = referencesOf(worktree);
    await git(["update-ref", "-m", `commit: ${subject}`, "HEAD", commit, head], {
      ...references,
      environment: { ...references.environment, ...person },
    });
    await install(join(shadow.directory, index));
    return commit;
  });
}

/** With hooks, filters and signatures, as the person has asked for. */
export async function commitAsPerson({ path, gitDirectory }: SessionWorktree, message: string): Promise<string> {
  const run: GitRun = {
    workingDirectory: path,
    environment: { GIT_DIR: gitDirectory, GIT_WORK_TREE: path, GIT_TERMINAL_PROMPT: "0" },
    asPerson: true,
    msMax: COMMIT_MS_MAX,
  };
  await git(["add", "--all"], run);
  await git(["commit", "--quiet", "--cleanup=strip", "-F", "-"], { ...run, input: message });
  return (await git(["rev-parse", "HEAD"], referencesOf({ gitDirectory }))).trim();
}

/** Every file is as in the commit again, and files that git does not know are removed; ignored ones stay. */
export async function discardAll({ shadow, worktree, head }: Target): Promise<void> {
  await withIndexLock(worktree, async (install) => {
    const index = "discard";
    await shadow.copyIndex(await shadow.indexOf(head), index);
    const run = shadow.run(index, { msMax: COMMIT_MS_MAX });
    // First, so that no new directory stands where a file is written.
    await git(["clean", "--force", "-d", "--quiet"], run);
    await git(["checkout-index", "--all", "--force", "--index"], run);
    await install(join(shadow.directory, index));
  });
}

/** A filter changes what is stored (Git LFS does), and none runs here. */
async function requireNoFilters({ shadow, worktree, head, uncommitted }: NewCommit): Promise<void> {
  const names = uncommitted.changes.filter(({ type }) => type !== "removed").map(({ path }) => path);
  const found = await filteredAmong(names, shadow.run(`index-${head}`));
  if (found === undefined) return;
  throw new LecternError(
    "CONFLICT",
    `Cannot commit "${found.path}": .gitattributes names the filter "${found.filter}" for it, and filters only run if you ask for them; give --hooks, or commit with git in "${worktree.path}"`,
  );
}

/** The first file for which an attribute names a filter. */
export async function filteredAmong(
  names: readonly string[],
  run: GitRun,
): Promise<{ readonly path: string; readonly filter: string } | undefined> {
  if (names.length === 0) return undefined;
  const words = ["check-attr", "-z", "--stdin", "filter"];
  const parts = (await git(words, { ...run, input: `${names.join("\0")}\0` })).split("\0");
  for (let at = 0; at + 2 < parts.length; at += 3) {
    const [path = "", , filter = ""] = parts.slice(at, at + 3);
    if (filter !== "unspecified" && filter !== "unset" && filter !== "") return { path, filter };
  }
  return undefined;
}

/** Who commits: as git in a terminal has it. Throws `CONFLICT` if nobody is named. */
export async function committerOf({
  gitDirectory,
}: Pick<SessionWorktree, "gitDirectory">): Promise<Record<string, string>> {
  const read = async (name: string): Promise<string> => {
    const run = { workingDirectory: gitDirectory, environment: { ...userSettings, GIT_DIR: gitDirectory } };
    const { code, text } = await tryGit(["config", "--get", name], run);
    return code === 0 ? text.trim() : "";
  };
  const name = process.env["GIT_AUTHOR_NAME"] ?? (await read("user.name"));
  const email = process.env["GIT_AUTHOR_EMAIL"] ?? (await read("user.email"));
  if (name === "" || email === "") {
    throw new LecternError(
      "CONFLICT",
      'Cannot commit: git does not know who you are; "git config --global user.name NAME" and "git config --global user.email ADDRESS" set it',
    );
  }
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: process.env["GIT_COMMITTER_NAME"] ?? name,
    GIT_COMMITTER_EMAIL: process.env["GIT_COMMITTER_EMAIL"] ?? email,
  };
}

/** `install` puts a file in the place of the index. */
export async function withIndexLock<T>(
  { gitDirectory, path }: Pick<SessionWorktree, "gitDirectory" | "path">,
  run: (install: (file: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  const index = join(gitDirectory, "index");
  const lock = `${index}.lock`;
  try {
    await (await open(lock, "wx", 0o600)).close();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
    throw new LecternError(
      "CONFLICT",
      `Cannot change "${path}": git is at work there; try again when it has ended, or remove "${lock}" if none runs`,
      { cause },
    );
  }
  // After the rename, a lock is somebody else's.
  let isHeld = true;
  try {
    return await run(async (file) => {
      await copyFile(file, lock);
      await rename(lock, index);
      isHeld = false;
    });
  } finally {
    if (isHeld) await rm(lock, { force: true });
  }
}
