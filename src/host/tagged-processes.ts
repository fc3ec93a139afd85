/**
 * Ends processes of a session that left its process group and kernel session (agents leave daemons behind): they still have
 * the session's id in their environment. Linux only: elsewhere they cannot be found, and nothing is done.
 */
import { readdirSync } from "node:fs";
import { environmentOf } from "../pty/proc-files.ts";

/** The variable that every program of a session inherits. */
export const SESSION_VARIABLE = "LECTERN_SESSION";

const ROUNDS_MAX = 20;
const ROUND_PAUSE_MS = 10;

/** Kills processes with the session's id, repeatedly, because they may fork meanwhile. */
export async function endTaggedProcesses(session: string): Promise<void> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const pids = taggedProcesses(session);
    if (pids.length === 0) return;
    for (const pid of pids) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended by itself in between.
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
    .filter((pid) => pid !== process.pid && environmentOf(pid)?.includes(tag));
}
