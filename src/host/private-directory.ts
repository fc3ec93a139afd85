/** Directories and secrets that only their owner may touch (as tmux checks its socket directory). */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
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

/** A secret is short; what is longer is another file in its place, and is not read into memory. */
const SECRET_BYTES_MAX = 1_048_576;

/**
 * Reads a secret file, checked on the open file so that nothing can be swapped in between. Undefined if there is none. Throws
 * `UNSAFE_PERMISSIONS` for what is not a file of one's own, or too large; opening a pipe waits for no writer.
 */
export function readPrivateFile(path: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === "ENOENT") return undefined;
    if (code === "ELOOP") refuse(path, "it is a symbolic link", "remove it");
    throw cause;
  }
  try {
    const stat = fstatSync(descriptor);
    const mode = stat.mode & 0o777;
    if (!stat.isFile()) refuse(path, "it is not a file", "move it away");
    if (stat.size > SECRET_BYTES_MAX)
      refuse(path, `it has ${stat.size} bytes, at most ${SECRET_BYTES_MAX} are read`, "move it away");
    if (process.getuid && stat.uid !== process.getuid()) refuse(path, `it belongs to user ${stat.uid}`, "remove it");
    if ((mode & 0o077) !== 0)
      refuse(path, `its mode is 0${mode.toString(8)}, wanted 0600`, `run: chmod 600 "${path}" or remove it`);
    return readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
}

/** Writes a new secret file with mode 0600; fails if one exists. */
export function createPrivateFile(path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600, flag: "wx" });
}
