/** The mounts of a sandbox while its plan is made: what is visible where, and what a program inside could rename or replace. */
import { lstatSync, readdirSync, realpathSync, statSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { LecternError } from "../../core/errors.ts";
import { isAtOrBelow, visibility, type SandboxMount, type StandIn } from "../../core/sandbox/plan.ts";

type Kind = SandboxMount["kind"];

/** More are not mounted: each one costs time at every start. */
const MOUNTS_MAX = 2_000;

export class MountTable {
  readonly #kinds = new Map<string, Kind>();
  readonly #standIns = new Map<string, StandIn>();

  /** Replaces what was said about the same path. */
  set(path: string, kind: Kind): void {
    this.#kinds.set(path, kind);
    if (this.#kinds.size <= MOUNTS_MAX) return;
    throw new LecternError(
      "LIMIT_EXCEEDED",
      `Cannot make a sandbox of more than ${MOUNTS_MAX} places: start it in a smaller directory`,
    );
  }

  /** A place that does not exist gets a stand-in, after those that are there. */
  make(standIn: StandIn): void {
    if (!this.#standIns.has(standIn.path)) this.#standIns.set(standIn.path, standIn);
  }

  /** How a path is seen inside. */
  kindOf(path: string): Kind {
    return visibility(this.list, path);
  }

  /** Parents before what they contain. */
  get list(): readonly SandboxMount[] {
    return [...this.#kinds]
      .map(([path, kind]) => ({ path, kind }))
      .toSorted((left, right) => (left.path < right.path ? -1 : 1));
  }

  get standIns(): readonly StandIn[] {
    return [...this.#standIns.values()];
  }

  /**
   * Makes a path read-only, or hides it. A path that does not exist gets the stand-in if a program inside could make it, else nothing.
   * Throws `INVALID_INPUT` if a symbolic link leads to it that a program inside could replace.
   */
  protect(standIn: StandIn, kind: "read-only" | "memory" | "empty" | "writable"): void {
    const found = this.#resolve(standIn.path);
    if (found.isMissing) {
      if (this.kindOf(dirname(found.path)) !== "writable") return;
      const isWhole = found.path === standIn.path;
      const made = isWhole ? standIn : { path: found.path, text: null };
      if (!this.#standIns.has(made.path)) this.#standIns.set(made.path, made);
      this.set(made.path, !isWhole && kind !== "writable" ? "read-only" : fitting(kind, made.text === null));
      return;
    }
    // What exists is shown as it is: only a place without content is made in memory.
    const shown = kind === "memory" && !isEmptyDirectory(found.path) ? "read-only" : kind;
    this.set(found.path, fitting(shown, found.isDirectory));
  }

  /** A mount point cannot be renamed, the directories above it can: those that can be written become mount points, too. */
  pin(): void {
    for (const path of this.#kinds.keys()) {
      for (let above = dirname(path); !this.#kinds.has(above) && this.kindOf(above) === "writable";) {
        this.set(above, "writable");
        above = dirname(above);
      }
    }
  }

  /** The real path; the first part of it that does not exist; links that cannot be replaced from inside are followed. */
  #resolve(path: string): { readonly path: string; readonly isMissing: boolean; readonly isDirectory: boolean } {
    let at = "/";
    for (const name of path.split("/").filter((part) => part !== "")) {
      at = join(at, name);
      const stats = statsOf(at);
      if (stats === undefined) return { path: at, isMissing: true, isDirectory: false };
      if (!stats.isSymbolicLink()) continue;
      if (this.kindOf(dirname(at)) === "writable") throw cannotHold(at);
      const real = realPath(at);
      if (real === undefined) return { path: at, isMissing: true, isDirectory: false };
      at = real;
    }
    return { path: at, isMissing: false, isDirectory: statSync(at).isDirectory() };
  }
}

const fitting = (kind: Kind, isDirectory: boolean): Kind => (kind === "empty" && !isDirectory ? "empty-file" : kind);

function isEmptyDirectory(path: string): boolean {
  try {
    return readdirSync(path).length === 0;
  } catch {
    return false;
  }
}

const cannotHold = (path: string): LecternError =>
  new LecternError(
    "INVALID_INPUT",
    `Cannot protect "${path}" in the sandbox: it is a symbolic link, which a program inside could replace; make it a file or directory of its own, or start in another directory`,
  );

/** Of the path itself, not of what a link leads to; undefined if there is nothing, or nothing that may be seen. */
export function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Undefined if it does not exist. */
export function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** True for paths of which one contains the other. */
export const overlaps = (left: string, right: string): boolean => isAtOrBelow(left, right) || isAtOrBelow(right, left);
