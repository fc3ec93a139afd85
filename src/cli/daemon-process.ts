/**
 * Finds the daemon, and starts one where none listens. The daemon's own lock decides which one of two that start at the
 * same time stays: the other ends with `ALREADY_RUNNING`, and both callers talk to the one that is left.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { LecternError } from "../core/errors.ts";
import { isNoSpace } from "../core/no-space.ts";
import { LecternClient } from "../client/client.ts";
import { unixTransport } from "../client/unix-transport.ts";
import { readDaemonFile, type DaemonFile } from "../daemon/daemon-file.ts";
import { formerSockets, type LecternPaths } from "../daemon/paths.ts";
import { checkSocketDirectory, ensureSocketDirectory } from "../daemon/secure-directory.ts";
import type { OutputOf } from "../protocol/operations.ts";
import { isRunning } from "../pty/is-running.ts";
import { PROTOCOL_VERSION } from "../protocol/routes.ts";

export type DaemonInfo = OutputOf<"daemon.info">;

/** A daemon that cannot start says so at once; one that is slow is on a machine that has much to do. */
export const START_MS_MAX = 60_000;
const STOP_MS_MAX = 20_000;
/** A daemon notices in half a second that its socket is gone; a busy machine takes longer. */
const BIND_AGAIN_MS_MAX = 5000;
const POLL_MS = 50;
/** What follows a session waits so long for the next daemon after `lectern down`, as in `lectern down && lectern up`. */
const SUCCESSOR_MS_MAX = 10_000;

interface Wanted {
  readonly paths: LecternPaths;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** It had a daemon before: one that a person has ended is not started again by what was only following it. */
  readonly isReturning: boolean;
}

interface FoundDaemon {
  readonly client: LecternClient;
  readonly info: DaemonInfo;
}

/** Undefined where no daemon listens. */
async function daemonInfo(client: LecternClient, signal?: AbortSignal): Promise<DaemonInfo | undefined> {
  try {
    return await client.call("daemon.info", {}, { signal });
  } catch (error) {
    if (error instanceof LecternError && error.code === "DAEMON_UNREACHABLE") return undefined;
    throw error;
  }
}

/**
 * The daemon that listens, also one of an older version in the runtime directory. Undefined where none does.
 * Throws `UNSAFE_PERMISSIONS` where another user could listen in its place.
 */
async function findDaemon(paths: LecternPaths, signal?: AbortSignal): Promise<FoundDaemon | undefined> {
  checkSocketDirectory(paths.runtimeDirectory);
  for (const socket of [paths.daemonSocket, ...formerSockets(paths).filter((path) => existsSync(path))]) {
    const client = new LecternClient(unixTransport(socket));
    const info = await daemonInfo(client, signal);
    if (info === undefined) continue;
    // A runtime directory may be shared by several data directories.
    if (socket === paths.daemonSocket || info.dataDirectory === paths.dataDirectory) return { client, info };
  }
  return undefined;
}

/** As `findDaemon`, but waits for one whose socket has disappeared while it runs. Throws `DAEMON_UNREACHABLE` where it does not come back. */
export async function findRunningDaemon(paths: LecternPaths, signal?: AbortSignal): Promise<FoundDaemon | undefined> {
  for (const silence = new Silence(paths); ;) {
    const found = await findDaemon(paths, signal);
    if (found !== undefined || readDaemonFile(paths)?.state !== "running") return found;
    silence.check();
    await delay(POLL_MS, undefined, { signal });
  }
}

/**
 * A daemon that holds its lock while nobody listens. One that is running binds its socket again, unless it is stopped. Without a daemon
 * file it has only just taken the lock, or cannot write the file, or is of an older version: it gets as long as any start.
 */
export class Silence {
  readonly #paths: LecternPaths;
  #pid: number | undefined;
  #state: DaemonFile["state"] | undefined;
  #sinceMs: number | undefined;

  constructor(paths: LecternPaths) {
    this.#paths = paths;
  }

  /** At the last check, the process that holds the lock had no daemon file. */
  get isUnidentified(): boolean {
    return this.#sinceMs !== undefined && this.#state === undefined;
  }

