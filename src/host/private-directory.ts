/** Directories that only their owner may enter (as tmux checks its socket directory). */
import { existsSync, lstatSync, mkdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import { LecternError } from "../core/errors.ts";

/**
 * Creates a directory with mode 0700, or checks that an existing one is ours, not a symbolic link, and closed to others.
 * Throws `UNSAFE_PERMISSIONS` with the path and the remedy.
 */
export function ensurePrivateDirectory(path: string): void {
  try {
    makeDirectory(path);
  } catch (cause) {
    throw new LecternError("UNSAFE_PERMISSIONS", `Cannot create directory "${path}": ${(cause as Error).message}`, {
      cause,
    });
  }
  checkPrivateDirectory(path);
}

/** The checks of `ensurePrivateDirectory` on an existing directory. */
function checkPrivateDirectory(path: string): void {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink() || !stat.isDirectory()) refuse(path, "it is not a directory", "move it away");
  if (process.getuid && stat.uid !== process.getuid())
    refuse(path, `it belongs to user ${stat.uid}`, "use your own directory");
  const mode = stat.mode & 0o777;
  if ((mode & 0o077) !== 0) refuse(path, `its mode is 0${mode.toString(8)}, wanted 0700`, `run: chmod 700 "${path}"`);
}

/** The directory of one user below `/tmp`, which holds the sockets of data directories with long paths. */
export const temporaryDirectory = (): string => `/tmp/lectern-${process.getuid?.() ?? 0}`;

/** Creates or checks a directory of sockets, and its parent if that is below `/tmp`, where all users can create directories. */
export function ensureSocketDirectory(path: string): void {
  if (isTemporary(path)) ensurePrivateDirectory(dirname(path));
  ensurePrivateDirectory(path);
}

/** For clients: checks the existing directories and creates none. Throws `UNSAFE_PERMISSIONS`. */
export function checkSocketDirectory(path: string): void {
  for (const directory of isTemporary(path) ? [dirname(path), path] : [])
    if (lstatSync(directory, { throwIfNoEntry: false }) !== undefined) checkPrivateDirectory(directory);
}

const isTemporary = (path: string): boolean => dirname(path) === temporaryDirectory() && basename(path) !== "";

/** With its parents. Not `recursive`: that never ends where a parent is there and takes no directories, as in /proc. */
function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    const parent = dirname(path);
    if (code !== "ENOENT" || existsSync(parent)) throw error;
    makeDirectory(parent);
    mkdirSync(path, { mode: 0o700 });
  }
}

function refuse(path: string, why: string, remedy: string): never {
  throw new LecternError("UNSAFE_PERMISSIONS", `Cannot use "${path}": ${why}; ${remedy}`, { details: { path } });
}
