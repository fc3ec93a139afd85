/**
 * Where the shell or the REPL of a session is handed commands while its program runs: in memory if that is possible, because each command is
 * three files, else `act` in the directory of the session.
 */
import { lstatSync, mkdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { memoryDirectory } from "../../terminal/temporary-directory.ts";

const pathsOf = (sessionDirectory: string): string[] => {
  const memory = memoryDirectory();
  const own = join(sessionDirectory, "act");
  return memory === null ? [own] : [join(memory, `lectern-act-${basename(sessionDirectory)}`), own];
};

export function makeActDirectory(sessionDirectory: string): string {
  const [path = ""] = pathsOf(sessionDirectory);
  mkdirSync(path, { mode: 0o700 });
  return path;
}

/** Null for a program that is handed none: no REPL and no shell with marks, or one that an earlier version started. */
export const findActDirectory = (sessionDirectory: string): string | null =>
  pathsOf(sessionDirectory).find((path) => isOwn(path)) ?? null;

export function removeActDirectory(sessionDirectory: string): void {
  for (const path of pathsOf(sessionDirectory)) if (isOwn(path)) rmSync(path, { recursive: true, force: true });
}

/** Everybody may write in the memory of the machine. */
function isOwn(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && stat.uid === process.geteuid?.();
}
