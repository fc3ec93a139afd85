/** Times as people write them on the command line: `14:00`, `+2h`, `in 2h`, ISO 8601. */
import { parseDuration } from "../core/text/quantities.ts";

const CLOCK = /^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/;
const SPAN = /^(?:\+|in\s+)\s*(\S+)$/;
/** Without a zone it is local. */
const DATE_TIME =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[T ]([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?(?:Z|[+-][01]\d:?[0-5]\d)?$/i;

/** Milliseconds since the Unix epoch; undefined if it is not a time. A time of day is the next one after `nowMs`, in the local zone. */
export function parseDueTime(text: string, nowMs: number): number | undefined {
  const written = text.trim();
  const span = SPAN.exec(written)?.[1];
  if (span !== undefined) {
    const ms = parseDuration(span);
    return ms === undefined ? undefined : nowMs + ms;
  }
  const clock = CLOCK.exec(written);
  if (clock !== null) {
    const [, hour, minute, second = 0] = clock.map(Number);
    const time = new Date(nowMs);
    const set = (): number => time.setHours(hour ?? 0, minute, Number.isNaN(second) ? 0 : second, 0);
    if (set() > nowMs) return time.getTime();
    time.setDate(time.getDate() + 1);
    return set();
  }
  const date = DATE_TIME.exec(written);
  if (date === null) return undefined;
  const [year, month, day] = date.slice(1, 4).map(Number) as [number, number, number];
  // Without this check the 30th of February would be a day of March.
  if (day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return undefined;
  const ms = Date.parse(written.replace(" ", "T"));
  return Number.isNaN(ms) ? undefined : ms;
}
