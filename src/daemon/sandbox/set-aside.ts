/**
 * Repositories that a program inside a sandbox has put at links of the repository around it (gitlinks): `git status` and `git diff` there
 * run what their settings name. Those that could run something are set aside, by another name of their `.git`.
 */
import { existsSync, readFileSync, readdirSync, renameSync } from "node:fs";
import { join, resolve } from "node:path";
import { LecternError } from "../../core/errors.ts";
import { gitFailed, tryGit } from "../git/run-git.ts";
import { realPath, statsOf } from "./mount-table.ts";

const RUN_MS_MAX = 10_000;
/** For all repositories of one search. */
const SEARCH_MS_MAX = 60_000;
const INDEX_BYTES_MAX = 256 * 1024 * 1024;
const LINKS_MAX = 256;
const DEPTH_MAX = 8;

/** Settings that run nothing. */
const harmless =
  /^(?:core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|worktree|ignorecase|symlinks|precomposeunicode|autocrlf|eol)|remote\.[^.]+\.(?:url|fetch|pushurl|tagopt)|branch\..*\.(?:remote|merge|rebase)|user\.(?:name|email)|submodule\.(?:active|.*\.(?:url|active)))$/s;

/**
 * The directories at which the index of a repository, and those in it, link others. Empty without git. What cannot be read whole is no
 * answer: throws `CONFLICT`, or `LIMIT_EXCEEDED` after a minute.
 */
async function gitlinksBelow(top: string): Promise<readonly string[]> {
  const untilMs = performance.now() + SEARCH_MS_MAX;
  const found: string[] = [];
  const open = [{ root: top, depth: 0 }];
  for (let next = open.pop(); next !== undefined && found.length < LINKS_MAX; next = open.pop()) {
    const { depth, root } = next;
    if (depth >= DEPTH_MAX || !existsSync(join(root, ".git"))) continue;
    if (performance.now() > untilMs)
      throw new LecternError(
        "LIMIT_EXCEEDED",
        `Timed out after ${SEARCH_MS_MAX / 1000} s looking for repositories in "${top}"`,
      );
    for (const name of await linksIn(root)) {
      const directory = join(root, name);
      // Behind a link is nothing of this repository.
      if (realPath(directory) !== directory) continue;
      found.push(directory);
      open.push({ root: directory, depth: depth + 1 });
    }
  }
  return found.slice(0, LINKS_MAX);
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

/** Those that have a repository. */
export const checkedOutLinks = async (root: string): Promise<readonly string[]> =>
  (await gitlinksBelow(root)).filter((directory) => statsOf(join(directory, ".git")) !== undefined);

/** Sets aside the repositories at links that were not known before. Returns their directories. */
export async function setAsideNew(root: string, known: ReadonlySet<string>): Promise<readonly string[]> {
  const setAside: string[] = [];
  for (const directory of await gitlinksBelow(root)) {
    const place = join(directory, ".git");
    if (known.has(directory) || statsOf(place) === undefined || !(await mayRun(directory))) continue;
    renameSync(place, freeName(`${place}-from-sandbox`));
    setAside.push(directory);
  }
  return setAside;
}

function freeName(path: string): string {
  for (let at = 1; ; at += 1) {
    const name = at === 1 ? path : `${path}-${at}`;
    if (statsOf(name) === undefined) return name;
  }
}

/** Whether a repository has hooks, or settings that could name a program. What cannot be read may. */
async function mayRun(directory: string): Promise<boolean> {
  const place = join(directory, ".git");
  const named = statsOf(place)?.isFile() === true ? /^gitdir: (.+)$/m.exec(textOf(place))?.[1] : place;
  if (named === undefined) return true;
  const own = resolve(directory, named);
  if (["commondir", "config.worktree"].some((name) => statsOf(join(own, name)) !== undefined)) return true;
  if (namesIn(join(own, "hooks")).some((name) => !name.endsWith(".sample"))) return true;
  const config = join(own, "config");
  if (statsOf(config) === undefined) return false;
  const words = ["config", "--file", config, "--no-includes", "--list", "--name-only", "-z"];
  const { code, isCut, text } = await tryGit(words, { workingDirectory: directory, msMax: RUN_MS_MAX });
  return code !== 0 || isCut || !text.split("\0").every((name) => name === "" || harmless.test(name));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
