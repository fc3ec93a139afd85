/** The place of the unix socket: a directory that only its owner can enter, and a path that nothing else takes. */
import { lstatSync, unlinkSync, type Stats } from "node:fs";
import { connect } from "node:net";
import { dirname } from "node:path";
import { LecternError } from "../core/errors.ts";
import { ensurePrivateDirectory } from "../daemon/secure-directory.ts";

/** `sun_path` of Linux holds 108 bytes with the final zero. */
const PATH_BYTES_MAX = 107;

/**
 * Makes the directory where it is missing, checks it, and removes the socket of a daemon that is gone.
 * Throws `UNSAFE_PERMISSIONS`, `ADDRESS_IN_USE`, and `INVALID_INPUT` for a path that is too long.
 */
export async function prepareSocketPath(path: string): Promise<void> {
  const length = Buffer.byteLength(path);
  if (length > PATH_BYTES_MAX) {
    throw new LecternError(
      "INVALID_INPUT",
      `Cannot listen on "${path}": the path of a socket holds ${PATH_BYTES_MAX} bytes, this one has ${length}; choose a shorter LECTERN_HOME or XDG_RUNTIME_DIR`,
      { details: { path, bytes: length, bytesMax: PATH_BYTES_MAX } },
    );
  }
  ensurePrivateDirectory(dirname(path));
  await clearStaleSocket(path);
}

async function clearStaleSocket(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw unsafe(path, `it is ${kindOf(found)}, wanted a socket or nothing`, `remove it`);
  if (await isAnswered(path)) {
    throw new LecternError(
      "ADDRESS_IN_USE",
      `Cannot listen on "${path}": a daemon listens there already; end it with "lectern stop"`,
      { details: { path } },
    );
  }
  unlinkSync(path);
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED" || error.code === "ENOENT") resolve(false);
      else if (error.code === "EAGAIN") resolve(true);
      else reject(error);
    });
  });
}

function kindOf(found: Stats): string {
  if (found.isSymbolicLink()) return "a symlink";
  if (found.isDirectory()) return "a directory";
  return found.isFile() ? "a file" : "something else";
}

function unsafe(path: string, why: string, fix: string): LecternError {
  return new LecternError("UNSAFE_PERMISSIONS", `Cannot use "${path}": ${why}; ${fix}`, { details: { path, fix } });
}
