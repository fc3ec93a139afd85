/**
 * Small reads of `/proc` for hot paths: one shared buffer, no stat calls, undefined instead of an exception if a process has ended or
 * belongs to another user.
 */
import { closeSync, openSync, readFileSync, readlinkSync, readSync, readdirSync } from "node:fs";
import { basename } from "node:path";
import { platform, procPath } from "./platform.ts";

/** Larger than any file that is read into it; longer ones are cut. */
const buffer = Buffer.allocUnsafeSlow(16 * 1024);

/** `denied`: the kernel refuses access, so the process is running. */
export type ProcRead = { readonly text: string } | { readonly text: undefined; readonly denied: boolean };

/** The first 16 KiB of a file of `/proc`, one character per byte; `path`: such as `self/limits`. */
export function readProc(path: string): ProcRead {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(procPath(path), "r");
    return { text: buffer.toString("latin1", 0, readSync(descriptor, buffer, 0, buffer.length, 0)) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { text: undefined, denied: code === "EACCES" || code === "EPERM" };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** A copy of memory of a process, at most 16 KiB; undefined if it cannot be read. */
export function readMemory(pid: number, address: bigint, bytes: number): Buffer | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(procPath(`${pid}/mem`), "r");
    const length = readSync(descriptor, buffer, 0, Math.min(bytes, buffer.length), address);
    return length === bytes ? Buffer.from(buffer.subarray(0, length)) : undefined;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** What a descriptor of a process refers to, such as `/dev/pts/3` or `socket:[4711]`; undefined if it cannot be read. */
export function linkOfDescriptor(pid: number, descriptor: number): string | undefined {
  try {
    return readlinkSync(procPath(`${pid}/fd/${descriptor}`));
  } catch {
    return undefined;
  }
}

/** The file name of a process's executable; undefined if it cannot be read. */
export function executableOf(pid: number): string | undefined {
  try {
    return basename(readlinkSync(procPath(`${pid}/exe`)));
  } catch {
    return undefined;
  }
}

/** The effective user id of a process; undefined if it has ended. */
export function userOf(pid: number): number | undefined {
  const { text } = readProc(`${pid}/status`);
  const user = /^Uid:\t\d+\t(\d+)/m.exec(text ?? "")?.[1];
  return user === undefined ? undefined : Number(user);
}

/** Whether a process has a handler for a signal; false if it has ended. */
export function isCaught(pid: number, signal: number): boolean {
  const { text } = readProc(`${pid}/status`);
  const caught = /^SigCgt:\t([0-9a-f]+)$/m.exec(text ?? "")?.[1] ?? "0";
  return ((BigInt(`0x${caught}`) >> BigInt(signal - 1)) & 1n) === 1n;
}

/** Its number in its own namespace, such as that of a sandbox; undefined if that cannot be read. */
export function innerPidOf(pid: number): number | undefined {
  const { text } = readProc(`${pid}/status`);
  const inner = /^NSpid:.*?(\d+)$/m.exec(text ?? "")?.[1];
  return inner === undefined ? undefined : Number(inner);
}

/**
 * The environment that a process was started with; undefined if it cannot be read: of another user, of a process that has ended, or of one that is
 * becoming another program. For that moment the kernel shows it as empty, and its arguments too.
 */
export function environmentOf(pid: number): string[] | undefined {
  const path = `${pid}/environ`;
  const strings = readStrings(path);
  if (strings?.length !== 0) return strings;
  // Read again: the moment may have passed since.
  return argumentsOf(pid)?.length === 0 ? undefined : readStrings(path);
}

/** Whether a process is becoming another program. One that has ended, or that belongs to the kernel, has no executable. */
export const isBecomingProgram = (pid: number): boolean =>
  argumentsOf(pid)?.length === 0 && executableOf(pid) !== undefined;

/** The command line of a process; undefined if it cannot be read. */
export const argumentsOf = (pid: number): string[] | undefined => readStrings(`${pid}/cmdline`);

/** The kernel limits the length. */
function readStrings(path: string): string[] | undefined {
  try {
    return readFileSync(procPath(path), "utf8").split("\0").slice(0, -1);
  } catch {
    return undefined;
  }
}

/** Thread ids of a process; empty if it has ended. */
export function threadsOf(pid: number): number[] {
  try {
    return readdirSync(procPath(`${pid}/task`)).map(Number);
  } catch {
    return [];
  }
}

/** Fields of `proc_pid_stat(5)`. */
export interface ProcStat {
  readonly name: string;
  /** One letter; Z and X mean that it has ended. */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Foreground process group of its terminal; -1 without one. */
  readonly foregroundGroup: number;
  /** Clock ticks from the start of the machine to that of the process; with the pid, it identifies the process. */
  readonly startTicks: number;
  /** Where its stack begins: another number after each `exec`. Null if the kernel does not show it, such as of another user. */
  readonly image: number | null;
}

/** `USER_HZ`, which is 100 on every machine that Linux supports (`times(2)`). */
const TICK_MS = 10;

/** In clock ticks since the start of the machine; Infinity if that cannot be read. */
function ticksNow(): number {
  const { text } = readProc("uptime");
  return text === undefined ? Infinity : (Number.parseFloat(text) * 1000) / TICK_MS;
}

/** From a time in clock ticks until now. */
export const msSince = (ticks: number): number => (ticksNow() - ticks) * TICK_MS;

export function readStat(pid: number): ProcStat | undefined {
  const { text } = readProc(`${pid}/stat`);
  return text === undefined ? undefined : parseStat(text);
}

/** Also undefined for a zombie: in some containers, zombies are never reaped. */
export function readLivingStat(pid: number): ProcStat | undefined {
  const stat = readStat(pid);
  return stat?.state === "Z" || stat?.state === "X" ? undefined : stat;
}

/** Whether a process is running. False for a zombie, and without `/proc` for a process of another user. */
export function isRunning(pid: number): boolean {
  if (platform.hasProc) return readLivingStat(pid) !== undefined;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The name is in brackets and may itself contain brackets and blanks. */
export function parseStat(text: string): ProcStat | undefined {
  const end = text.lastIndexOf(")");
  const name = Buffer.from(text.slice(text.indexOf("(") + 1, end), "latin1").toString();
  const fields = text.slice(end + 2).split(" ", 26);
  const [state, parent, group, session] = fields;
  if (state === undefined || session === undefined) return undefined;
  return {
    name,
    state,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    foregroundGroup: Number(fields[5]),
    startTicks: Number(fields[19]),
    image: Number(fields[25] ?? 0) || null,
  };
}
