import type { UsageLimit } from "./status.ts";

/** A minute less than a day: what has the same hour and minute as now needs its day. */
const CLOCK_MS_MAX = (24 * 60 - 1) * 60 * 1000;

/** `limit until 14:00` in local time, with the day if it is not within 24 hours. */
export const limitText = ({ untilUs }: UsageLimit, nowMs: number): string =>
  untilUs === null ? "usage limit, end unknown" : `limit until ${localTime(untilUs / 1000, nowMs)}`;

/** `14:00`, or `2026-11-27 14:00` if that is not within 24 hours. */
export function localTime(timeMs: number, nowMs: number): string {
  const time = new Date(timeMs);
  const two = (value: number): string => String(value).padStart(2, "0");
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}`;
  if (Math.abs(timeMs - nowMs) < CLOCK_MS_MAX) return clock;
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${clock}`;
}
