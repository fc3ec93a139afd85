/** Directories and secrets that only their owner may touch (as tmux checks its socket directory). */
import { closeSync, constants, fstatSync, openSync, readFileSync, writeSync } from "node:fs";
import { LecternError } from "../core/errors.ts";

export { checkSocketDirectory, ensurePrivateDirectory, ensureSocketDirectory } from "../host/private-directory.ts";

/** Reads a secret file, checked on the open file so that nothing can be swapped in between. Undefined if there is none. */
export function readPrivateFile(path: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === "ENOENT") return undefined;
    if (code === "ELOOP") refuse(path, "it is a symbolic link", "remove it");
    throw cause;
  }
  try {
    const stat = fstatSync(descriptor);
    const mode = stat.mode & 0o777;
    if (!stat.isFile()) refuse(path, "it is no file", "remove it");
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
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const descriptor = openSync(path, flags, 0o600);
  try {
    writeSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}

function refuse(path: string, why: string, mend: string): never {
  throw new LecternError("UNSAFE_PERMISSIONS", `Cannot use "${path}": ${why}; ${mend}`, { details: { path } });
}
