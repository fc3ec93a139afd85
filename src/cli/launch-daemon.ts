/** Starts the daemon as a process of its own, which outlives the one that starts it. */
import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, fstatSync, openSync, renameSync } from "node:fs";
import { devNull } from "node:os";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { LecternError } from "../core/errors.ts";
import { isNoSpace } from "../core/no-space.ts";
import { fromProblem } from "../protocol/errors.ts";
import type { LecternPaths } from "../daemon/paths.ts";
import { ensurePrivateDirectory } from "../daemon/secure-directory.ts";
import { START_MS_MAX, type DaemonReady } from "./daemon-ready.ts";

const READY_CHARS_MAX = 65_536;
/** At start, a log that is larger becomes `daemon.log.1`; so two of them at most. */
const LOG_BYTES_MAX = 8 * 1024 * 1024;
/** The descriptor on which the daemon says that it is ready, or why not. */
export const READY_DESCRIPTOR = 3;

/** Rejects with the error of the daemon, or `DAEMON_UNREACHABLE` where it said nothing. */
export async function launchDaemon(
  paths: LecternPaths,
  environment: Readonly<Record<string, string | undefined>>,
  options: readonly string[],
): Promise<DaemonReady> {
  ensurePrivateDirectory(paths.dataDirectory);
  // From `src/cli` as well as from `dist/cli`.
  const entry = fileURLToPath(new URL("../../bin/lectern.mjs", import.meta.url));
  const log = openLogOf(paths);
  const child = spawn(process.execPath, [...process.execArgv, entry, "up", "--ready-pipe", ...options], {
    // Its own session: neither a hang-up nor Ctrl-C of this terminal reaches it.
    detached: true,
    stdio: ["ignore", log, log, "pipe"],
    // It must not hold the directory in which somebody happened to type a command.
    cwd: "/",
    env: absoluteHome(environment, paths),
  });
  closeSync(log);
  const pipe = child.stdio[READY_DESCRIPTOR] as Readable;
  try {
    return await readiness(child, pipe, paths);
  } finally {
    child.removeAllListeners();
    pipe.destroy();
    child.unref();
  }
}

/** A relative LECTERN_HOME means something else in another directory. */
function absoluteHome(
  environment: Readonly<Record<string, string | undefined>>,
  paths: LecternPaths,
): Record<string, string | undefined> {
  return environment["LECTERN_HOME"] ? { ...environment, LECTERN_HOME: paths.dataDirectory } : { ...environment };
}

function openLogOf({ dataDirectory, logFile }: LecternPaths): number {
  try {
    return openLog(logFile);
  } catch (cause) {
    const why = `Cannot start the daemon: its directory cannot be written: ${(cause as Error).message}`;
    throw new LecternError(
      "DAEMON_UNREACHABLE",
      `${why}; make "${dataDirectory}" yours, or set LECTERN_HOME to another`,
      {
        cause,
      },
    );
  }
}

/** What is not a file, or has no room for one, is done without: the log is of no use then, the daemon is. */
function openLog(path: string): number {
  try {
    return openLogFile(path);
  } catch (error) {
    if (!isNoSpace(error) && (error as NodeJS.ErrnoException).code !== "EISDIR") throw error;
    return openSync(devNull, "a");
  }
}

function openLogFile(path: string): number {
  const log = openSync(path, "a", 0o600);
  if (fstatSync(log).size <= LOG_BYTES_MAX) return log;
  closeSync(log);
  renameSync(path, `${path}.1`);
  return openSync(path, "a", 0o600);
}

async function readiness(child: ChildProcess, pipe: Readable, paths: LecternPaths): Promise<DaemonReady> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const fail = (why: string): void =>
    reject(new LecternError("DAEMON_UNREACHABLE", `Cannot start the daemon: ${why}; see "${paths.logFile}"`));
  const timer = setTimeout(() => fail(`no word from it in ${START_MS_MAX} ms`), START_MS_MAX);
  let text = "";
  pipe.setEncoding("utf8");
  pipe.on("data", (chunk: string) => {
    text += chunk;
    if (text.includes("\n") || text.length > READY_CHARS_MAX) resolve(text);
  });
  pipe.on("end", () => fail("it ended"));
  child.on("error", (error) => fail(error.message));
  try {
    return parseReadiness(await promise);
  } finally {
    clearTimeout(timer);
  }
}

function parseReadiness(text: string): DaemonReady {
  const said = JSON.parse(text) as { readonly ready?: DaemonReady; readonly problem?: unknown };
  if (said.ready === undefined) throw fromProblem(said.problem, 500);
  return said.ready;
}
