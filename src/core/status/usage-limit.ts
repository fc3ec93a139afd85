/** A limit of usage as a part of the status: it holds until its time, until an answer comes, or until its notice is gone. */
import type { Observation } from "../observe/observation.ts";
import type { LimitNotice } from "../observe/limit-notice.ts";
import type { StatusState, UsageLimit } from "./status.ts";

/** The last notice; it stays while it is on the screen, also when its time is over. */
export type LimitState = LimitNotice | null;

export function limitAfter(before: LimitState, { hasAgentChanged, limit, cause }: Observation): LimitState {
  if (cause.type === "exit") return null;
  const held = hasAgentChanged ? null : before;
  if (limit === undefined) return held;
  // The screen of an agent that reports its limit on the wire may never show it.
  if (limit === null) return cause.type === "frame" && held?.source === "wire" ? held : null;
  if (held === null) return limit;
  // The same notice, read again: its time without a day must not become that of the next one.
  if (held.text === limit.text && held.source === limit.source) return held;
  // The server says it exactly.
  return held.source === "wire" && limit.source === "screen" && held.untilUs !== null ? held : limit;
}

/** When the clock alone ends it. */
export const limitWakeUs = (limit: LimitState): number | null => limit?.untilUs ?? null;

const resting: ReadonlySet<StatusState> = new Set(["waiting", "blocked", "idle", "unknown"]);

/** Null if there is none now. An agent that works has no limit, or waits for its end by itself. */
export function currentLimit(limit: LimitState, state: StatusState, timeUs: number): UsageLimit | null {
  if (limit === null || !resting.has(state)) return null;
  const { text, untilUs } = limit;
  return untilUs !== null && untilUs <= timeUs ? null : { untilUs, text };
}

/** In UTC: whoever shows it to a person has `untilUs` for the local time. */
export function limitSummary({ untilUs }: UsageLimit, nowUs: number): string {
  if (untilUs === null) return "usage limit, end unknown";
  const time = new Date(untilUs / 1000).toISOString();
  const clock = `${time.slice(11, 16)} UTC`;
  return `limit until ${untilUs - nowUs < 24 * 3600 * 1e6 ? clock : `${time.slice(0, 10)} ${clock}`}`;
}
