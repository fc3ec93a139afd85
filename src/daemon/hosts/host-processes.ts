/**
 * Whether a host that nobody can connect to still lives. A host of this version holds the lock of each of its journals; one of an
 * older version holds none and is found by its command line, where the system shows it (Linux).
 */
import { readdirSync, statSync } from "node:fs";
import { basename } from "node:path";
import { readHostRecord } from "../../host/host-record.ts";
import { isWriterLocked } from "../../journal/writer-lock.ts";
import { readLivingStat, readProc } from "../../pty/proc-files.ts";

/** A host that lives. */
export interface HostProcess {
  /** Undefined where it cannot be found out. */
  readonly pid: number | undefined;
}

export class HostProcesses {
  /** Hosts of older versions that were found, so that not every question reads all of `/proc`. */
  readonly #unlocked = new Map<string, { readonly pid: number; readonly startTicks: number }>();

  /** The host with this name, by the directories of the sessions that it runs. Undefined where it has ended. */
  find(name: string, directories: readonly string[]): HostProcess | undefined {
    const records = directories.map((directory) => readHostRecord(directory));
    const locked = directories.findIndex((directory) => isWriterLocked(directory));
    if (locked !== -1) return { pid: records[locked]?.pid };
    return records.includes(undefined) ? this.#findUnlocked(name) : undefined;
  }

  #findUnlocked(name: string): HostProcess | undefined {
    const known = this.#unlocked.get(name);
    if (known !== undefined && readLivingStat(known.pid)?.startTicks === known.startTicks) return { pid: known.pid };
    this.#unlocked.delete(name);
    const pid = process.platform === "linux" ? pidOfHost(name) : undefined;
    const startTicks = pid === undefined ? undefined : readLivingStat(pid)?.startTicks;
    if (pid === undefined || startTicks === undefined) return undefined;
    this.#unlocked.set(name, { pid, startTicks });
    return { pid };
  }
}

/** A process of ours with the arguments `.../host/main.js .../NAME VERSION`. */
function pidOfHost(name: string): number | undefined {
  for (const entry of readdirSync("/proc")) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    const words = (readProc(`/proc/${pid}/cmdline`).text ?? "").split("\0");
    const isHost = words.some((word) => /[/]host[/]main\.[jt]s$/.test(word));
    if (isHost && words.some((word) => basename(word) === name) && isOurs(pid)) return pid;
  }
  return undefined;
}

function isOurs(pid: number): boolean {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === process.getuid?.();
}
