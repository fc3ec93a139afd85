/** Who is in the foreground of a session, by the kernel. Nothing else decides for whom an act is; the pty host compares it when it types. */
import { LecternError } from "../../core/errors.ts";
import { isShellProgram } from "../../core/agents/command-line.ts";
import type { Reader } from "../../core/acting/draft.ts";
import { isTarget, missedReason, type ForegroundReader, type PromptTarget } from "../../core/acting/target.ts";
import { runsScript } from "../../core/events/shell-arguments.ts";
import type { Written } from "../../host/messages.ts";
import { argumentsOf, readLivingStat, readStat } from "../../pty/proc-files.ts";
import { processIn } from "../../pty/reading-process.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";

/** Who reads now. */
export interface ReadingNow {
  /** False if it is none of the targets, or not whom the views saw. Without targets, everybody whom they saw is meant. */
  readonly isMeant: boolean;
  /** For the pty host; undefined where the kernel does not tell. */
  readonly reads: ForegroundReader | undefined;
}

/**
 * For whom a prompt is accepted while this program is in the foreground. If it has not read yet, it may be a command after which the one
 * that read before goes on. Empty if nobody has read yet.
 */
export function targetsOf(entry: SessionEntry, reader: Reader): PromptTarget[] {
  const group = foregroundGroup(entry);
  const now = targetIn(group, reader).target;
  // A shell is about to start the agent.
  if (reader.agent !== null) return [now.agent === null ? unknownTarget(reader) : now];
  if (now.group === null) return [];
  // The marks of a shell come before the kernel is asked.
  if (reader.lastPid === null) return entry.status?.state === "waiting" ? [now] : [];
  const last = readLivingStat(reader.lastPid)?.group;
  return last === undefined || last === group ? [now] : [now, targetIn(last, reader).target];
}

/** The program in the foreground, and whether it is one of the targets. */
export function readingNow(
  entry: Pick<SessionEntry, "leaderPid">,
  reader: Reader,
  targets: readonly PromptTarget[] = [],
): ReadingNow {
  const { target, reads } = targetIn(foregroundGroup(entry), reader);
  const isSeen =
    target.agent === reader.agent && (reader.pid === null || reads === undefined || reads.pid === reader.pid);
  return { isMeant: isSeen && (targets.length === 0 || targets.some((each) => isTarget(each, target))), reads };
}

/** Types for this reader alone; null if another program is in the foreground, and then nothing was typed. */
export async function typeFor(
  reader: ForegroundReader | undefined,
  entry: SessionEntry,
  bytes: Uint8Array,
  key?: string,
): Promise<Written | null> {
  try {
    return await entry.input(bytes, { key, reader });
  } catch (error) {
    if (error instanceof LecternError && error.details["foreground"] !== undefined) return null;
    throw error;
  }
}

export function whyMissed(targets: readonly PromptTarget[]): string {
  const isLeft = ({ group, startTicks }: PromptTarget): boolean =>
    group !== null && readLivingStat(group)?.startTicks === startTicks;
  const isUnknown = targets.some(({ group }) => group === null);
  return missedReason(targets, { hasEnded: isUnknown ? null : !targets.some(isLeft) });
}

function foregroundGroup({ leaderPid }: Pick<SessionEntry, "leaderPid">): number | null {
  const group = leaderPid === null ? undefined : readStat(leaderPid)?.foregroundGroup;
  return group === undefined || group <= 0 ? null : group;
}

const unknownTarget = ({ agent, run }: Pick<Reader, "agent" | "run">): PromptTarget => ({
  agent,
  run,
  program: null,
  group: null,
  startTicks: null,
});

function targetIn(
  group: number | null,
  reader: Reader,
): { readonly target: PromptTarget; readonly reads: ForegroundReader | undefined } {
  if (group === null) return { target: unknownTarget(reader), reads: undefined };
  const { run, pid, lastPid } = reader;
  const leader = processIn(group, group);
  const seen = processIn(group, pid) ?? processIn(group, lastPid);
  const first = seen ?? leader;
  if (first === undefined)
    return { target: unknownTarget(reader), reads: { group, pid: null, startTicks: null, image: null } };
  const { program, ...reads } = first;
  // The views see a moment later that an agent has left the foreground to the shell that started it.
  const isShell =
    lastPid !== null && reads.pid === group && isShellProgram(program) && !runsScript(argumentsOf(group) ?? []);
  const agent = isShell ? null : reader.agent;
  const target = {
    agent,
    run,
    program: leader?.program ?? program,
    group,
    startTicks: leader?.startTicks ?? null,
    // One that nobody has seen reading may be a wrapper that becomes the agent, and an agent reads in any of its processes.
    image: agent === null || seen !== undefined ? (leader?.image ?? null) : null,
    pid: agent === null ? pid : null,
  };
  return { target, reads };
}
