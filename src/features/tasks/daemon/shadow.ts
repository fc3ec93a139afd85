/**
 * A git directory of Lectern's own for a worktree: its settings, hooks and indexes are in the directory of the session, and only objects are
 * read from the repository. Nothing that an agent can write there (`.git`, `config`, hooks, attributes with filters) is a setting here.
 */
import { existsSync } from "node:fs";
import { copyFile, lstat, mkdir, realpath, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LecternError } from "../../../core/errors.ts";
import type { SessionWorktree } from "../../../protocol/session.ts";
import { git, tryGit, userSettings, type GitRun } from "../../../daemon/git/run-git.ts";

/** Settings that change what a file is taken for, and run nothing, by what git reads them as. */
const copiedSettings: readonly (readonly [type: readonly string[], names: string])[] = [
  [[], "autocrlf|eol"],
  [["--type=bool"], "filemode|symlinks|ignorecase"],
  [["--type=path"], "excludesfile"],
];
/** A larger file is compared, and shown as binary. */
const BIG_FILE = "4m";

/** The shared directory of the repository, which has the objects and branches. */
export const commonDirectoryOf = ({ gitDirectory }: Pick<SessionWorktree, "gitDirectory">): string =>
  dirname(dirname(gitDirectory));

interface ShadowOf {
  /** The directory with the files. */
  readonly path: string;
  readonly base: string;
  /** The shared git directory of the repository. */
  readonly common: string;
}

export class Shadow {
  readonly directory: string;
  /** The directory with the files. */
  readonly path: string;
  readonly #of: ShadowOf;

  constructor(sessionDirectory: string, of: ShadowOf) {
    this.directory = join(sessionDirectory, "task");
    this.path = of.path;
    this.#of = of;
  }

  /** Creates it if it does not exist. The settings are those of now: what an agent sets later is not read. */
  async prepare(): Promise<void> {
    if (existsSync(join(this.directory, "HEAD"))) return;
    const { base } = this.#of;
    const fresh = `${this.directory}.new`;
    await rm(fresh, { recursive: true, force: true });
    await mkdir(join(fresh, "objects", "info"), { recursive: true, mode: 0o700 });
    await mkdir(join(fresh, "refs"), { mode: 0o700 });
    await writeFile(join(fresh, "objects", "info", "alternates"), `${quoted(this.#objects)}\n`);
    await writeFile(join(fresh, "config"), await this.#settings());
    await writeFile(join(fresh, "HEAD"), `${base}\n`);
    await rename(fresh, this.directory);
  }

  get #objects(): string {
    return join(this.#of.common, "objects");
  }

  async #settings(): Promise<string> {
    const isSha256 = this.#of.base.length > 40;
    const lines = [
      "[core]",
      `repositoryformatversion = ${isSha256 ? 1 : 0}`,
      "bare = false",
      "fsmonitor = false",
      "hooksPath = /dev/null",
      `bigFileThreshold = ${BIG_FILE}`,
      ...(isSha256 ? ["[extensions]", "objectFormat = sha256"] : []),
      "[core]",
    ];
    for (const [type, names] of copiedSettings) {
      const { text } = await tryGit(["config", "-z", ...type, "--get-regexp", `^core\\.(${names})$`], {
        workingDirectory: this.#of.common,
        environment: { ...userSettings, GIT_DIR: this.#of.common },
      });
      // Of a setting that stands several times the last one holds.
      const values = new Map(
        text.split("\0").map((entry) => [/^core\.(\w+)/.exec(entry)?.[1], /\n(.*)$/s.exec(entry)?.[1]]),
      );
      for (const [name, value = ""] of values)
        if (name !== undefined && value !== "" && !value.includes("\n"))
          lines.push(`${name} = ${JSON.stringify(value)}`);
    }
    return `${lines.join("\n")}\n`;
  }

  /** A run of git on the files of the worktree. `index` is a file in the shadow, or an absolute path. */
  run(index: string, more: Partial<GitRun> = {}): GitRun {
    return {
      workingDirectory: this.#of.path,
      ...more,
      environment: {
        GIT_DIR: this.directory,
        GIT_WORK_TREE: this.#of.path,
        GIT_INDEX_FILE: join(this.directory, index),
        ...more.environment,
      },
    };
  }

  /** Objects that are made go into the repository. */
  get intoRepository(): Readonly<Record<string, string>> {
    return { GIT_OBJECT_DIRECTORY: this.#objects };
  }

  /** An index with the files of a commit, whose file times are up to date. Returns its name. */
  async indexOf(commit: string): Promise<string> {
    const name = `index-${commit}`;
    if (!existsSync(join(this.directory, name))) await git(["read-tree", commit], this.run(name));
    // Exit code 1: there are changes.
    await tryGit(["update-index", "-q", "--refresh"], this.run(name));
    return name;
  }

  async copyIndex(from: string, to: string): Promise<void> {
    await copyFile(join(this.directory, from), join(this.directory, to));
  }

  /** Throws `NOT_FOUND` if the directory was removed, and `CONFLICT` if another one was put in its place. */
  async requirePlace(): Promise<void> {
    const { path } = this.#of;
    const stats = await lstat(path).catch(() => undefined);
    if (stats === undefined) {
      throw new LecternError(
        "NOT_FOUND",
        `The worktree "${path}" does not exist any more: its commits are on its branch, and "git worktree prune" in the repository forgets it`,
      );
    }
    if (stats.isDirectory() && (await realpath(path)) === path) return;
    throw new LecternError(
      "CONFLICT",
      `Cannot use the worktree "${path}": something else was put in its place, so it is not read`,
    );
  }
}

/** As git reads a line of `alternates`: in quotes if it begins with one or has a line feed. */
const quoted = (path: string): string => (/^["#]|\n/.test(path) ? JSON.stringify(path) : path);
