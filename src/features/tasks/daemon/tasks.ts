/** The worktrees of sessions. What is read or changed in one is done after what was asked before it: its shadow has one user at a time. */
import { existsSync } from "node:fs";
import { LecternError } from "../../../core/errors.ts";
import { executedLaterIn } from "../../../core/sandbox/executed-later.ts";
import type { OutputOf, ParsedInputOf } from "../../../protocol/operations.ts";
import type { SessionWorktree } from "../../../protocol/session.ts";
import type { SessionEntry } from "../../../daemon/sessions/session-entry.ts";
import { checkout, type Checkout } from "./checkout.ts";
import { commitAll, commitAsPerson, discardAll, COMMIT_MS_MAX, withIndexLock, type Target } from "./commit.ts";
import { mergeTask } from "./merge.ts";
import { pushTask } from "./push.ts";
import { readChanges, readPatchText, type WorktreeChanges, NO_VERSION, versionOf } from "./read-changes.ts";
import { git, tryGit, type GitRun } from "../../../daemon/git/run-git.ts";
import { commonDirectoryOf, Shadow } from "./shadow.ts";
import { dropWorktree } from "./worktrees.ts";
import { copyFile, lstat } from "node:fs/promises";
import { dirname, join } from "node:path";

const UNCOMMITTED_NAMES_MAX = 200;
const IGNORED_NAMES_MAX = 200;
const INNER_MAX = 20;
const EXECUTED_LATER_MAX = 50;
const NAMES_IN_ERROR_MAX = 5;

interface OpenTask {
  readonly shadow: Shadow;
  readonly worktree: SessionWorktree;
  readonly checkout: Checkout;
}

type Changes = OutputOf<"tasks.changes">;

export class Tasks {
  readonly #turns = new Map<string, Promise<unknown>>();
  /** Those who ask for the same at the same time are answered once. */
  readonly #reading = new Map<string, Promise<Changes>>();

  list(entries: Iterable<SessionEntry>): OutputOf<"tasks.list"> {
    const byPath = new Map<string, SessionEntry[]>();
    const newestFirst = [...entries].toSorted((a, b) => (a.stored.createdAt < b.stored.createdAt ? 1 : -1));
    for (const entry of newestFirst) {
      const path = entry.stored.worktree?.path;
      if (path !== undefined) byPath.set(path, [...(byPath.get(path) ?? []), entry]);
    }
    return {
      tasks: [...byPath.values()].flatMap((sessions) => {
        const worktree = sessions[0]?.stored.worktree;
        if (worktree === undefined) return [];
        const named = sessions.map(({ stored: { id, name, state } }) => ({ id, name, state }));
        return [{ worktree: { ...worktree }, exists: existsSync(worktree.path), sessions: named }];
      }),
    };
  }

