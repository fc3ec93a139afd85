/** The paths of unix sockets. Each is prepared: in a directory that only its owner can enter, and not used by another process. */
import { lstatSync, unlinkSync, type Stats } from "node:fs";
import { connect } from "node:net";
import { basename, dirname, join } from "node:path";
import { LecternError } from "../core/errors.ts";
import { platform } from "../pty/platform.ts";
import { ensureSocketDirectory } from "./private-directory.ts";

/** The environment variable that tells a program where to send events. Read by `lectern emit`. */
export const EVENT_SOCKET_VARIABLE = "LECTERN_EVENT_SOCKET";

/** The event socket is beside the host's own socket: `ev-1234.sock` for `host-1234.sock`, so its path is never longer. */
export const eventSocketPath = (hostSocket: string): string =>
  join(dirname(hostSocket), basename(hostSocket).replace(/^host-/, "ev-"));

/**
 * Creates the directory if necessary, checks it, and removes a stale socket.
 * Throws `UNSAFE_PERMISSIONS`, `ADDRESS_IN_USE`, and `INVALID_INPUT` for a path that is too long.
 */
export async function prepareSocketPath(path: string): Promise<void> {
  const length = Buffer.byteLength(path);
  if (length > platform.socketPathBytesMax) {
    throw new LecternError(
      "INVALID_INPUT",
      `Cannot listen on "${path}": the path of a socket has at most ${platform.socketPathBytesMax} bytes, this one has ${length}; choose a shorter LECTERN_HOME`,
      { details: { path, bytes: length, bytesMax: platform.socketPathBytesMax } },
    );
  }
  ensureSocketDirectory(dirname(path));
  await clearStaleSocket(path);
}

async function clearStaleSocket(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw unsafe(path, `it is ${kindOf(found)}, wanted a socket or nothing`, `remove it`);
  if (await isAnswered(path)) {
    throw new LecternError("ADDRESS_IN_USE", `Cannot listen on "${path}": another process listens there`, {
      details: { path },
    });
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

const unsafe = (path: string, why: string, fix: string): LecternError =>
  new LecternError("UNSAFE_PERMISSIONS", `Cannot use "${path}": ${why}; ${fix}`, { details: { path, fix } });
