/** Whether a folder may hold a path that a rule names without its place. */
import { isAtOrBelow } from "../sandbox/plan.ts";
import type { PathContext } from "./paths.ts";
import type { Reach } from "./tree-walkers.ts";

/** Folders in which nothing of a user is hidden: those of the system, and the one for everybody. */
const openFolders: readonly string[] = ["/tmp", "/usr", "/bin", "/sbin", "/lib", "/lib64"];

/**
 * May the folder hold a path that a rule names without saying where, such as `**\/.ssh/**`? Not if it lies in the session's directory or
 * is open to everybody: a search there is daily work, and what is secret in it has to be named with its place.
 */
export function mayHold(folder: string, reach: Reach, { home, workingDirectory }: PathContext): boolean {
  if (home !== null && isAtOrBelow(home, folder)) return true;
  if (workingDirectory !== null && workingDirectory !== folder && isAtOrBelow(workingDirectory, folder)) return true;
  if (reach !== "tree") return false;
  if (workingDirectory !== null && isAtOrBelow(folder, workingDirectory)) return false;
  const isOpen = openFolders.some((open) => isAtOrBelow(folder, open));
  return !isOpen || (home !== null && isAtOrBelow(folder, home));
}
