/** What is checked out in a worktree now. Only references are read, in the git directory that was recorded: the `.git` file is the agent's. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { LecternError } from "../../../core/errors.ts";
import type { SessionWorktree } from "../../../protocol/session.ts";
import { tryGit, type GitRun } from "../../../daemon/git/run-git.ts";

export interface Checkout {
  /** Null if no branch is checked out. */
  readonly branch: string | null;
  readonly head: string;
  /** What somebody began there with git and did not finish. */
  readonly unfinished: string | null;
}

const unfinishedFiles: ReadonlyMap<string, string> = new Map([
  ["MERGE_HEAD", "merge"],
  ["CHERRY_PICK_HEAD", "cherry-pick"],
  ["REVERT_HEAD", "revert"],
  ["rebase-merge", "rebase"],
  ["rebase-apply", "rebase"],
]);

/** Throws `CONFLICT` if git does not know the worktree any more. */
export async function checkout({
  gitDirectory,
  path,
}: Pick<SessionWorktree, "gitDirectory" | "path">): Promise<Checkout> {
  const run = referencesOf({ gitDirectory });
  const [head, branch] = await Promise.all([
    tryGit(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], run),
    tryGit(["symbolic-ref", "--quiet", "HEAD"], run),
  ]);
  if (head.code !== 0) {
    throw new LecternError(
      "CONFLICT",
      `Cannot read the worktree "${path}": git does not know its commit any more (${head.problem.trim() || gitDirectory}); "git worktree repair" in the repository may help`,
    );
  }
  const found = [...unfinishedFiles].find(([name]) => existsSync(join(gitDirectory, name)));
  return {
    head: head.text.trim(),
    branch: branch.code === 0 ? branch.text.trim().replace(/^refs\/heads\//, "") : null,
    unfinished: found?.[1] ?? null,
  };
}

/** A run of git that reads or changes references. */
export const referencesOf = ({ gitDirectory }: Pick<SessionWorktree, "gitDirectory">): GitRun => ({
  workingDirectory: gitDirectory,
  environment: { GIT_DIR: gitDirectory },
});
