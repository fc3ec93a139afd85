/**
 * Processes of a session that left its process group and its session (agents leave daemons behind): they still carry
 * the session's id in their environment. Linux only: elsewhere there is no way to look, and nothing is done.
 */
import { readdirSync, readFileSync } from "node:fs";

/** The variable that every program of a session inherits. */
export const SESSION_VARIABLE = "LECTERN_SESSION";

const ROUNDS_MAX = 20;
const ROUND_PAUSE_MS = 10;

/** Kills what still carries the session's id, again until nothing new was forked meanwhile. */
export async function endTaggedProcesses(session: string): Promise<void> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const pids = taggedProcesses(session);
    if (pids.length === 0) return;
    for (const pid of pids) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended by itself between the look and the signal.
      }
    }
    await new Promise((resolve) => setTimeout(resolve, ROUND_PAUSE_MS));
  }
}

function taggedProcesses(session: string): number[] {
  if (process.platform !== "linux") return [];
  const tag = `${SESSION_VARIABLE}=${session}`;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && environmentOf(pid).includes(tag));
}

/** Empty for a process of another user and for one that is gone or a zombie. */
function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
  } catch {
    return [];
  }
}
