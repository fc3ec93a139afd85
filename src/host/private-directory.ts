/** Directories that only their owner may enter (as tmux checks its socket directory). */
import { existsSync, lstatSync, mkdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import { LecternError } from "../core/errors.ts";

/**
 * Makes a directory with mode 0700, or checks that an existing one is ours, no symbolic link, and closed to others.
 * Throws `UNSAFE_PERMISSIONS` naming the path and the mend.
 */
export function ensurePrivateDirectory(path: string): void {
  try {
    makeDirectory(path);
  } catch (cause) {
    throw new LecternError("UNSAFE_PERMISSIONS", `Cannot make directory "${path}": ${(cause as Error).message}`, {
      cause,
    });
  }
  checkPrivateDirectory(path);
}

/** Of an existing directory, what `ensurePrivateDirectory` checks. */
function checkPrivateDirectory(path: string): void {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink() || !stat.isDirectory()) refuse(path, "it is no directory", "move it away");
  if (process.getuid && stat.uid !== process.getuid())
    refuse(path, `it belongs to user ${stat.uid}`, "use a directory of your own");
  const mode = stat.mode & 0o777;
  if ((mode & 0o077) !== 0) refuse(path, `its mode is 0${mode.toString(8)}, wanted 0700`, `run: chmod 700 "${path}"`);
}

/** The directory of one user below `/tmp`, which holds the sockets of data directories with long paths. */
export const temporaryDirectory = (): string => `/tmp/lectern-${process.getuid?.() ?? 0}`;

/** Makes or checks a directory of sockets. Below `/tmp`, where everybody may make directories, its parent as well. */
export function ensureSocketDirectory(path: string): void {
  if (isTemporary(path)) ensurePrivateDirectory(dirname(path));
  ensurePrivateDirectory(path);
}

/** For clients, which make no directory: checks those that are there. Throws `UNSAFE_PERMISSIONS`. */
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

function refuse(path: string, why: string, mend: string): never {
  throw new LecternError("UNSAFE_PERMISSIONS", `Cannot use "${path}": ${why}; ${mend}`, { details: { path } });
}
