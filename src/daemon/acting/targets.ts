/** Who is in the foreground of a session, by the kernel: from acceptance to the first byte a prompt has the same target. */
import type { Reader } from "../../core/acting/draft.ts";
import { isTarget, missedReason, targetOf, type PromptTarget } from "../../core/acting/target.ts";
import { readLivingStat, readStat } from "../../pty/proc-files.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";

type Group = Pick<PromptTarget, "program" | "group" | "startTicks">;

/**
 * For whom a prompt is accepted while this program is in the foreground. If it has not read yet, it may be a command after which the one
 * that read before goes on. Empty if nobody has read yet.
 */
export function targetsOf(entry: SessionEntry, reader: Reader): PromptTarget[] {
  const now = targetNow(entry, reader);
  if (reader.agent !== null) return [now];
  if (now.group === null) return [];
  // The marks of a shell come before the kernel is asked.
  if (reader.lastPid === null) return entry.status?.state === "waiting" ? [now] : [];
  const group = readLivingStat(reader.lastPid)?.group;
  const last = group === undefined ? null : groupOf(group);
  if (last === null || last.group === now.group) return [now];
  return [now, targetOf(reader, last)];
}

/** Whether the program in the foreground is one of the targets. Without targets, every program is. */
export function isMeantFor(entry: SessionEntry, targets: readonly PromptTarget[], reader: Reader): boolean {
  if (targets.length === 0) return true;
  const now = targetNow(entry, reader);
  return targets.some((each) => isTarget(each, now));
}

export function whyMissed(targets: readonly PromptTarget[]): string {
  const isLeft = ({ group, startTicks }: PromptTarget): boolean =>
    group !== null && readLivingStat(group)?.startTicks === startTicks;
  const isUnknown = targets.some(({ group }) => group === null);
  return missedReason(targets, { hasEnded: isUnknown ? null : !targets.some(isLeft) });
}

function targetNow({ leaderPid }: SessionEntry, reader: Reader): PromptTarget {
  const group = leaderPid === null ? undefined : readStat(leaderPid)?.foregroundGroup;
  return targetOf(reader, group === undefined ? null : groupOf(group));
}

function groupOf(group: number): Group | null {
  const stat = readLivingStat(group);
  return stat === undefined ? null : { program: stat.name, group, startTicks: stat.startTicks };
}
