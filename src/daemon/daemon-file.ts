/**
 * Which process holds the data directory, and what it is doing: a file that only the holder of the daemon's lock writes. Clients read it
 * where nobody listens: a daemon that is starting is waited for, one whose socket has disappeared is an error with its process id.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { isRunning } from "../pty/is-running.ts";
import { readLivingStat } from "../pty/proc-files.ts";
import type { LecternPaths } from "./paths.ts";

export interface DaemonFile {
  readonly pid: number;
  /** With the pid it names one process for good; null where the system does not tell. */
  readonly startTicks: number | null;
  /** Who wanted it: "client", or "user" for one that makes no room for another. */
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

/** Undefined where there is none, or its process has ended. */
export function readDaemonFile({ daemonFile }: LecternPaths): DaemonFile | undefined {
  try {
    // Written above; the values are compared with what is known, nothing else is done with them.
    const { pid, startTicks, startedBy, state } = JSON.parse(readFileSync(daemonFile, "utf8")) as DaemonFile;
    const isItself = startTicks === null ? isRunning(pid) : readLivingStat(pid)?.startTicks === startTicks;
    return isItself ? { pid, startTicks, startedBy, state } : undefined;
  } catch {
    return undefined;
  }
}

export const removeDaemonFile = ({ daemonFile }: LecternPaths): void => rmSync(daemonFile, { force: true });
