/** For whom a prompt was accepted. It is typed for nobody else: what was written for an agent is a command to the shell behind it. */
import { isShellProgram } from "../agents/command-line.ts";

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
}

/** A shell leads the group of what it starts without job control, and of what it is about to start: the group shows nothing about an agent. */
export function targetOf(
  { agent, run }: Pick<PromptTarget, "agent" | "run">,
  leader: Pick<PromptTarget, "program" | "group" | "startTicks"> | null,
): PromptTarget {
  const isShown = leader !== null && !(agent !== null && isShellProgram(leader.program ?? ""));
  return { agent, run, ...(isShown ? leader : { program: null, group: null, startTicks: null }) };
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
  const areKnown = wanted.group !== null && now.group !== null;
  const isSameGroup =
    wanted.group === now.group && (wanted.startTicks ?? now.startTicks) === (now.startTicks ?? wanted.startTicks);
  if (areKnown && (!isSameGroup || isReplaced(wanted.program, now.program))) return false;
  if (wanted.agent !== null) return wanted.agent === now.agent && wanted.run === now.run;
  // An agent may be recognized only after it has started.
  return now.agent === null || (areKnown && !isShellProgram(wanted.program ?? ""));
}

/** `exec` of a shell, or a shell in place of a program. Other programs name themselves. */
const isReplaced = (wanted: string | null, now: string | null): boolean =>
  wanted !== null && now !== null && wanted !== now && (isShellProgram(wanted) || isShellProgram(now));

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
