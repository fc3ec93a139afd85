/** A start that needs every part of a session, and what it leaves behind. */
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { LecternPaths } from "../../src/daemon/paths.ts";
import { gitIn, type GitRepository } from "./git-repository.ts";

/** `path` is in a repository. */
export const fullStart = (path: string) => ({
  command: ["bash"] as [string],
  name: "full",
  workingDirectory: path,
  worktree: { name: "full" },
  environment: { ...process.env, TRACEPARENT: `00-${"ab".repeat(16)}-${"cd".repeat(8)}-01` } as Record<string, string>,
  eventSchemas: { REPORT: { type: "object" } },
  wire: {},
  sandbox: { settings: "profile: work\nnetwork: [example.com]\n" },
});

interface Traces {
  /** Of sessions. */
  readonly directories: readonly string[];
  readonly waysOut: readonly string[];
  readonly branches: readonly string[];
  readonly worktrees: readonly string[];
  readonly besideRepository: readonly string[];
  /** With the stand-ins of a sandbox. */
  readonly inRepository: readonly string[];
  /** Number of those whose working directory is in the repository or a worktree of it. */
  readonly processes: number;
}

/** Everything outside of a daemon that a start makes. */
export function tracesOf(paths: LecternPaths, repository: GitRepository): Traces {
  const list = (directory: string): string[] => (existsSync(directory) ? readdirSync(directory).toSorted() : []);
  return {
    directories: list(paths.sessionsDirectory),
    waysOut: list(paths.runtimeDirectory).filter((name) => name.startsWith("out-")),
    branches: gitIn(repository.path, "branch", "--format=%(refname:short)").split("\n"),
    worktrees: gitIn(repository.path, "worktree", "list", "--porcelain").split("\n"),
    besideRepository: list(repository.directory),
    // Git leaves a "packed-refs" whenever it removes a branch.
    inRepository: [...list(repository.path), ...list(join(repository.path, ".git"))].filter(
      (name) => name !== "packed-refs",
    ),
    processes: readdirSync("/proc").filter((name) => /^\d+$/.test(name) && isIn(name, repository.directory)).length,
  };
}

function isIn(pid: string, directory: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`).startsWith(`${directory}/`);
  } catch {
    // It has ended, or is of another user.
    return false;
  }
}
