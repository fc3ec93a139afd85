/**
 * Which process holds the data directory, and what it is doing: a file that only the holder of the daemon's lock writes. Clients read it
 * if no daemon listens: they wait for one that is starting, and report one whose socket has disappeared with its process id.
 */
import { rmSync, statSync } from "node:fs";
import { LecternError } from "../core/errors.ts";
import { readJsonFile, replaceFile } from "../host/json-file.ts";
import { isRunning, readLivingStat } from "../pty/proc-files.ts";
import type { LecternPaths } from "./paths.ts";

export interface DaemonFile {
  readonly pid: number;
  /** Identifies one process together with the pid; null if unknown. */
  readonly startTicks: number | null;
  /** Who started it: "client", or "user" for one that does not make room for another. */
  readonly startedBy: string;
  readonly state: "starting" | "running" | "ending";
  /** The lock file that it holds: in a copy of the directory it is another one. A daemon of an older version has none. */
  readonly lock?: string | undefined;
}

/** Undefined if there is no such file. */
function identityOf(file: string): string | undefined {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}

export function writeDaemonFile(
  { daemonFile, lockFile }: LecternPaths,
  { startedBy, state }: Pick<DaemonFile, "startedBy" | "state">,
): void {
  const startTicks = readLivingStat(process.pid)?.startTicks ?? null;
  const content: DaemonFile = { pid: process.pid, startTicks, startedBy, state, lock: identityOf(lockFile) };
  replaceFile(daemonFile, `${JSON.stringify(content)}\n`);
}

/** Undefined if there is none, its process has ended, or it was copied with its directory. */
export function readDaemonFile({ daemonFile, lockFile }: LecternPaths): DaemonFile | undefined {
  // Written above; the values are only compared.
  const stored = (readJsonFile(daemonFile) ?? null) as DaemonFile | null;
  if (stored === null) return undefined;
  const { lock, pid, startTicks, startedBy, state } = stored;
  if (lock !== undefined && lock !== identityOf(lockFile)) return undefined;
  const isItself = startTicks === null ? isRunning(pid) : readLivingStat(pid)?.startTicks === startTicks;
  return isItself ? { pid, startTicks, startedBy, state, lock } : undefined;
}

export const removeDaemonFile = ({ daemonFile }: LecternPaths): void => rmSync(daemonFile, { force: true });

export const alreadyRunning = (cause?: unknown): LecternError =>
  new LecternError("ALREADY_RUNNING", 'A daemon is already running: see "lectern info"', { cause });
