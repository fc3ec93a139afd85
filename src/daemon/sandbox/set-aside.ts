/**
 * Repositories that a program inside a sandbox has put at links of the repository around it (gitlinks): `git status` and `git diff` there
 * run what their settings name. Those that could run something are set aside, by another name of their `.git`.
 */
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { LecternError } from "../../core/errors.ts";
import { pinnedNames } from "../../core/sandbox/protected-places.ts";
import { gitFailed, tryGit } from "../git/run-git.ts";
import { isBare, namesIn, fileText } from "./git-places.ts";
import type { MadeRepository } from "./made-below.ts";
import { realPath, statsOf } from "./mount-table.ts";
import { putAside } from "./put-aside.ts";

const RUN_MS_MAX = 10_000;
/** For all repositories of one search. */
const SEARCH_MS_MAX = 60_000;
const INDEX_BYTES_MAX = 256 * 1024 * 1024;
const REPOSITORIES_MAX = 256;
const DEPTH_MAX = 8;

/** Settings that run nothing. */
const harmless =
  /^(?:core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|worktree|ignorecase|symlinks|precomposeunicode|autocrlf|eol|sparsecheckout|sparsecheckoutcone)|remote\.[^.]+\.(?:url|fetch|pushurl|tagopt|gh-resolved|promisor|partialclonefilter)|branch\..*\.(?:remote|merge|rebase|vscode-merge-base)|extensions\.partialclone|user\.(?:name|email)|submodule\.(?:active|.*\.(?:url|active)))$/s;

/**
 * The repositories at links in the index of a repository, and of those in it, each with whether it was read: a program can make more and
 * deeper ones than are looked into. Empty without git. Throws `CONFLICT` if the first index cannot be read.
 */
async function repositoriesBelow(top: string, repositoriesMax: number): Promise<ReadonlyMap<string, boolean>> {
  const untilMs = performance.now() + SEARCH_MS_MAX;
  const found = new Map<string, boolean>();
  if (!existsSync(join(top, ".git"))) return found;
  const open = [{ root: top, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { depth, root } = next;
    if (root !== top && performance.now() > untilMs) {
      found.set(root, false);
      continue;
    }
    const names = await linksIn(root).catch((error: unknown) => {
      if (root === top) throw error;
      found.set(root, false);
      return [];
    });
    for (const name of names) {
      const directory = join(root, name);
      // Behind a link is nothing of this repository.
      if (realPath(directory) !== directory || statsOf(join(directory, ".git")) === undefined) continue;
      const isRead = depth + 1 < DEPTH_MAX && found.size < repositoriesMax;
      found.set(directory, isRead);
      if (isRead) open.push({ root: directory, depth: depth + 1 });
    }
  }
  return found;
}

async function linksIn(root: string): Promise<readonly string[]> {
  const words = ["ls-files", "--stage", "-z"];
  const read = await tryGit(words, { workingDirectory: root, bytesMax: INDEX_BYTES_MAX, msMax: RUN_MS_MAX }).catch(
    (error: unknown) => {
      if (error instanceof LecternError && error.code === "NOT_AVAILABLE") return undefined;
      throw error;
    },
  );
  if (read === undefined) return [];
  if (read.isCut) throw gitFailed(words, "the index has too many files");
  return read.text.split("\0").flatMap((entry) => /^160000 [^\t]*\t(.+)$/s.exec(entry)?.[1] ?? []);
}

/** The directories of all of them. Throws `LIMIT_EXCEEDED` if there are more than are looked into. */
export async function checkedOutLinks(root: string, repositoriesMax = REPOSITORIES_MAX): Promise<readonly string[]> {
  const found = await repositoriesBelow(root, repositoriesMax);
  for (const [directory, isRead] of found) {
    if (isRead) continue;
    throw new LecternError(
      "LIMIT_EXCEEDED",
      `Cannot check all repositories in "${root}": there are more than ${repositoriesMax} or they are ${DEPTH_MAX} deep, or one cannot be read; see "${directory}"`,
    );
  }
  return [...found.keys()];
}

interface SetAsideOptions {
  /** Repositories elsewhere, which the program has made or changed. */
  readonly made?: readonly MadeRepository[] | undefined;
  readonly repositoriesMax?: number;
}

/** Sets aside the repositories at links that were not known before, and of those elsewhere the ones that may run something. Returns their directories. */
export async function setAsideNew(
  root: string,
  known: ReadonlySet<string>,
  { made = [], repositoriesMax = REPOSITORIES_MAX }: SetAsideOptions = {},
): Promise<readonly string[]> {
  const setAside: string[] = [];
  // Inside, no "config" can be made there, so it is none of a person.
  if (isBare(root) && statsOf(join(root, pinnedNames[0]))?.isFile() !== true) {
    putAside(join(root, "HEAD"));
    setAside.push(root);
  }
  const common = settingsDirectoryOf(join(root, ".git"));
  for (const [directory, isRead] of await repositoriesBelow(root, repositoriesMax)) {
    // What was not read, or cannot be, may run something.
    if (known.has(directory) || (isRead && !(await mayRun(join(directory, ".git"), common).catch(() => true))))
      continue;
    putAside(join(directory, ".git"));
    setAside.push(directory);
  }
  for (const { directory, isBare: isAlone } of made) {
    const isHandled = known.has(directory) || setAside.includes(directory);
    const place = isAlone ? directory : join(directory, ".git");
    if (isHandled || !(await mayRun(place, common).catch(() => true))) continue;
    putAside(isAlone ? join(directory, "HEAD") : place);
    setAside.push(directory);
  }
  return setAside;
}

/**
 * Whether the settings or hooks of a git directory, or of the one that a file `.git` names, could run a program. What cannot be read may. A worktree
 * of the repository around it (`common`) has only settings that are protected.
 */
async function mayRun(place: string, common: string | undefined): Promise<boolean> {
  const own = ownDirectoryOf(place);
  // An empty one holds the name for a session that runs.
  if (own === undefined || (statsOf(join(own, "config.worktree"))?.size ?? 0) > 0) return true;
  if (statsOf(join(own, "commondir")) !== undefined)
    return common === undefined || settingsDirectoryOf(place) !== common;
  if (namesIn(join(own, "hooks")).some((name) => !name.endsWith(".sample"))) return true;
  const config = join(own, "config");
  if (statsOf(config) === undefined) return false;
  const words = ["config", "--file", config, "--no-includes", "--list", "--name-only", "-z"];
  const { code, isCut, text } = await tryGit(words, { workingDirectory: own, msMax: RUN_MS_MAX });
  return code !== 0 || isCut || !text.split("\0").every((name) => name === "" || harmless.test(name));
}

/** The git directory that a file `.git` names; `place` itself if it is one. Undefined for a symbolic link, which may lead to either. */
function ownDirectoryOf(place: string): string | undefined {
  const stats = statsOf(place);
  if (stats?.isSymbolicLink() === true) return undefined;
  if (stats?.isFile() !== true) return place;
  const named = /^gitdir: (.+)$/m.exec(fileText(place))?.[1];
  return named === undefined ? undefined : resolve(dirname(place), named);
}

/** Where the settings and hooks are: real path. */
function settingsDirectoryOf(place: string): string | undefined {
  const own = ownDirectoryOf(place);
  return own === undefined ? undefined : realPath(resolve(own, fileText(join(own, "commondir")).trim()));
}
