/**
 * Repositories that a program inside a sandbox has put at links of the repository around it (gitlinks): `git status` and `git diff` there
 * run what their settings name. Those that could run something are set aside, by another name of their `.git`.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, renameSync } from "node:fs";
import { join, resolve } from "node:path";
import { realPath, statsOf } from "./mount-table.ts";

const RUN_MS_MAX = 10_000;
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;
const LINKS_MAX = 256;
const DEPTH_MAX = 8;

/** Settings that run nothing. */
const harmless =
  /^(?:core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|worktree|ignorecase|symlinks|precomposeunicode|autocrlf|eol)|remote\.[^.]+\.(?:url|fetch|pushurl|tagopt)|branch\..*\.(?:remote|merge|rebase)|user\.(?:name|email)|submodule\.(?:active|.*\.(?:url|active)))$/s;

/** Over the settings of a repository that nobody has read. */
const overrides = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.untrackedCache=false"];

/** The directories at which the index of a repository, and those in it, link others. Empty without git. */
function gitlinksBelow(root: string, depth = 0): readonly string[] {
  if (depth >= DEPTH_MAX || !existsSync(join(root, ".git"))) return [];
  const found: string[] = [];
  for (const entry of runGit([...overrides, "ls-files", "--stage", "-z"], root)?.split("\0") ?? []) {
    const name = /^160000 [^\t]*\t(.+)$/s.exec(entry)?.[1];
    if (name === undefined || found.length >= LINKS_MAX) continue;
    const directory = join(root, name);
    // Behind a link is nothing of this repository.
    if (realPath(directory) !== directory) continue;
    found.push(directory, ...gitlinksBelow(directory, depth + 1));
  }
  return found.slice(0, LINKS_MAX);
}

/** Those that have a repository. */
export const checkedOutLinks = (root: string): readonly string[] =>
  gitlinksBelow(root).filter((directory) => statsOf(join(directory, ".git")) !== undefined);

/** Sets aside the repositories at links that were not known before. Returns their directories. */
export function setAsideNew(root: string, known: ReadonlySet<string>): readonly string[] {
  return gitlinksBelow(root).filter((directory) => {
    const place = join(directory, ".git");
    if (known.has(directory) || statsOf(place) === undefined || !mayRun(directory)) return false;
    renameSync(place, freeName(`${place}-from-sandbox`));
    return true;
  });
}

function freeName(path: string): string {
  for (let at = 1; ; at += 1) {
    const name = at === 1 ? path : `${path}-${at}`;
    if (statsOf(name) === undefined) return name;
  }
}

/** Whether a repository has hooks, or settings that could name a program. What cannot be read may. */
function mayRun(directory: string): boolean {
  const place = join(directory, ".git");
  const named = statsOf(place)?.isFile() === true ? /^gitdir: (.+)$/m.exec(textOf(place))?.[1] : place;
  if (named === undefined) return true;
  const own = resolve(directory, named);
  if (["commondir", "config.worktree"].some((name) => statsOf(join(own, name)) !== undefined)) return true;
  if (namesIn(join(own, "hooks")).some((name) => !name.endsWith(".sample"))) return true;
  const config = join(own, "config");
  if (statsOf(config) === undefined) return false;
  const names = runGit(["config", "--file", config, "--no-includes", "--list", "--name-only", "-z"], directory);
  return names === undefined || !names.split("\0").every((name) => name === "" || harmless.test(name));
}

function runGit(words: readonly string[], directory: string): string | undefined {
  const ran = spawnSync("git", words, {
    cwd: directory,
    env: { PATH: process.env["PATH"], LC_ALL: "C", GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
    encoding: "utf8",
    timeout: RUN_MS_MAX,
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  return ran.status === 0 && ran.error === undefined ? ran.stdout : undefined;
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
