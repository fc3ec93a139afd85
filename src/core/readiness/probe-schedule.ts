import { awaitsInput, type ForegroundVerdict } from "../records.ts";
import { readinessTimes as times } from "./times.ts";

/** When to probe a foreground. Times in milliseconds. */
export interface ProbeSchedule {
  readonly movedAtMs: number;
  readonly probedAtMs: number;
  /** Between two probes while something moves: doubled with each probe that saw a movement. */
  readonly spreadMs: number;
  readonly waitMs: number;
  /** When the next probe is due; undefined if there is nothing to wait for. */
  readonly dueMs: number | undefined;
}

export const idleSchedule: ProbeSchedule = {
  movedAtMs: Number.NEGATIVE_INFINITY,
  probedAtMs: Number.NEGATIVE_INFINITY,
  spreadMs: times.nextProbe.ms,
  waitMs: times.nextProbe.ms,
  dueMs: undefined,
};

/**
 * Something was written or read. After a movement probes follow after 1, 2, 4, ... up to 250 ms, and after a minute every ten
 * seconds. A program that waits for a person is left alone after 250 ms. A flood is probed 62 times a second.
 */
export function afterMovement(before: ProbeSchedule, nowMs: number): ProbeSchedule {
  const soonMs = Math.max(nowMs + times.nextProbe.ms, before.probedAtMs + before.spreadMs);
  const dueMs = Math.min(soonMs, before.dueMs ?? Number.POSITIVE_INFINITY);
  return { ...before, movedAtMs: nowMs, waitMs: times.nextProbe.ms, dueMs };
}

export function afterProbe(before: ProbeSchedule, verdict: ForegroundVerdict, nowMs: number): ProbeSchedule {
  const hasMoved = before.movedAtMs > before.probedAtMs;
  const spreadMs = hasMoved ? Math.min(before.spreadMs * 2, times.flood.ms) : times.nextProbe.ms;
  const quietMs = nowMs - before.movedAtMs;
  const isResting = quietMs >= times.rest.ms;
  const waitMs = isResting ? times.restingProbe.ms : Math.min(before.waitMs * 2, times.probe.ms);
  const isOver = verdict === "not-available" || (awaitsInput(verdict) && quietMs >= times.probe.ms);
  const dueMs = isOver ? undefined : nowMs + Math.max(waitMs, spreadMs);
  return { ...before, probedAtMs: nowMs, spreadMs, waitMs, dueMs };
}
