/**
 * Ends every process of a kernel session (`setsid(2)`), which is what belongs to one terminal: the leader, its jobs and all their
 * children, even after the leader has ended or they closed the terminal. A process leaves it only by calling `setsid` itself.
 */
import { readdirSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { readLivingStat } from "./proc-files.ts";
import { processIn } from "./reading-process.ts";
import { platform, procPath } from "./platform.ts";
import { groupsOnTerminalOf } from "./process-table.ts";

export interface EndSessionOptions {
  /** Time between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** While the leader is not reaped, its pid cannot be reused. */
  readonly leaderIsReaped: () => boolean;
}

/** Polling intervals after the signals: short at first, because most programs end at once, then 1.5 times longer each. */
const pollMsMin = 4;
const pollMsMax = 50;
/** A program that forks faster than it is killed loses after a few short rounds, because each round kills whole groups. */
const shortKillRoundsMax = 100;
/** Then longer ones, about 5 s of them: on a busy machine what was killed waits for a processor before it is gone. */
const killRoundsMax = 200;
/** Rounds to wait for a forked child to call `setsid` (node-pty). */
const startRoundsMax = 500;

/** Resolves once no process of the session is left, or only those that cannot be killed because they hang in the kernel. */
export async function endSession(leader: number, options: EndSessionOptions): Promise<void> {
  for (let round = 0; isStarting(leader, options) && round < startRoundsMax; round++) await wait(pollMsMin);
  const deadline = performance.now() + options.graceMs;
  const liveNow = groupsOf(leader, options);
  let groups = liveNow();
  // SIGCONT, because a stopped job does not handle SIGHUP and SIGTERM before it continues.
  if (options.graceMs > 0) for (const name of ["SIGHUP", "SIGCONT", "SIGTERM"] as const) signalGroups(groups, name);
  let pollMs = pollMsMin;
  while (groups.length > 0 && performance.now() < deadline) {
    await wait(Math.min(pollMs, Math.max(1, deadline - performance.now())));
    pollMs = Math.min(pollMs * 1.5, pollMsMax);
    groups = liveNow();
  }
  for (let round = 0; groups.length > 0 && round < killRoundsMax; round++) {
    const isShort = round < shortKillRoundsMax;
    if (!signalGroups(groups, "SIGKILL") && !isShort) return;
    await wait(isShort ? pollMsMin : pollMsMax);
    groups = liveNow();
  }
}

/** True between the fork of the leader and its `setsid`. */
function isStarting(leader: number, options: EndSessionOptions): boolean {
  if (!platform.hasProc || options.leaderIsReaped()) return false;
  const stat = readLivingStat(leader);
  return stat !== undefined && stat.session !== leader;
}

/**
 * Whole groups, because the kernel signals a group atomically: no process can fork in between or get a signal twice. False if none got it.
 */
function signalGroups(groups: readonly number[], name: NodeJS.Signals): boolean {
  let isSent = false;
  for (const group of groups) {
    try {
      process.kill(-group, name);
      isSent = true;
    } catch (error) {
      // Ended meanwhile, or running as another user (su), which cannot be helped.
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ESRCH" && code !== "EPERM") throw error;
    }
  }
  return isSent;
}

/**
 * What gives the process groups of the session that still have a running process. Without `/proc` those are the groups that were on its terminal
 * at the first call: when the leader ends, the others lose the terminal by which they are found.
 */
function groupsOf(leader: number, options: EndSessionOptions): () => readonly number[] {
  if (platform.hasProc) return () => liveGroups(leader, options);
  const groups = groupsOnTerminalOf(leader);
  return () => groups.filter((group) => isLiveGroup(group) || (group === leader && !options.leaderIsReaped()));
}

function liveGroups(leader: number, options: EndSessionOptions): readonly number[] {
  const groups = liveGroupsBySession().get(leader);
  if (groups !== undefined || options.leaderIsReaped()) return groups ?? [];
  // The shared scan may be older than this session.
  scan = undefined;
  return liveGroupsBySession().get(leader) ?? [];
}

function isLiveGroup(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}

/** The kernel sessions that have a running process. Linux only. */
export function kernelSessions(): ReadonlySet<number> {
  scan = undefined;
  return new Set(liveGroupsBySession().keys());
}

/** The living processes of a group. Linux only; reads all of /proc. */
export function processesOfGroup(group: number): NonNullable<ReturnType<typeof processIn>>[] {
  return readdirSync(procPath("")).flatMap((name) => {
    const found = name >= "1" && name < ":" ? processIn(group, Number(name)) : undefined;
    return found ?? [];
  });
}

let scan: Map<number, number[]> | undefined;

/** Reads all of /proc, about 15 µs per process; sessions that end in the same turn of the event loop share one scan. */
function liveGroupsBySession(): ReadonlyMap<number, number[]> {
  if (scan !== undefined) return scan;
  scan = new Map();
  for (const name of readdirSync(procPath(""))) {
    const stat = name >= "1" && name < ":" ? readLivingStat(Number(name)) : undefined;
    if (stat === undefined) continue;
    const groups = scan.get(stat.session) ?? [];
    if (!groups.includes(stat.group)) groups.push(stat.group);
    scan.set(stat.session, groups);
  }
  setImmediate(() => (scan = undefined));
  return scan;
}
