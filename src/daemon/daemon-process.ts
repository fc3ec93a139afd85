/**
 * Finds the daemon, and starts one if none listens. If two start at the same time, the daemon's lock decides which one
 * stays: the other ends with `ALREADY_RUNNING`, and both callers use the one that is left.
 */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { LecternError } from "../core/errors.ts";
import { isNoSpace } from "../core/no-space.ts";
import { SANDBOX_VARIABLE } from "../core/sandbox/plan.ts";
import { waits } from "../core/waits.ts";
import { LecternClient } from "../client/client.ts";
import { unixTransport } from "../client/unix-transport.ts";
import { readDaemonFile, type DaemonFile } from "./daemon-file.ts";
import type { LecternPaths } from "./paths.ts";
import { checkSocketDirectory, ensurePrivateDirectory, ensureSocketDirectory } from "../host/private-directory.ts";
import { readDaemonEnd } from "../host/ended-file.ts";
import type { DaemonReady, DaemonStart } from "../host/launch-daemon.ts";
import type { OutputOf } from "../protocol/operations.ts";
import { isRunning } from "../pty/proc-files.ts";
import { PROTOCOL_VERSION } from "../protocol/routes.ts";
import { buildVersion } from "./version.ts";

export type DaemonInfo = OutputOf<"daemon.info">;

interface Wanted {
  readonly paths: LecternPaths;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** The command had a daemon before: if a person has stopped it, a command that only follows does not start another. */
  readonly isReturning: boolean;
  /** Options of Node for the process of the daemon. Default: those of this process. */
  readonly nodeOptions?: readonly string[];
}

interface FoundDaemon {
  readonly client: LecternClient;
  readonly info: DaemonInfo;
}

/** Throws `FORBIDDEN` in a sandbox of a session: a daemon that was started inside would be another one, without any sessions. */
export function refuseInside(environment: Wanted["environment"]): void {
  const profile = environment[SANDBOX_VARIABLE];
  if (profile === undefined) return;
  throw new LecternError(
    "FORBIDDEN",
    `Cannot reach the daemon from inside the sandbox "${profile}" of a session: "lectern emit" reports events; anything else in a terminal outside`,
  );
}

async function daemonInfo(client: LecternClient, signal?: AbortSignal): Promise<DaemonInfo | undefined> {
  try {
    return await client.call("daemon.info", {}, { signal });
  } catch (error) {
    if (error instanceof LecternError && error.code === "DAEMON_UNREACHABLE") return undefined;
    throw error;
  }
}

/** Undefined if no daemon listens. Throws `UNSAFE_PERMISSIONS` if another user could listen in its place. */
async function findDaemon(paths: LecternPaths, signal?: AbortSignal): Promise<FoundDaemon | undefined> {
  checkSocketDirectory(paths.runtimeDirectory);
  const client = new LecternClient(unixTransport(paths.daemonSocket));
  const info = await daemonInfo(client, signal);
  return info === undefined ? undefined : { client, info };
}

/**
 * Like `findDaemon`, but waits for one that holds the data directory and does not listen yet, or whose socket was removed: another one could only
 * find out that it is not wanted. Throws `DAEMON_UNREACHABLE` if that lasts too long.
 */
export async function findRunningDaemon(paths: LecternPaths, signal?: AbortSignal): Promise<FoundDaemon | undefined> {
  for (const silence = new Silence(paths); ;) {
    const found = await findDaemon(paths, signal);
    if (found !== undefined || readDaemonFile(paths) === undefined) return found;
    silence.check();
    await delay(waits.pollMs, undefined, { signal });
  }
}

/**
 * Limits how long a daemon may hold its lock without listening. A running daemon binds its socket again, unless it is stopped. Without a daemon
 * file it has just taken the lock or cannot write the file, and gets the time of a start.
 */
export class Silence {
  readonly #paths: LecternPaths;
  #pid: number | undefined;
  #state: DaemonFile["state"] | undefined;
  #sinceMs: number | undefined;

