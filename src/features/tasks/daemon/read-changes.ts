/** What differs in a worktree from a commit, read through its shadow: staged or not, committed since or not, and files that git does not know. */
import { createHash } from "node:crypto";
import { lstat, realpath, rm, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readLineCounts, readRawChanges, type LineCounts, type RawChange } from "../../../core/diff/git-changes.ts";
import { forgetOldest } from "../../../core/forget-oldest.ts";
import { git, gitFailed, tryGit } from "../../../daemon/git/run-git.ts";
import type { Shadow } from "./shadow.ts";

/** Files that git does not know; further ones are counted. */
const NEW_FILES_MAX = 10_000;
/** Files in a list; further ones are counted. Lines are only counted if all files are in it. */
const LISTED_MAX = 2000;

const diffWords = [
  "diff",
  "--no-ext-diff",
  "--no-textconv",
  "--ignore-submodules=dirty",
  "--no-color",
  "-M",
  "-l1000",
] as const;

export interface WorktreeChanges {
  /** At most `LISTED_MAX`. */
  readonly changes: readonly RawChange[];
  readonly total: number;
  /** Repositories inside of the worktree, of which nothing is read. */
  readonly innerRepositories: readonly string[];
  /** Like those, and named by a commit: they do not keep anything from being committed. */
  readonly submodules: readonly string[];
  /** By path; empty if they were not counted. */
  readonly counts: ReadonlyMap<string, LineCounts>;
  /** By path: changes with the size and time of the file. */
  readonly versions: ReadonlyMap<string, string>;
  /** Changes with the list and with the versions. */
  readonly fingerprint: string;
}

interface Round {
  readonly index: string;
  /** The index without the new files. */
  readonly clean: string;
  readonly newFiles: readonly string[];
  readonly newTotal: number;
  readonly innerRepositories: readonly string[];
}

/** An index of the commit in which the new files are known, too, so that they are part of a diff. */
async function beginRound(
  shadow: Shadow,
  { commit, tip, paths = [] }: Pick<PatchRequest, "commit" | "tip"> & { readonly paths?: readonly string[] },
): Promise<Round> {
  const clean = await shadow.indexOf(commit);
  const words = ["ls-files", "-z", "--others", "--exclude-standard"];
  const { text, isCut } = await tryGit(words, shadow.run(clean));
  const others = text.split("\0").slice(0, -1);
  // A file that is ignored and was committed all the same.
  if (tip !== undefined && tip !== commit) {
    const added = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=A", commit, tip];
    others.push(...(await git(added, shadow.run(clean))).split("\0").slice(0, -1));
  }
  const names = [...new Set(others)].filter((name) => paths.length === 0 || paths.includes(name));
  const innerRepositories = names.filter((name) => name.endsWith("/"));
  const files = names.filter((name) => !name.endsWith("/"));
  const existing = await onlyExisting(shadow, files.slice(0, NEW_FILES_MAX));
  const index = `round-${commit}`;
  await shadow.copyIndex(clean, index);
  if (existing.length > 0) {
    // Not "update-index", which writes the file as an object.
    const add = ["add", "--intent-to-add", "--force", "--pathspec-from-file=-", "--pathspec-file-nul"];
    const added = await tryGit(add, shadow.run(index, { input: existing.join("\0") }));
    if (added.code !== 0) throw gitFailed(add, added.problem);
  }
  return { index, clean, newFiles: existing, newTotal: files.length + (isCut ? 1 : 0), innerRepositories };
}

/** Files that are there. One behind a link of a directory is not: git refuses it, and it is another directory's. */
async function onlyExisting(shadow: Shadow, names: readonly string[]): Promise<string[]> {
  const directories = new Map<string, boolean>();
  const found: string[] = [];
  for (const name of names) {
    const directory = join(shadow.path, dirname(name));
    const known = directories.get(directory) ?? (await realpath(directory).catch(() => undefined)) === directory;
    directories.set(directory, known);
    const stats = known ? await lstat(join(shadow.path, name)).catch(() => undefined) : undefined;
    if (stats?.isFile() || stats?.isSymbolicLink()) found.push(name);
  }
  return found;
}

/** `tip`: the commit of the branch, whose own files are read even if they are ignored. */
export async function readChanges(shadow: Shadow, commit: string, tip?: string): Promise<WorktreeChanges> {
  const round = await beginRound(shadow, { commit, tip });
  const run = shadow.run(round.index);
  try {
    const raw = await tryGit([...diffWords, "--raw", "-z"], run);
    if (raw.code !== 0) throw gitFailed(diffWords, raw.problem);
    const all = await withCovered(shadow, round, readRawChanges(raw.text));
    const total = all.length + (round.newTotal - Math.min(round.newTotal, NEW_FILES_MAX));
    const changes = all.slice(0, LISTED_MAX);
    const isWhole = all.length <= LISTED_MAX && !raw.isCut;
    const versions = await versionsOf(shadow, changes);
    const counted = isWhole ? await tryGit([...diffWords, "--numstat", "-z"], run) : undefined;
    return {
      changes,
      total,
      innerRepositories: round.innerRepositories,
      submodules: await filledSubmodules(shadow, tip === undefined ? [commit] : [commit, tip]),
      counts: counted?.code === 0 ? readLineCounts(counted.text) : new Map<string, LineCounts>(),
      versions,
      fingerprint: fingerprintOf([commit, tip ?? "", String(total)], changes, versions),
    };
  } finally {
    await rm(join(shadow.directory, round.index), { force: true });
  }
}