  changes(entry: SessionEntry): Promise<Changes> {
    const known = this.#reading.get(entry.id);
    if (known !== undefined) return known;
    const reading = this.#use(entry, async (task) => {
      // Whoever asks from now on may have to see what has changed since.
      this.#reading.delete(entry.id);
      return await changesOf(task);
    }).finally(() => this.#reading.delete(entry.id));
    this.#reading.set(entry.id, reading);
    return reading;
  }

  async diff(entry: SessionEntry, input: ParsedInputOf<"tasks.diff">): Promise<OutputOf<"tasks.diff">> {
    const { path, from, bytesMax, contextLines } = input;
    return await this.#use(entry, async ({ shadow, worktree, checkout: { head } }) => {
      const paths = [path, from].filter((name) => name !== undefined);
      return await readPatchText(shadow, { commit: worktree.base, tip: head, paths, bytesMax, contextLines });
    });
  }

  async commit(entry: SessionEntry, input: ParsedInputOf<"tasks.commit">): Promise<OutputOf<"tasks.commit">> {
    return await this.#use(entry, async (task) => {
      const { shadow, worktree, checkout: state } = task;
      requireOwnBranch(task, "commit");
      const uncommitted = await readChanges(shadow, state.head);
      if (uncommitted.total === 0)
        throw new LecternError("CONFLICT", `Nothing to commit in "${worktree.path}": all is on "${worktree.branch}"`);
      if (input.confirm !== undefined) await requireSame(task, input.confirm);
      const commit = input.hooks
        ? await commitAsPerson(worktree, input.message)
        : await commitAll({ shadow, worktree, head: state.head, message: input.message, uncommitted });
      return { commit, branch: worktree.branch, files: uncommitted.total };
    });
  }

  async discard(
    entry: SessionEntry,
    { confirm, path }: ParsedInputOf<"tasks.discard">,
  ): Promise<OutputOf<"tasks.discard">> {
    return await this.#use(entry, async (task) => {
      const { shadow, worktree, checkout: state } = task;
      if (path !== undefined) {
        await discardFile({ shadow, worktree, head: state.head }, { path, version: confirm });
        return { files: 1, head: state.head };
      }
      const uncommitted = await requireSame(task, confirm);
      await discardAll({ shadow, worktree, head: state.head });
      return { files: uncommitted, head: state.head };
    });
  }

  async merge(entry: SessionEntry, { confirm, into }: ParsedInputOf<"tasks.merge">): Promise<OutputOf<"tasks.merge">> {
    return await this.#use(entry, async (task) => {
      const target = await requireCommitted(task, "merge", confirm);
      return await mergeTask({ ...target, sessionDirectory: entry.directory, into });
    });
  }

  async push(entry: SessionEntry, input: ParsedInputOf<"tasks.push">): Promise<OutputOf<"tasks.push">> {
    return await this.#use(entry, async (task) => {
      const target = await requireCommitted(task, "push", input.confirm);
      return await pushTask({ ...target, ...input });
    });
  }

  /** Files that git ignores, which go with the directory. */
  async ignored(entry: SessionEntry): Promise<OutputOf<"tasks.ignored">> {
    return await this.#use(entry, async ({ shadow, checkout: { head } }) => {
      const words = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
      const found = (await git(words, shadow.run(await shadow.indexOf(head)))).split("\0").slice(0, -1);
      return { files: found.slice(0, IGNORED_NAMES_MAX), total: found.length };
    });
  }

  async remove(
    entry: SessionEntry,
    { force, branch: wanted }: ParsedInputOf<"tasks.remove">,
    others: Iterable<SessionEntry>,
  ): Promise<OutputOf<"tasks.remove">> {
    const worktree = requireWorktree(entry);
    const { path, branch } = worktree;
    const running = [...others].filter(({ live, stored }) => live && stored.worktree?.path === path);
    if (running.length > 0) {
      const [first] = running;
      throw new LecternError(
        "SESSION_RUNNING",
        `Cannot remove the worktree "${path}": session "${first?.stored.name}" runs in it; end it with "lectern kill ${first?.stored.name}"`,
      );
    }
    // Without its directory there is nothing to lose.
    if (!force && existsSync(path)) await this.#use(entry, requireNothingLost);
    const common = commonDirectoryOf(worktree);
    const { isMerged, commits } = await mergeStateOf(worktree, common);
    const deleteBranch = wanted === "delete" || (wanted === "merged" && isMerged);
    await this.#inTurn(path, () => dropWorktree({ path, branch, common, deleteBranch }));
    return { path, branch, isBranchRemoved: deleteBranch, commits };
  }

  async #use<T>(entry: SessionEntry, run: (task: OpenTask) => Promise<T>): Promise<T> {
    const worktree = requireWorktree(entry);
    return await this.#inTurn(worktree.path, async () => {
      const shadow = new Shadow(entry.directory, { ...worktree, common: commonDirectoryOf(worktree) });
      await shadow.requirePlace();
      await shadow.prepare();
      return await run({ shadow, worktree, checkout: await checkout(worktree) });
    });
  }

  async #inTurn<T>(path: string, run: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(path) ?? Promise.resolve();
    const turn = before.catch(() => undefined).then(run);
    this.#turns.set(path, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(path) === turn) this.#turns.delete(path);
    }
  }
}

async function changesOf({ shadow, worktree, checkout: { branch, head } }: OpenTask): Promise<Changes> {
  const { base } = worktree;
  const all = await readChanges(shadow, base, head);
  const open = head === base ? all : await readChanges(shadow, head);
  const openPaths = new Set(open.changes.flatMap(({ path, from }) => (from === null ? [path] : [path, from])));
  const commits =
    head === base ? 0 : Number(await git(["rev-list", "--count", `${base}..${head}`], shadow.run("none")));
  return {
    worktree: { ...worktree },
    branch,
    head,
    commits,
    files: all.changes.map(({ type, path, from, isSubmodule }) => {
      const { added, removed } = all.counts.get(path) ?? { added: null, removed: null };
      const isBinary = all.counts.has(path) && added === null;
      const version = all.versions.get(path) ?? "";
      return { path, from, type, added, removed, isBinary, isSubmodule, isCommitted: !openPaths.has(path), version };
    }),
    total: all.total,
    uncommitted: {
      files: open.changes.slice(0, UNCOMMITTED_NAMES_MAX).map(({ path }) => path),
      total: open.total,
    },
    executedLater: await executedLaterOf(shadow, { base, head, changes: all.changes }),
    innerRepositories: [...new Set([...all.innerRepositories, ...all.submodules])].slice(0, INNER_MAX),
    fingerprint: fingerprintOf(all, open),
  };
}

/** What is gone from the worktree and in a commit would come back with a merge: a sandbox sets such files aside at its end. */
async function executedLaterOf(
  shadow: Shadow,
  {
    base,
    changes,
    head,
  }: { readonly base: string; readonly head: string; readonly changes: WorktreeChanges["changes"] },
): Promise<Changes["executedLater"]> {
  const present = new Set(changes.flatMap(({ path, type }) => (type === "removed" ? [] : [path])));
  const words = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=d", base, head];
  const committed = head === base ? [] : (await git(words, shadow.run("none"))).split("\0").slice(0, -1);
  const found = [...new Set([...present, ...committed])].flatMap((path) => {
    const place = executedLaterIn(path);
    return place === undefined ? [] : [{ path, by: place.by, isOnlyCommitted: !present.has(path) }];
  });
  return found.slice(0, EXECUTED_LATER_MAX);
}

