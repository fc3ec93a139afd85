/**
 * Ends every process of a session. A session (`setsid(2)`) is what belongs to one terminal: the leader, its jobs and whatever they
 * forked, also after the leader is gone and after they closed the terminal. A process leaves it only by its own `setsid`.
 */
import { readdirSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { readLivingStat } from "./proc-files.ts";

export interface EndSessionOptions {
  /** From the polite signals to SIGKILL. */
  readonly graceMs: number;
  /** While the leader is not reaped its pid cannot be given to somebody else. */
  readonly leaderIsReaped: () => boolean;
}

/** The first look after the signals comes soon, because most programs go at once; each next one a half later. */
const lookMsMin = 4;
const lookMsMax = 50;
/** A program that forks faster than it is killed loses after a few rounds, because each kills whole groups; then it is given up. */
const killRoundsMax = 100;
/** A child that has been forked and has not called `setsid` yet (node-pty's) is waited for so often. */
const startRoundsMax = 500;

/** Resolves once no process of the session is left (or it cannot be killed: one that hangs in the kernel). */
export async function endSession(leader: number, options: EndSessionOptions): Promise<void> {
  for (let round = 0; isStarting(leader, options) && round < startRoundsMax; round++) await wait(lookMsMin);
  const deadline = performance.now() + options.graceMs;
  let groups = liveGroups(leader, options);
  // A stopped job cannot die of a polite signal before it goes on.
  if (options.graceMs > 0) for (const name of ["SIGHUP", "SIGCONT", "SIGTERM"] as const) signalGroups(groups, name);
  let lookMs = lookMsMin;
  while (groups.length > 0 && performance.now() < deadline) {
    await wait(Math.min(lookMs, Math.max(1, deadline - performance.now())));
    lookMs = Math.min(lookMs * 1.5, lookMsMax);
    groups = liveGroups(leader, options);
  }
  for (let round = 0; groups.length > 0 && round < killRoundsMax; round++) {
    signalGroups(groups, "SIGKILL");
    await wait(lookMsMin);
    groups = liveGroups(leader, options);
  }
}

/** True between the fork of the leader and its `setsid`: it is alive, and its session is not there yet. */
function isStarting(leader: number, options: EndSessionOptions): boolean {
  if (process.platform !== "linux" || options.leaderIsReaped()) return false;
  const stat = readLivingStat(leader);
  return stat !== undefined && stat.session !== leader;
}

/** Whole groups, because the kernel signals one at once: nobody forks out of it in between, and nobody gets a signal twice. */
function signalGroups(groups: readonly number[], name: NodeJS.Signals): void {
  for (const group of groups) {
    try {
      process.kill(-group, name);
    } catch (error) {
      // Gone meanwhile, or running as another user (su): nothing that we could do about either.
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ESRCH" && code !== "EPERM") throw error;
    }
  }
}

/** The process groups of the session that still have a living process. */
function liveGroups(leader: number, options: EndSessionOptions): readonly number[] {
  if (process.platform === "linux") {
    const groups = liveGroupsBySession().get(leader);
    if (groups !== undefined || options.leaderIsReaped()) return groups ?? [];
    // A look that another session took before this one began does not know it.
    scan = undefined;
    return liveGroupsBySession().get(leader) ?? [];
  }
  // Elsewhere only the leader's own group is known.
  try {
    process.kill(-leader, 0);
    return [leader];
  } catch {
    return options.leaderIsReaped() ? [] : [leader];
  }
}

/** The kernel sessions that have a living process now. Linux only. */
export function kernelSessions(): ReadonlySet<number> {
  scan = undefined;
  return new Set(liveGroupsBySession().keys());
}

let scan: Map<number, number[]> | undefined;

/** Reads all of /proc, about 15 µs for each process; sessions that end in the same turn of the event loop share one look. */
function liveGroupsBySession(): ReadonlyMap<number, number[]> {
  if (scan !== undefined) return scan;
  scan = new Map();
  for (const name of readdirSync("/proc")) {
    const stat = name >= "1" && name < ":" ? readLivingStat(Number(name)) : undefined;
    if (stat === undefined) continue;
    const groups = scan.get(stat.session) ?? [];
    if (!groups.includes(stat.group)) groups.push(stat.group);
    scan.set(stat.session, groups);
  }
  setImmediate(() => (scan = undefined));
  return scan;
}