/** A new file in the place of a directory takes the files of that directory out of the index: they are removed, too. */
async function withCovered(shadow: Shadow, round: Round, changes: readonly RawChange[]): Promise<readonly RawChange[]> {
  if (round.newFiles.length === 0) return changes;
  const words = [...diffWords, "--raw", "-z", "--no-renames", "--diff-filter=D"];
  const known = new Set(changes.flatMap(({ path, from }) => [path, from]));
  const removed = readRawChanges(await git(words, shadow.run(round.clean)));
  return [...changes, ...removed.filter(({ path }) => !known.has(path))];
}

async function versionsOf(shadow: Shadow, changes: readonly RawChange[]): Promise<Map<string, string>> {
  const versions = new Map<string, string>();
  for (const { path } of changes) versions.set(path, await versionOf(shadow, path));
  return versions;
}

/** Of a file that does not exist. */
export const NO_VERSION = "none";

/** Changes with the size and time of a file. */
export async function versionOf({ path: directory }: Shadow, path: string): Promise<string> {
  const stats = await lstat(join(directory, path), { bigint: true }).catch(() => undefined);
  return stats === undefined ? NO_VERSION : `${stats.size}-${stats.mtimeNs.toString(36)}-${stats.ino}`;
}

function fingerprintOf(
  facts: readonly string[],
  changes: readonly RawChange[],
  versions: ReadonlyMap<string, string>,
): string {
  const hash = createHash("sha256").update(JSON.stringify(facts));
  for (const { type, path, from } of changes) hash.update(JSON.stringify([type, path, from, versions.get(path)]));
  return hash.digest("hex").slice(0, 32);
}

/** The patch of the named files, or of all. */
export async function readPatchText(
  shadow: Shadow,
  { commit, tip, paths, bytesMax, contextLines }: PatchRequest,
): Promise<{ readonly patch: string; readonly isCut: boolean }> {
  const round = await beginRound(shadow, { commit, tip, paths });
  try {
    const words = [
      ...diffWords,
      "--patch",
      `--unified=${contextLines}`,
      "--src-prefix=a/",
      "--dst-prefix=b/",
      "--",
      ...paths,
    ];
    const { code, text, isCut, problem } = await tryGit(words, shadow.run(round.index, { bytesMax }));
    if (code !== 0) throw gitFailed(diffWords, problem);
    return { patch: text, isCut };
  } finally {
    await rm(join(shadow.directory, round.index), { force: true });
  }
}

interface PatchRequest {
  readonly commit: string;
  readonly tip: string | undefined;
  /** All if empty. */
  readonly paths: readonly string[];
  readonly bytesMax: number;
  readonly contextLines: number;
}

/** Of the directories of a commit. */
const LIST_BYTES_MAX = 64 * 1024 * 1024;
const COMMITS_MAX = 200;
/** Mode of an entry that names a commit of another repository (git-fast-import(1)). */
const GITLINK = "160000 ";

/** Paths by the id of a commit, the oldest first. */
const known = new Map<string, readonly string[]>();

/**
 * Submodules, and what "git add" makes of a repository inside, that have files, which are lost with the worktree. Nothing in them is read: a
 * git that looks into one uses the settings there, which an agent can write.
 */
async function filledSubmodules(shadow: Shadow, commits: readonly string[]): Promise<string[]> {
  const lists = await Promise.all([...new Set(commits)].map(async (commit) => await submodulesOf(shadow, commit)));
  const filled: string[] = [];
  for (const path of new Set(lists.flat())) if (await hasFiles(join(shadow.path, path))) filled.push(`${path}/`);
  return filled;
}

async function submodulesOf(shadow: Shadow, commit: string): Promise<readonly string[]> {
  const before = known.get(commit);
  if (before !== undefined) return before;
  // "-d" leaves out files, not submodules.
  const words = ["ls-tree", "-r", "-d", "-z", "--full-tree", commit];
  const { code, isCut, problem, text } = await tryGit(words, { ...shadow.run("none"), bytesMax: LIST_BYTES_MAX });
  if (code !== 0 || isCut) throw gitFailed(words, isCut ? "the commit has too many directories" : problem);
  const entries = text.split("\0");
  const paths = entries
    .filter((entry) => entry.startsWith(GITLINK))
    .map((entry) => entry.slice(entry.indexOf("\t") + 1));
  forgetOldest(known.set(commit, paths), COMMITS_MAX);
  return paths;
}

/** A link is removed alone. What cannot be read may have some. */
async function hasFiles(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isDirectory() !== true) return false;
  return (await readdir(path).catch(() => [""])).length > 0;
}
