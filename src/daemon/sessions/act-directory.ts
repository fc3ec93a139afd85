/** Where the shell or the REPL of a session is handed commands: `act` in the directory of the session, while its program runs. */
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const pathOf = (sessionDirectory: string): string => join(sessionDirectory, "act");

/** Returns its path. */
export function makeActDirectory(sessionDirectory: string): string {
  const path = pathOf(sessionDirectory);
  mkdirSync(path, { mode: 0o700 });
  return path;
}

/** Null for a program that is handed none: no REPL and no shell with marks, or one that an earlier version started. */
export function findActDirectory(sessionDirectory: string): string | null {
  const path = pathOf(sessionDirectory);
  return existsSync(path) ? path : null;
}

export function removeActDirectory(sessionDirectory: string): void {
  rmSync(pathOf(sessionDirectory), { recursive: true, force: true });
}
