/**
 * Which process holds the data directory, and what it is doing: a file that only the holder of the daemon's lock writes. Clients read it
 * if no daemon listens: they wait for one that is starting, and report one whose socket has disappeared with its process id.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { LecternError } from "../core/errors.ts";
import { isRunning } from "../pty/is-running.ts";
import { readLivingStat } from "../pty/proc-files.ts";
import type { LecternPaths } from "./paths.ts";

export interface DaemonFile {
  readonly pid: number;
  /** Identifies one process together with the pid; null if unknown. */
  readonly startTicks: number | null;
  /** Who started it: "client", or "user" for one that does not make room for another. */
  readonly startedBy: string;
  readonly state: "starting" | "running" | "ending";
}

export function writeDaemonFile(
  { daemonFile }: LecternPaths,
  { startedBy, state }: Pick<DaemonFile, "startedBy" | "state">,
): void {
  const startTicks = readLivingStat(process.pid)?.startTicks ?? null;
  const content: DaemonFile = { pid: process.pid, startTicks, startedBy, state };
  writeFileSync(`${daemonFile}.new`, `${JSON.stringify(content)}\n`, { mode: 0o600 });
  renameSync(`${daemonFile}.new`, daemonFile);
}

/** Undefined if there is none, or its process has ended. */
export function readDaemonFile({ daemonFile }: LecternPaths): DaemonFile | undefined {
  try {
    // Written above; the values are only compared.
    const { pid, startTicks, startedBy, state } = JSON.parse(readFileSync(daemonFile, "utf8")) as DaemonFile;
    const isItself = startTicks === null ? isRunning(pid) : readLivingStat(pid)?.startTicks === startTicks;
    return isItself ? { pid, startTicks, startedBy, state } : undefined;
  } catch {
    return undefined;
  }
}

export const removeDaemonFile = ({ daemonFile }: LecternPaths): void => rmSync(daemonFile, { force: true });

export const alreadyRunning = (cause?: unknown): LecternError =>
  new LecternError("ALREADY_RUNNING", 'A daemon is already running: see "lectern info"', { cause });
