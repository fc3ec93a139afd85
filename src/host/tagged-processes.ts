/**
 * Finds and ends processes of a session that left its process group and kernel session (agents leave daemons behind), or that ignore the
 * hang-up at its end: they still have the session's id in their environment. Linux only: elsewhere they cannot be found, and nothing is done.
 */
import { readdirSync } from "node:fs";
import { waits } from "../core/waits.ts";
import { environmentOf } from "../pty/proc-files.ts";

/** The variable that every program of a session inherits. */
export const SESSION_VARIABLE = "LECTERN_SESSION";

const TAG = `${SESSION_VARIABLE}=`;
const ROUNDS_MAX = 20;
const ROUND_PAUSE_MS = 10;

/** Kills processes with the session's id, repeatedly, because they may fork meanwhile. */
export async function endTaggedProcesses(session: string): Promise<void> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const pids = taggedProcesses().get(session) ?? [];
    if (pids.length === 0) return;
    signalAll(pids, "SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, ROUND_PAUSE_MS));
  }
}

/** The same for what an ended session has left behind, with time to end on its own. False if there is nothing. */
export async function endLeftovers(session: string, graceMs: number): Promise<boolean> {
  const pids = taggedProcesses().get(session);
  if (pids === undefined) return false;
  // SIGCONT, because a stopped process does not handle SIGTERM before it continues.
  for (const name of ["SIGCONT", "SIGTERM"] as const) signalAll(pids, name);
  const deadline = performance.now() + graceMs;
  while (performance.now() < deadline && taggedProcesses().has(session)) {
    await new Promise((resolve) => setTimeout(resolve, waits.pollMs));
  }
  await endTaggedProcesses(session);
  return true;
}

function signalAll(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It ended by itself in between.
    }
  }
}

/** Processes by the session in their environment, without this one. Reads all of `/proc`. */
export function taggedProcesses(): ReadonlyMap<string, readonly number[]> {
  const bySession = new Map<string, number[]>();
  if (process.platform !== "linux") return bySession;
  for (const name of readdirSync("/proc")) {
    const pid = /^\d+$/.test(name) ? Number(name) : process.pid;
    if (pid === process.pid) continue;
    const entry = environmentOf(pid)?.findLast((each) => each.startsWith(TAG));
    if (entry === undefined) continue;
    const session = entry.slice(TAG.length);
    bySession.set(session, [...(bySession.get(session) ?? []), pid]);
  }
  return bySession;
}
