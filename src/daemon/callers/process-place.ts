/**
 * Is a process inside a session? The kernel is asked first: ancestors, then kernel sessions, which survive the end of the parent. What left
 * both (a daemon) still has the environment that it was started with. Whatever cannot be read counts as inside.
 */
import type { ProcStat } from "../../pty/proc-files.ts";
import type { InsideOrigin } from "../service.ts";

/** A longer chain of ancestors is not followed to its end, and so proves nothing. */
const ANCESTORS_MAX = 1024;
/** A process in the chain may end while it is read. */
const WALKS_MAX = 5;

/** What is read from `/proc`. */
export interface ProcessFacts {
  /** Undefined for a process that has ended or that is hidden. */
  stat(pid: number): ProcStat | undefined;
  /** Undefined if it cannot be read. */
  environment(pid: number): readonly string[] | undefined;
  /** The command line; undefined if it cannot be read, and empty for a process that has ended. */
  arguments(pid: number): readonly string[] | undefined;
}

/** By what the processes of a daemon's sessions are recognised. */
export interface SessionMarks {
  /** The session whose program is this very process. */
  ledBy(pid: number, startTicks: number): string | undefined;
  /** The session whose program leads this session of the kernel. */
  ofKernelSession(leader: number): string | undefined;
  isHost(pid: number): boolean;
  /** The session that an environment names; null for one that the daemon does not know any more. */
  namedIn(environment: readonly string[]): string | null | undefined;
}

interface ChainedProcess {
  readonly pid: number;
  readonly stat: ProcStat;
}

/** A process that is inside. */
export interface InsidePlace extends Pick<InsideOrigin, "session" | "evidence"> {
  /** Command lines of the process and its ancestors, up to the leader of the session if that is among them. */
  readonly commands: readonly (readonly string[])[];
}

/** Undefined for a process outside all sessions. */
export function placeOf(pid: number, facts: ProcessFacts, marks: SessionMarks): InsidePlace | undefined {
  const chain = chainOf(pid, facts);
  if (chain === undefined) return { session: null, evidence: "unreadable", commands: [] };
  const pids = chain.map((process) => process.pid);
  for (const [index, process] of chain.entries()) {
    const session = marks.ledBy(process.pid, process.stat.startTicks);
    if (session === undefined) continue;
    const commands = commandsOf(pids.slice(0, index + 1), facts);
    // An ancestor that has just ended may have been anything.
    const isWhole = commands.every(({ length }) => length > 0);
    return { session, evidence: isWhole ? "ancestor" : "unreadable", commands };
  }
  const commands = commandsOf(pids, facts);
  for (const { stat } of chain) {
    const session = marks.ofKernelSession(stat.session);
    if (session !== undefined) return { session, evidence: "kernel-session", commands };
  }
  for (const each of pids) {
    const environment = facts.environment(each);
    // That of an ancestor may belong to another user, as that of a login does.
    if (environment === undefined && each === pid) return { session: null, evidence: "unreadable", commands };
    const session = marks.namedIn(environment ?? []);
    if (session !== undefined) return { session, evidence: "environment", commands };
  }
  return pids.some((each) => marks.isHost(each)) ? { session: null, evidence: "pty-host", commands } : undefined;
}

const commandsOf = (pids: readonly number[], facts: ProcessFacts): (readonly string[])[] =>
  pids.map((pid) => facts.arguments(pid) ?? []);

/** The process and its ancestors; undefined if the process has ended, or if the chain cannot be followed. */
function chainOf(pid: number, facts: ProcessFacts): ChainedProcess[] | undefined {
  for (let walk = 0; walk < WALKS_MAX; walk++) {
    const chain: ChainedProcess[] = [];
    let next = pid;
    while (next > 0 && chain.length < ANCESTORS_MAX) {
      const stat = facts.stat(next);
      // A parent is never younger than its child: then its number belongs to another process by now.
      if (stat === undefined || stat.startTicks > (chain.at(-1)?.stat.startTicks ?? Infinity)) break;
      chain.push({ pid: next, stat });
      next = stat.parent;
    }
    const last = chain.at(-1);
    if (last === undefined || isDead(chain[0]) || chain.length >= ANCESTORS_MAX) return undefined;
    if (next <= 0) return chain;
    // A parent that stays out of sight belongs to another user, on a system that hides those.
    if (facts.stat(next) === undefined && facts.stat(last.pid)?.parent === next) return chain;
  }
  return undefined;
}

const isDead = (process: ChainedProcess | undefined): boolean =>
  process?.stat.state === "Z" || process?.stat.state === "X";
