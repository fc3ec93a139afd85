/** What git reads as settings, and runs: hooks and configuration of a repository, of its worktrees and of its submodules. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { commonDirectoryFile, gitPlaces, pinnedNames } from "../../core/sandbox/protected-places.ts";
import { realPath, statsOf, type MountTable } from "./mount-table.ts";

/** Submodules and worktrees beyond this stay without protection of their own, as those that a program makes later do. */
const INNER_MAX = 256;
const DEPTH_MAX = 8;

/** Protects the repository of a directory that can be written; in a directory without one none can be made. */
export function protectRepository(table: MountTable, root: string): void {
  const place = join(root, ".git");
  const stats = statsOf(place);
  if (stats?.isFile()) protectLinked(table, root, place);
  else if (stats?.isDirectory()) protectMain(table, place);
  else if (isBare(root)) protectMain(table, root);
  else table.protect({ path: place, text: null }, "read-only");
  if (isBare(root)) return;
  for (const name of pinnedNames) {
    const pinned = join(root, name);
    table.protect({ path: pinned, text: null }, statsOf(pinned)?.isFile() ? "read-only" : "writable");
  }
}

export const isBare = (root: string): boolean =>
  statsOf(join(root, "HEAD"))?.isFile() === true &&
  statsOf(join(root, "objects"))?.isDirectory() === true &&
  statsOf(join(root, "refs"))?.isDirectory() === true;

function protectMain(table: MountTable, directory: string): void {
  protectSettings(table, directory);
  table.protect({ path: join(directory, commonDirectoryFile.path), text: commonDirectoryFile.text }, "read-only");
  for (const inner of innerDirectories(join(directory, "modules"))) protectSettings(table, inner);
  for (const inner of namesIn(join(directory, "worktrees")).slice(0, INNER_MAX)) {
    for (const name of ["commondir", "gitdir", "config.worktree"]) {
      const path = join(directory, "worktrees", inner, name);
      // A missing one of the other two makes git refuse; a new `config.worktree` has settings.
      if (statsOf(path) !== undefined || name === "config.worktree") table.protect({ path, text: "" }, "read-only");
    }
  }
}

function protectSettings(table: MountTable, directory: string): void {
  for (const { path, text } of gitPlaces) table.protect({ path: join(directory, path), text }, "read-only");
}

/** A worktree or a submodule: its git directory is elsewhere, and becomes writable if it says itself that it belongs here. */
function protectLinked(table: MountTable, root: string, file: string): void {
  table.protect({ path: file, text: "" }, "read-only");
  const named = /^gitdir: (.+)$/m.exec(fileText(file))?.[1];
  const own = named === undefined ? undefined : realPath(resolve(root, named));
  if (own === undefined) return;
  const isWorktree = realPath(fileText(join(own, "gitdir")).trim()) === realPath(file);
  const worktree = /^\s*worktree\s*=\s*"?([^"\n]+?)"?\s*$/m.exec(fileText(join(own, "config")))?.[1];
  const isSubmodule = worktree !== undefined && realPath(resolve(own, worktree)) === root;
  if (!isWorktree && !isSubmodule) return;
  const common = isWorktree ? realPath(resolve(own, fileText(join(own, "commondir")).trim())) : own;
  if (common === undefined || (isWorktree && dirname(dirname(own)) !== common)) return;
  if (table.kindOf(common) === "empty") return;
  table.set(common, "writable");
  protectMain(table, common);
}

/** The git directories of submodules, which may be nested by their names. */
function innerDirectories(directory: string, depth = 0, found: string[] = []): readonly string[] {
  for (const name of namesIn(directory)) {
    if (found.length >= INNER_MAX) break;
    const inner = join(directory, name);
    if (!statsOf(inner)?.isDirectory()) continue;
    if (statsOf(join(inner, "HEAD")) !== undefined) {
      found.push(inner);
      innerDirectories(join(inner, "modules"), depth + 1, found);
    } else if (depth < DEPTH_MAX) innerDirectories(inner, depth + 1, found);
  }
  return found;
}

export function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** Empty if it cannot be read. */
export function fileText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
