/** Discards what is not committed in one file, and nothing else: what the agent has staged of other files stays staged. */
import { copyFile, lstat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LecternError } from "../../core/errors.ts";
import { COMMIT_MS_MAX, withIndexLock, type Target } from "./commit.ts";
import { NO_VERSION, readChanges, versionOf } from "./read-changes.ts";
import { git, type GitRun } from "../git/run-git.ts";

interface ShownFile {
  readonly path: string;
  /** As it was shown. */
  readonly version: string;
}

/** Throws `CONFLICT` if the file is not as it was shown, or has nothing to discard. */
export async function discardFile(target: Target, file: ShownFile): Promise<void> {
  const { changes } = await readChanges(target.shadow, target.head);
  const change = changes.find(({ path }) => path === file.path);
  if (change === undefined || change.isSubmodule) {
    const why = change === undefined ? "all of it is committed" : "it is a repository of its own";
    throw new LecternError("CONFLICT", `Nothing to discard in "${file.path}": ${why}`);
  }
  const files = change.from === null ? [file] : [file, { path: change.from, version: NO_VERSION }];
  await withIndexLock(target.worktree, async (install) => {
    const { shadow, worktree } = target;
    const index = "discard";
    await copyFile(join(worktree.gitDirectory, "index"), join(shadow.directory, index));
    const run = shadow.run(index, { msMax: COMMIT_MS_MAX });
    for (const each of files) await restore(target, each, run);
    await install(join(shadow.directory, index));
  });
}

/** The file is as in the commit again, in the index and in the directory; a new one is removed. */
async function restore({ shadow, head }: Target, { path, version }: ShownFile, run: GitRun): Promise<void> {
  const listed = await git(["ls-tree", "-z", head, "--", path], run);
  const isNew = !/^\d{6} blob /.test(listed);
  const removal = `0 ${"0".repeat(head.length)}\t${path}\0`;
  await git(["update-index", "-z", "--index-info"], { ...run, input: isNew ? removal : listed });
  if (!isNew) await requirePlace(shadow.path, path);
  if ((await versionOf(shadow, path)) !== version)
    throw new LecternError(
      "CONFLICT",
      `The file "${path}" has changed since it was shown: look at the changes again, then repeat`,
    );
  await git(
    isNew ? ["clean", "--force", "--quiet", "--", path] : ["checkout-index", "--force", "--index", "--", path],
    run,
  );
}

/** What was put in the place of the file, or of a directory above it, is not lost with it. */
async function requirePlace(root: string, path: string): Promise<void> {
  const place = await lstat(join(root, path)).catch(() => undefined);
  const inTheWay = place?.isDirectory() === true ? path : await notDirectory(root, dirname(path));
  if (inTheWay === undefined) return;
  throw new LecternError(
    "CONFLICT",
    `Cannot bring back "${path}": something else is at "${inTheWay}"; discard that first`,
  );
}

/** The highest of these directories that is something else. */
async function notDirectory(root: string, directory: string): Promise<string | undefined> {
  if (directory === ".") return undefined;
  const above = await notDirectory(root, dirname(directory));
  if (above !== undefined) return above;
  const stats = await lstat(join(root, directory)).catch(() => undefined);
  return stats === undefined || stats.isDirectory() ? undefined : directory;
}
