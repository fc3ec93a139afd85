/**
 * Finds and ends processes of a session that left its process group and kernel session (agents leave daemons behind), or that ignore the
 * hang-up at its end: they still have the session's id in their environment. Linux only: elsewhere they cannot be found, and nothing is done.
 */
import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { waits } from "../core/waits.ts";
import { environmentOf, isBecomingProgram } from "../pty/proc-files.ts";
import { EVENT_SOCKET_VARIABLE } from "./socket-path.ts";
import { platform, procPath } from "../pty/platform.ts";

/** The variable that every program of a session inherits. */
export const SESSION_VARIABLE = "LECTERN_SESSION";

const SOCKET_TAG = `${EVENT_SOCKET_VARIABLE}=`;
const TAG = `${SESSION_VARIABLE}=`;
const ROUNDS_MAX = 20;
const ROUND_PAUSE_MS = 10;

/** Kills processes with the session's id, repeatedly, because they may fork meanwhile. */
export async function endTaggedProcesses(session: string, runtime?: RuntimeDirectory): Promise<void> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const { bySession, isPartial } = taggedProcesses(runtime);
    const pids = bySession.get(session) ?? [];
    if (pids.length === 0 && !isPartial) return;
    signalAll(pids, "SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, ROUND_PAUSE_MS));
  }
}

/**
 * The same for what an ended session of this data directory has left behind, with time to end on its own. False if there is nothing. In a copy of
 * the directory it has the same id, and may run in the original.
 */
export async function endLeftovers(session: string, runtime: RuntimeDirectory, graceMs: number): Promise<boolean> {
  const pids = taggedProcesses(runtime).bySession.get(session);
  if (pids === undefined) return false;
  // SIGCONT, because a stopped process does not handle SIGTERM before it continues.
  for (const name of ["SIGCONT", "SIGTERM"] as const) signalAll(pids, name);
  const deadline = performance.now() + graceMs;
  while (performance.now() < deadline && taggedProcesses(runtime).bySession.has(session)) {
    await new Promise((resolve) => setTimeout(resolve, waits.pollMs));
  }
  await endTaggedProcesses(session, runtime);
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

function isElsewhere(environment: readonly string[], { runtimeDirectory }: RuntimeDirectory): boolean {
  const socket = environment.findLast((each) => each.startsWith(SOCKET_TAG))?.slice(SOCKET_TAG.length);
  return socket !== undefined && dirname(socket) !== runtimeDirectory;
}

interface TaggedProcesses {
  readonly bySession: ReadonlyMap<string, readonly number[]>;
  /** A process was becoming another program, and could not be read. */
  readonly isPartial: boolean;
}

interface RuntimeDirectory {
  readonly runtimeDirectory: string;
}

/**
 * Processes by the session in their environment, without this one. With `runtime`, also without those whose event socket is elsewhere. Reads all of
 * `/proc`.
 */
export function taggedProcesses(runtime?: RuntimeDirectory): TaggedProcesses {
  const bySession = new Map<string, number[]>();
  let isPartial = false;
  if (!platform.hasProc) return { bySession, isPartial };
  for (const name of readdirSync(procPath(""))) {
    const pid = /^\d+$/.test(name) ? Number(name) : process.pid;
    if (pid === process.pid) continue;
    const environment = environmentOf(pid);
    const entry = environment?.findLast((each) => each.startsWith(TAG));
    isPartial ||= environment === undefined && isBecomingProgram(pid);
    if (environment === undefined || entry === undefined) continue;
    if (runtime !== undefined && isElsewhere(environment, runtime)) continue;
    const session = entry.slice(TAG.length);
    bySession.set(session, [...(bySession.get(session) ?? []), pid]);
  }
  return { bySession, isPartial };
}