/** Of both: a commit changes what is open, and no file. */
const fingerprintOf = (all: WorktreeChanges, open: WorktreeChanges): string =>
  all === open ? all.fingerprint : `${all.fingerprint}${open.fingerprint}`;

/** How much is not committed. Throws `CONFLICT` if the files are not those that were shown. */
async function requireSame(task: OpenTask, confirm: string): Promise<number> {
  const { fingerprint, uncommitted } = await changesOf(task);
  if (fingerprint === confirm) return uncommitted.total;
  throw new LecternError(
    "CONFLICT",
    `The files in "${task.worktree.path}" have changed since they were shown: look at the changes again, then repeat`,
  );
}

async function requireNothingLost({ shadow, worktree, checkout: { head } }: OpenTask): Promise<void> {
  const { changes, total, innerRepositories, submodules } = await readChanges(shadow, head);
  const unread = [...new Set([...innerRepositories, ...submodules])];
  const paths = changes.map(({ path }) => path);
  const reasons: string[] = [];
  if (total > 0) reasons.push(`not committed are ${namesOf(paths, total)}`);
  if (unread.length > 0) reasons.push(`what is in ${namesOf(unread, unread.length)} is not read and would be lost`);
  if (reasons.length === 0) return;
  throw new LecternError(
    "CONFLICT",
    `Cannot remove the worktree "${worktree.path}": ${reasons.join("; ")}; commit, move or discard it, or give --force to lose it`,
  );
}

const namesOf = (names: readonly string[], total: number): string => {
  const more = total - NAMES_IN_ERROR_MAX;
  return names.slice(0, NAMES_IN_ERROR_MAX).join(", ") + (more > 0 ? ` and ${more} more` : "");
};

function requireWorktree({ stored: { name, worktree } }: SessionEntry): SessionWorktree {
  if (worktree !== undefined) return worktree;
  throw new LecternError(
    "CONFLICT",
    `Session "${name}" has no worktree: "lectern run --worktree NAME -- PROGRAM" starts one that has`,
  );
}

/** What is not committed is neither merged nor pushed, so there must be none. */
async function requireCommitted(task: OpenTask, act: "merge" | "push", confirm: string | undefined): Promise<Target> {
  const { checkout: state, shadow, worktree } = task;
  requireOwnBranch(task, act);
  if (confirm !== undefined) await requireSame(task, confirm);
  const { changes, total } = await readChanges(shadow, state.head);
  if (total === 0) return { shadow, worktree, head: state.head };
  const names = namesOf(
    changes.map(({ path }) => path),
    total,
  );
  throw new LecternError(
    "CONFLICT",
    `Cannot ${act} "${worktree.branch}": not committed are ${names}; commit or discard them first`,
  );
}

function requireOwnBranch(
  { worktree, checkout: { branch, unfinished } }: OpenTask,
  act: "commit" | "merge" | "push",
): void {
  if (unfinished !== null) {
    throw new LecternError(
      "CONFLICT",
      `Cannot ${act} in "${worktree.path}": a ${unfinished} is not finished there; finish or abort it with git`,
    );
  }
  if (branch === worktree.branch) return;
  const now = branch === null ? "no branch" : `"${branch}"`;
  throw new LecternError(
    "CONFLICT",
    `Cannot ${act} in "${worktree.path}": ${now} is checked out there and not "${worktree.branch}"; switch back, or ${act} with git`,
  );
}

/** Whether all commits of the branch are where it came from. */
async function mergeStateOf(
  { base, baseName, branch }: SessionWorktree,
  common: string,
): Promise<{ readonly isMerged: boolean; readonly commits: number }> {
  const run = { workingDirectory: common, environment: { GIT_DIR: common } };
  const tip = await tryGit(["rev-parse", "--verify", "--quiet", "--end-of-options", `refs/heads/${branch}`], run);
  if (tip.code !== 0) return { isMerged: false, commits: 0 };
  const commit = tip.text.trim();
  const counted = await tryGit(["rev-list", "--count", `${base}..${commit}`], run);
  const targets = [...(baseName === null ? [] : [`refs/heads/${baseName}`]), "HEAD"];
  let isMerged = commit === base;
  for (const target of targets) {
    isMerged ||= (await tryGit(["merge-base", "--is-ancestor", commit, target], run)).code === 0;
  }
  return { isMerged, commits: counted.code === 0 ? Number(counted.text) : 0 };
}

interface ShownFile {
  readonly path: string;
  /** As it was shown. */
  readonly version: string;
}

/** Nothing else is discarded: what is staged of other files stays so. Throws `CONFLICT` if the file is not as it was shown, or is committed. */
async function discardFile(target: Target, file: ShownFile): Promise<void> {
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
