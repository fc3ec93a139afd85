/**
 * Places that make the next run of something else execute what they name: a program inside may read and not write them, also when
 * they do not exist yet.
 */
import type { StandIn } from "./plan.ts";

/** Files of a repository, relative to its git directory. `commondir` and `config.worktree` would lead git to other settings. */
export const gitPlaces: readonly { readonly path: string; readonly text: string | null }[] = [
  { path: "hooks", text: null },
  { path: "config", text: "" },
  { path: "config.worktree", text: "" },
];

/**
 * Without a valid `.git`, git takes the directory itself for a repository if it has the files of one. These lead to the settings that run
 * programs: as directories, which may be written, they make git refuse.
 */
export const pinnedNames = ["config", "commondir"] as const;

/** Only of the main git directory: a "." is what its absence means. */
export const commonDirectoryFile = { path: "commondir", text: ".\n" } as const;

/** The stand-in of a place: a directory if its name ends in a slash, else an empty file. */
export const standInFor = (path: string): StandIn =>
  path.endsWith("/") ? { path: path.slice(0, -1), text: null } : { path, text: "" };
