/**
 * What a program inside a sandbox has made or changed below its directory, and a person should read first. It is found when the session
 * has ended, by the times at which the file system changed its files: no program can set these back.
 */
import type { Stats } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { executedLaterIn } from "../../core/sandbox/executed-later.ts";
import { isAtOrBelow } from "../../core/sandbox/plan.ts";
import type { SandboxFinding } from "../../protocol/session.ts";
import { namesIn } from "./git-places.ts";
import { realPath, statsOf } from "./mount-table.ts";

const ENTRIES_MAX = 200_000;
const SEARCH_MS_MAX = 10_000;
const FINDINGS_MAX = 200;
/** A file has the time of the kernel's last tick, which may be before a clock that was read earlier. */
const TICK_MS = 20;
/** Packages are code, and many have settings of their authors in them. */
const NOT_SEARCHED = "node_modules";
/** A link to a program or a library, such as that of a Python environment, leads to nothing of a person. */
const systemDirectories = ["/usr", "/bin", "/lib", "/lib64", "/opt", "/nix", "/dev/null"];

export interface MadeSince {
  readonly root: string;
  /** Milliseconds since the epoch: when the program was started. */
  readonly sinceMs: number;
  /** The directories that the program could write. */
  readonly roots: readonly string[];
}

/** A git directory that is not that of the root. */
export interface MadeRepository {
  /** Of its files; of a bare one the git directory itself. */
  readonly directory: string;
  readonly isBare: boolean;
  /** It did not exist before. */
  readonly isNew: boolean;
}

interface MadeBelow {
  readonly findings: readonly SandboxFinding[];
  /** Those that are new, or whose settings or hooks have changed. */
  readonly repositories: readonly MadeRepository[];
}

/** At most 200 findings, the nearest to the root first; what was not searched is one of them. */
export async function madeBelow(since: MadeSince): Promise<MadeBelow> {
  const search = new Search(since);
  await search.run();
  return search;
}

class Search implements MadeBelow {
  readonly findings: SandboxFinding[] = [];
  readonly repositories: MadeRepository[] = [];
  readonly #since: MadeSince;
  readonly #named = new Set<string>();
  readonly #open: string[];

  constructor(since: MadeSince) {
    this.#since = since;
    this.#open = [since.root];
  }

  async run(): Promise<void> {
    const untilMs = performance.now() + SEARCH_MS_MAX;
    let entries = 0;
    // A queue, not a stack: what is near the root is found, however much there is below.
    for (let at = 0; at < this.#open.length; at += 1) {
      const directory = this.#open[at] ?? "";
      if (entries > ENTRIES_MAX || this.findings.length >= FINDINGS_MAX || performance.now() > untilMs) {
        this.findings.push({ what: "rest", path: directory, detail: `${this.#open.length - at} directories` });
        return;
      }
      entries += await this.#directory(directory);
    }
  }

  /** Returns the number of its entries. */
  async #directory(directory: string): Promise<number> {
    const { root } = this.#since;
    const entries = await readdir(directory, { withFileTypes: true }).catch(() => undefined);
    if (entries === undefined) {
      if (this.#isChanged(statsOf(directory)))
        this.findings.push({ what: "rest", path: directory, detail: "it cannot be read" });
      return 1;
    }
    const names = new Set(entries.map(({ name }) => name));
    if (directory !== root && ["HEAD", "objects", "refs"].every((name) => names.has(name))) {
      this.#repository({ directory, isBare: true });
      return entries.length;
    }
    for (const entry of entries) {
      const path = join(directory, entry.name);
      if (entry.name === ".git") {
        if (directory !== root) this.#repository({ directory, isBare: false });
        continue;
      }
      if (entry.isSymbolicLink()) await this.#link(path);
      const place = executedLaterIn(relative(root, path));
      // At the root itself they are protected, or were set aside.
      if (place?.path.includes("/") === true) await this.#settings(path, join(root, place.path), place.by);
      const isSearched = entry.name !== NOT_SEARCHED && !/-from-sandbox(?:-\d+)?$/.test(entry.name);
      if (entry.isDirectory() && isSearched) this.#open.push(path);
    }
    return entries.length;
  }

  #isChanged(stats: Stats | undefined): boolean {
    return stats !== undefined && stats.ctimeMs >= this.#since.sinceMs - TICK_MS;
  }

  async #settings(path: string, place: string, by: string): Promise<void> {
    if (this.#named.has(place) || !this.#isChanged(await lstat(path).catch(() => undefined))) return;
    this.#named.add(place);
    this.findings.push({ what: "settings", path: place, detail: by });
  }

  async #link(path: string): Promise<void> {
    if (!this.#isChanged(await lstat(path).catch(() => undefined))) return;
    const target = await readlink(path).catch(() => "");
    const real = realPath(path) ?? resolve(dirname(path), target);
    if ([...this.#since.roots, ...systemDirectories].some((directory) => isAtOrBelow(real, directory))) return;
    this.findings.push({ what: "link", path, detail: real });
  }

  #repository({ directory, isBare }: Omit<MadeRepository, "isNew">): void {
    const own = isBare ? directory : join(directory, ".git");
    const stats = statsOf(own);
    // Not every file system knows when a file was made.
    const madeMs = stats === undefined || stats.birthtimeMs === 0 ? (stats?.ctimeMs ?? 0) : stats.birthtimeMs;
    const isNew = madeMs >= this.#since.sinceMs - TICK_MS;
    const hooks = join(own, "hooks");
    const settings = [
      ...["config", "config.worktree", "commondir", "hooks"].map((name) => join(own, name)),
      ...namesIn(hooks).map((name) => join(hooks, name)),
    ];
    const isFile = stats?.isDirectory() !== true && this.#isChanged(stats);
    if (!isNew && !isFile && !settings.some((path) => this.#isChanged(statsOf(path)))) return;
    this.repositories.push({ directory, isBare, isNew });
  }
}
