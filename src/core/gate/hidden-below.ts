/** Whether a folder may hold, or get, a path that a rule names without its place. */
import { isAtOrBelow } from "../sandbox/plan.ts";
import type { Glob } from "./globs.ts";
import type { PathList } from "./path-lists.ts";
import type { PathContext } from "./paths.ts";
import type { RealPaths } from "./real-paths.ts";

/**
 * What a command does with a folder:
 * - `tree`: it walks it
 * - `filled`: it writes names there that its words do not have
 * - `unknown`: it may walk it
 */
export type Reach = "tree" | "filled" | "unknown";

/** Folders in which nothing of a user is hidden: those of the system, and the one for everybody. */
const openFolders: readonly string[] = ["/tmp", "/usr", "/bin", "/sbin", "/lib", "/lib64"];

/**
 * May the folder hold a path that a rule names without saying where, such as `**\/.ssh/**`? Not if it lies in the session's directory or
 * is open to everybody: a search there is daily work, and what is secret in it has to be named with its place.
 */
export function mayHold(folder: string, reach: Reach, { home, workingDirectory }: PathContext): boolean {
  if (home !== null && isAtOrBelow(home, folder)) return true;
  if (workingDirectory !== null && workingDirectory !== folder && isAtOrBelow(workingDirectory, folder)) return true;
  if (reach !== "tree" && reach !== "filled") return false;
  if (workingDirectory !== null && isAtOrBelow(folder, workingDirectory)) return false;
  const isOpen = openFolders.some((open) => isAtOrBelow(folder, open));
  return !isOpen || (home !== null && isAtOrBelow(folder, home));
}

/**
 * A path, from the folder, that a program may write which brings names of its own (`tar x`, `cp -r a/. .`); undefined: none that the patterns are
 * about. Below the session's directory and the home, names like `.envrc` are always looked for; in another folder those that it has.
 */
export function broughtName(
  globs: readonly (Glob | PathList)[],
  folder: string,
  { real, session }: { readonly real: RealPaths | null; readonly session: PathContext },
): string | undefined {
  const [first] = globs;
  if (first === undefined) return undefined;
  const example = "example" in first ? first.example : first.source.replace(/^\*\*\//, "");
  if ([session.workingDirectory, session.home].some((each) => each !== null && isAtOrBelow(each, folder)))
    return example;
  if (real === null) return undefined;
  const paths = real.entriesBelow(folder);
  if (paths === undefined) return example;
  const found = paths.find((path) => globs.some((glob) => glob.matches(path)));
  return found?.startsWith(`${folder}/`) === true ? found.slice(folder.length + 1) : found;
}