  /** Call it while the lock is held and nobody listens. Throws `DAEMON_UNREACHABLE` when that has lasted too long. */
  check(nowMs = Date.now()): void {
    const holder = readDaemonFile(this.#paths);
    if (holder?.pid !== this.#pid || holder?.state !== this.#state) this.#sinceMs = undefined;
    this.#pid = holder?.pid;
    this.#state = holder?.state;
    this.#sinceMs ??= nowMs;
    // It has much to do, on a busy machine.
    if (holder !== undefined && holder.state !== "running") return;
    const limitMs = holder === undefined ? START_MS_MAX : BIND_AGAIN_MS_MAX;
    if (nowMs - this.#sinceMs > limitMs) throw hasNoSocket(this.#paths, holder);
  }
}

/**
 * Resolves when a daemon of our protocol answers. Throws `VERSION_MISMATCH`, `DAEMON_UNREACHABLE`, `NOT_AVAILABLE` where it was ended
 * by hand, or why it cannot start.
 */
export async function ensureDaemon(wanted: Wanted): Promise<LecternClient> {
  const { paths, environment, signal } = wanted;
  const deadline = Date.now() + START_MS_MAX;
  const silence = new Silence(paths);
  for (let endedSince: number | undefined; ;) {
    const found = await findDaemon(paths, signal);
    if (found !== undefined) {
      checkVersion(found.info);
      return found.client;
    }
    // The full time to start counts from when a holder without a daemon file was first seen.
    if (Date.now() > (silence.isUnidentified ? deadline + START_MS_MAX : deadline)) throw noAnswer(paths);
    if (wanted.isReturning && existsSync(endedFile(paths))) {
      endedSince = hasSuccessor(paths) ? undefined : (endedSince ?? Date.now());
      if (endedSince !== undefined && Date.now() > endedSince + SUCCESSOR_MS_MAX) throw endedByHand();
      await delay(POLL_MS, undefined, { signal });
      continue;
    }
    await startDaemonProcess(paths, environment, ["--no-tcp", "--started-by=client"]).catch(async (error: unknown) => {
      if (!(error instanceof LecternError) || error.code !== "ALREADY_RUNNING") throw error;
      silence.check();
      await delay(POLL_MS, undefined, { signal });
    });
  }
}

/** There from `lectern down` to the start of the next daemon; in it the process that has ended one to start the next itself. */
const endedFile = (paths: LecternPaths): string => join(paths.runtimeDirectory, "ended");

/** A courtesy to who follows a session: a full disk does not keep a daemon from being ended. */
export function noteEnd(paths: LecternPaths, successor?: number): void {
  try {
    // A daemon of an older version has made another one.
    ensureSocketDirectory(paths.runtimeDirectory);
    writeFileSync(endedFile(paths), successor === undefined ? "" : String(successor), { mode: 0o600 });
  } catch (error) {
    if (!isNoSpace(error)) throw error;
  }
}

/** Whether somebody is at work on the next daemon, however long that takes on a busy machine. */
function hasSuccessor(paths: LecternPaths): boolean {
  try {
    const pid = Number(readFileSync(endedFile(paths), "utf8"));
    return pid > 0 && isRunning(pid);
  } catch {
    // The next daemon has started since.
    return true;
  }
}

export const forgetEnd = (paths: LecternPaths): void => rmSync(endedFile(paths), { force: true });

const endedByHand = (): LecternError =>
  new LecternError(
    "NOT_AVAILABLE",
    'The daemon was ended with "lectern down"; programs go on, and the next command finds them',
  );

const noAnswer = (paths: LecternPaths): LecternError =>
  new LecternError("DAEMON_UNREACHABLE", `Cannot reach the daemon at "${paths.daemonSocket}": see "${paths.logFile}"`, {
    details: { logFile: paths.logFile },
  });

function hasNoSocket({ daemonSocket, dataDirectory }: LecternPaths, holder: DaemonFile | undefined): LecternError {
  const process =
    holder === undefined
      ? "a process of an older version, or one that cannot write its daemon file,"
      : `process ${holder.pid}`;
  const socket = existsSync(daemonSocket)
    ? `nobody answers at "${daemonSocket}"`
    : `its socket "${daemonSocket}" is missing`;
  const next = holder === undefined ? "end that process" : `end it with "kill ${holder.pid}"`;
  return new LecternError(
    "DAEMON_UNREACHABLE",
    `Cannot reach the daemon: ${process} holds "${dataDirectory}" but ${socket}; ${next}, programs go on and the next command starts another`,
    { details: { pid: holder?.pid ?? null, socket: daemonSocket } },
  );
}

function checkVersion(info: DaemonInfo): void {
  if (info.protocolVersion === PROTOCOL_VERSION) return;
  throw new LecternError(
    "VERSION_MISMATCH",
    `Cannot talk to the daemon of version ${info.version}: it speaks protocol ${info.protocolVersion}, wanted ` +
      `${PROTOCOL_VERSION}; run "lectern down && lectern up", the sessions go on`,
    { details: { daemon: info.protocolVersion, wanted: PROTOCOL_VERSION } },
  );
}

/**
 * Resolves when nothing listens any more and the process has ended: until then it holds the lock that the next daemon needs.
 * Throws `DAEMON_UNREACHABLE` after a time limit.
 */
export async function untilStopped(client: LecternClient, paths: LecternPaths, pid: number): Promise<void> {
  const deadline = Date.now() + STOP_MS_MAX;
  for (let isAnswering = true; isAnswering || isRunning(pid); isAnswering = (await daemonInfo(client)) !== undefined) {
    if (Date.now() > deadline) {
      // Somebody else's process by now, where the daemon ran in a container.
      if (!isAnswering) return;
      throw new LecternError("DAEMON_UNREACHABLE", `The daemon does not end: see "${paths.logFile}"`);
    }
    await delay(POLL_MS);
  }
}

/** Starts `lectern up` as a process of its own. Resolves with what it said when it was ready; throws why it could not. */
export async function startDaemonProcess(
  paths: LecternPaths,
  environment: Readonly<Record<string, string | undefined>>,
  options: readonly string[],
): Promise<DaemonReady> {
  const { launchDaemon } = await import("./launch-daemon.ts");
  return launchDaemon(paths, environment, options);
}

/** What a daemon says to the one who started it, one line of JSON. */
export interface DaemonReady {
  readonly pid: number;
  readonly listen: readonly string[];
  readonly resumed: number;
}
