/**
 * Repositories inside of a worktree that its commits name: submodules, and what "git add" makes of a repository inside. Nothing in them is
 * read: a git that looks into one uses the settings there, which an agent can write.
 */
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { gitFailed, tryGit } from "../git/run-git.ts";
import type { Shadow } from "./shadow.ts";

/** Of the directories of a commit. */
const LIST_BYTES_MAX = 64 * 1024 * 1024;
const COMMITS_MAX = 200;
/** Mode of an entry that names a commit of another repository (git-fast-import(1)). */
const GITLINK = "160000 ";

/** Paths by the id of a commit, the oldest first. */
const known = new Map<string, readonly string[]>();

/** Those that have files, which are lost with the worktree. */
export async function filledSubmodules(shadow: Shadow, commits: readonly string[]): Promise<string[]> {
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
  known.set(commit, paths);
  const [oldest] = known.keys();
  if (known.size > COMMITS_MAX && oldest !== undefined) known.delete(oldest);
  return paths;
}

/** A link is removed alone. What cannot be read may have some. */
async function hasFiles(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isDirectory() !== true) return false;
  return (await readdir(path).catch(() => [""])).length > 0;
}
