/** For whom a prompt was accepted. It is typed for nobody else: what was written for an agent is a command to the shell behind it. */
import { isShellProgram } from "../agents/command-line.ts";

/** A process that reads in the foreground of a terminal, as the pty host compares it before it types. */
export interface ForegroundReader {
  /** Its process group. */
  readonly group: number;
  /** Null if nobody was seen reading and the leader of the group has ended: the group decides. */
  readonly pid: number | null;
  /** When it was started, in clock ticks since the start of the machine. */
  readonly startTicks: number | null;
  /** Changes with each `exec`; null if the kernel does not show it. */
  readonly image: number | null;
}

/** A program as it was seen in the foreground of a terminal. */
export interface PromptTarget {
  /** Null at a shell and in an unknown program. */
  readonly agent: string | null;
  /** Counts the agents that ran in the session. */
  readonly run: number;
  /** Name of the process that leads the group; null if it is not known. */
  readonly program: string | null;
  /** The process group; null if it is not known whether it belongs to the agent. */
  readonly group: number | null;
  /** When the leader of the group was started, in clock ticks since the start of the machine; null if that is not known. */
  readonly startTicks: number | null;
  /** Of the leader, once somebody in its group was seen reading: changes with each `exec`. */
  readonly image?: number | null;
  /** The process that was seen reading, if it is no agent: those read in any of their processes. */
  readonly pid?: number | null;
}

/**
 * Whether `now` is the program that the prompt was accepted for.
 *
 * @example
 * ```ts
 * const claude = { agent: "claude", run: 1, program: "claude", group: 7, startTicks: 100 };
 * isTarget(claude, { agent: null, run: 1, program: "bash", group: 5, startTicks: 90 }); // false
 * ```
 */
export function isTarget(wanted: PromptTarget, now: PromptTarget): boolean {
  const isKnown = wanted.group !== null;
  if (isKnown && wanted.group !== now.group) return false;
  if (isKnown && (["startTicks", "image", "pid"] as const).some((fact) => differs(wanted[fact], now[fact])))
    return false;
  if (wanted.agent !== null) return wanted.agent === now.agent && wanted.run === now.run;
  // An agent may be recognized only after it has started.
  return now.agent === null || (isKnown && !isShellProgram(wanted.program ?? ""));
}

const differs = (one: number | null = null, two: number | null = null): boolean =>
  one !== null && two !== null && one !== two;

/** Why a prompt is not typed. `hasEnded`: no process of the targets is left; null if that is not known. */
export function missedReason(
  targets: readonly PromptTarget[],
  { hasEnded }: { readonly hasEnded: boolean | null },
): string {
  const names = targets.map(({ agent, program }) => agent ?? program ?? "another program");
  const left = hasEnded === null ? "which has ended or left the foreground" : "which is not in the foreground any more";
  const why = hasEnded === true ? "which has ended" : left;
  return `it was meant for ${[...new Set(names)].join(" or ")}, ${why}`;
}
