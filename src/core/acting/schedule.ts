/** Prompts that are typed later: at a time, or when the limit of usage of the session has ended. Pure. */
import type { Receipt } from "./receipt.ts";

/** Prompts of one session that are scheduled at the same time. */
export const SCHEDULED_PER_SESSION_MAX = 32;
/** A prompt is scheduled at most this far ahead. */
export const SCHEDULE_DAYS_MAX = 30;
/** A prompt waits at most so long for the end of a limit of usage; the longest known limits are those of a week. */
export const AFTER_LIMIT_HOURS_MAX = 192;
/** A prompt whose time passed while no daemon ran is typed if it is at most this late. */
export const SCHEDULE_LATE_HOURS_MAX = 12;

const US_PER_HOUR = 3_600_000_000;

/**
 * When a prompt is typed.
 *
 * - `dueUs`: at this time, microseconds since the Unix epoch
 * - `afterLimit`: when the session has no limit of usage any more
 */
export type Schedule = { readonly dueUs: number } | { readonly afterLimit: true };

/** Why a prompt cannot be scheduled for this time, with the next step; null if it can. */
export function dueProblem(dueUs: number, nowUs: number): string | null {
  const time = new Date(dueUs / 1000);
  if (Number.isNaN(time.getTime())) return "the time is not a date; give a time such as 14:00, +2h or ISO 8601";
  if (dueUs <= nowUs) return `${time.toISOString()} is in the past; give a later time, or leave the time out`;
  if (dueUs - nowUs <= SCHEDULE_DAYS_MAX * 24 * US_PER_HOUR) return null;
  return `${time.toISOString()} is more than ${SCHEDULE_DAYS_MAX} days ahead; give an earlier time`;
}

/**
 * - `wait`: it stays scheduled
 * - `due`: it is checked and typed now
 * - `expired`: it is not typed any more; `reason` says why
 */
type ScheduleStep = { readonly step: "wait" | "due" } | { readonly step: "expired"; readonly reason: string };

interface LimitedStatus {
  readonly state: string;
  readonly limit?: { readonly untilUs: number | null };
}

/** What becomes of a scheduled prompt now. `status` is null where it is not known yet. */
export function scheduleStep(
  { dueUs, steps }: Pick<Receipt, "dueUs" | "steps">,
  { nowUs, status }: { readonly nowUs: number; readonly status: LimitedStatus | null },
): ScheduleStep {
  if (dueUs !== undefined) {
    if (nowUs < dueUs) return { step: "wait" };
    if (nowUs - dueUs <= SCHEDULE_LATE_HOURS_MAX * US_PER_HOUR) return { step: "due" };
    const reason = `nothing was typed: no daemon ran at its time, which passed more than ${SCHEDULE_LATE_HOURS_MAX} hours ago`;
    return { step: "expired", reason };
  }
  if (status !== null && isLimitOver(status)) return { step: "due" };
  const sinceUs = steps[0]?.timeUs ?? nowUs;
  if (nowUs - sinceUs < AFTER_LIMIT_HOURS_MAX * US_PER_HOUR) return { step: "wait" };
  return {
    step: "expired",
    reason: `nothing was typed: the limit of usage did not end within ${AFTER_LIMIT_HOURS_MAX} hours`,
  };
}

/** An agent that starts or works shows no limit, and may meet the same one again. */
const isLimitOver = ({ state, limit }: LimitedStatus): boolean =>
  limit === undefined && state !== "working" && state !== "starting";