  constructor(paths: LecternPaths) {
    this.#paths = paths;
  }

  /** At the last check, the holder of the lock had no daemon file. */
  get isUnidentified(): boolean {
    return this.#sinceMs !== undefined && this.#state === undefined;
  }

  /** To be called while the lock is held and nothing listens. Throws `DAEMON_UNREACHABLE` when that has lasted too long. */
  check(nowMs = Date.now()): void {
    const holder = readDaemonFile(this.#paths);
    if (holder?.pid !== this.#pid || holder?.state !== this.#state) this.#sinceMs = undefined;
    this.#pid = holder?.pid;
    this.#state = holder?.state;
    this.#sinceMs ??= nowMs;
    // To start and to end may take long on a busy machine.
    const limitMs = holder?.state === "running" ? waits.answerMs : waits.startMs;
    if (nowMs - this.#sinceMs > limitMs) throw hasNoSocket(this.#paths, holder);
  }
}

/**
 * Resolves when a daemon with our protocol answers. Throws `FORBIDDEN`, `VERSION_MISMATCH`, `DAEMON_UNREACHABLE`, `NOT_AVAILABLE` if it was stopped
 * with `lectern down`, or the reason why it cannot start.
 */
export async function ensureDaemon(wanted: Wanted): Promise<LecternClient> {
  const { paths, environment, signal, nodeOptions } = wanted;
  refuseInside(environment);
  const deadline = Date.now() + waits.startMs;
  const silence = new Silence(paths);
  for (let endedSince: number | undefined; ;) {
    const found = await findRunningDaemon(paths, signal);
    if (found !== undefined) {
      checkVersion(found.info);
      return found.client;
    }
    // A holder without a daemon file gets the full time of a start.
    if (Date.now() > (silence.isUnidentified ? deadline + waits.startMs : deadline)) throw noAnswer(paths);
    const end = wanted.isReturning ? readDaemonEnd(paths.endedFile) : "none";
    if (end !== "none") {
      endedSince = end === "replaced" ? undefined : (endedSince ?? Date.now());
      if (endedSince !== undefined && Date.now() > endedSince + waits.arrivalMs) throw stoppedByPerson();
      await delay(waits.pollMs, undefined, { signal });
      continue;
    }
    const words = ["--no-tcp", "--started-by=client"];
    await startDaemonProcess(paths, environment, words, nodeOptions).catch(async (error: unknown) => {
      if (!(error instanceof LecternError) || error.code !== "ALREADY_RUNNING") throw error;
      silence.check();
      await delay(waits.pollMs, undefined, { signal });
    });
  }
}

/** Leaves the file of `host/ended-file.ts`. Optional, so a full disk does not prevent stopping a daemon. */
export function noteEnd(paths: LecternPaths, successor?: number): void {
  try {
    ensureSocketDirectory(paths.runtimeDirectory);
    writeFileSync(paths.endedFile, successor === undefined ? "" : String(successor), { mode: 0o600 });
  } catch (error) {
    if (!isNoSpace(error)) throw error;
  }
}

/** As `lectern down`: resolves with the answer when the daemon has ended. */
export async function stopDaemon(
  client: LecternClient,
  paths: LecternPaths,
  { programs }: { readonly programs: boolean },
): Promise<OutputOf<"daemon.stop">> {
  // Before it stops, because commands that follow a session reconnect at once.
  noteEnd(paths);
  const stopped = await client.call("daemon.stop", { programs }).catch((cause: unknown) => {
    forgetEnd(paths);
    throw cause;
  });
  await untilStopped(client, paths, stopped.pid);
  return stopped;
}

/** A daemon has started: neither the end of the last one nor failed starts count any more. */
export function forgetEnd({ endedFile, restartsFile }: LecternPaths): void {
  for (const file of [endedFile, restartsFile]) rmSync(file, { force: true });
}

const stoppedByPerson = (): LecternError =>
  new LecternError(
    "NOT_AVAILABLE",
    'The daemon was stopped with "lectern down"; programs keep running, and the next command resumes them',
  );

const noAnswer = (paths: LecternPaths): LecternError =>
  new LecternError("DAEMON_UNREACHABLE", `Cannot reach the daemon at "${paths.daemonSocket}": see "${paths.logFile}"`, {
    details: { logFile: paths.logFile },
  });

function hasNoSocket(
  { daemonSocket, dataDirectory, logFile }: LecternPaths,
  holder: DaemonFile | undefined,
): LecternError {
  const details = { pid: holder?.pid ?? null, socket: daemonSocket };
  const process = holder === undefined ? "a process that cannot write its daemon file" : `process ${holder.pid}`;
  if (holder !== undefined && holder.state !== "running") {
    const message = `Cannot reach the daemon: ${process} is still ${holder.state} after ${waits.startMs / 1000} s: see "${logFile}"`;
    return new LecternError("DAEMON_UNREACHABLE", message, { details });
  }
  const socket = existsSync(daemonSocket)
    ? `nothing answers at "${daemonSocket}"`
    : `its socket "${daemonSocket}" is missing`;
  const next = holder === undefined ? "end that process" : `end it with "kill ${holder.pid}"`;
  return new LecternError(
    "DAEMON_UNREACHABLE",
    `Cannot reach the daemon: ${process} holds "${dataDirectory}" but ${socket}; ${next}, programs keep running, and the next command starts another daemon`,
    { details },
  );
}

function checkVersion(info: DaemonInfo): void {
  if (info.protocolVersion === PROTOCOL_VERSION) return;
  throw new LecternError(
    "VERSION_MISMATCH",
    `Cannot talk to the daemon of version ${info.version} with version ${buildVersion()}: it speaks protocol ` +
      `${info.protocolVersion}, wanted ${PROTOCOL_VERSION}; run "lectern down && lectern up"; sessions keep running`,
    { details: { daemon: info.protocolVersion, wanted: PROTOCOL_VERSION } },
  );
}

/**
 * Resolves when nothing listens and the process has ended: until then, it holds the lock that the next daemon needs.
 * Throws `DAEMON_UNREACHABLE` after a time limit.
 */
export async function untilStopped(client: LecternClient, paths: LecternPaths, pid: number): Promise<void> {
  const deadline = Date.now() + waits.stopMs;
  for (let isAnswering = true; isAnswering || isRunning(pid); isAnswering = (await daemonInfo(client)) !== undefined) {
    if (Date.now() > deadline) {
      // The pid belongs to another process if the daemon ran in a container.
      if (!isAnswering) return;
      throw new LecternError("DAEMON_UNREACHABLE", `The daemon does not stop: see "${paths.logFile}"`);
    }
    await delay(waits.pollMs);
  }
}

/** Starts `lectern up` as a separate process. Resolves when it is ready; throws the reason if it cannot start. */
export async function startDaemonProcess(
  paths: LecternPaths,
  environment: Readonly<Record<string, string | undefined>>,
  options: readonly string[],
  nodeOptions?: readonly string[],
): Promise<DaemonReady> {
  ensurePrivateDirectory(paths.dataDirectory);
  const { launchDaemon } = await import("../host/launch-daemon.ts");
  return launchDaemon(daemonStart(paths, environment, options, nodeOptions));
}

/** `lectern up` with these options, as a process of its own. */
export function daemonStart(
  { dataDirectory, logFile }: LecternPaths,
  environment: Readonly<Record<string, string | undefined>>,
  options: readonly string[],
  nodeOptions: readonly string[] = process.execArgv,
): DaemonStart {
  // Valid for both `src/cli` and `dist/cli`.
  const entry = fileURLToPath(new URL("../../bin/lectern.mjs", import.meta.url));
  return {
    command: [process.execPath, ...nodeOptions, entry, "up", "--ready-pipe", ...options],
    // The daemon runs in another directory.
    environment: environment["LECTERN_HOME"] ? { ...environment, LECTERN_HOME: dataDirectory } : environment,
    logFile,
  };
}
