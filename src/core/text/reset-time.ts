/**
 * When a limit ends, in the words of an agent or a server: "3pm (Europe/Berlin)", "Nov 30, 3:45pm", "in 2 hours 5 minutes".
 * A time without a day is the next one. What is not certain, such as the abbreviation of a zone, is not guessed: null.
 */

const US_PER_MINUTE = 60_000_000;
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
/** A limit that ends later is a misreading. */
const DAYS_MAX = 400;
const TEXT_CHARS_MAX = 200;

interface WallTime {
  readonly year: number;
  /** From 0. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

/**
 * Microseconds since the Unix epoch; null if the text names no time that is certain. `timeZone` is that of the program which wrote it, for
 * times without a zone; null if it is not known.
 */
export function resetTime(
  text: string,
  { nowUs, timeZone }: { readonly nowUs: number; readonly timeZone: string | null },
): number | null {
  const words = text.slice(0, TEXT_CHARS_MAX).trim();
  const time = isoTime(words) ?? relativeTime(words, nowUs) ?? wallTime(words, nowUs, timeZone);
  return time === null || time < nowUs || time > nowUs + DAYS_MAX * 24 * 60 * US_PER_MINUTE ? null : time;
}

function isoTime(text: string): number | null {
  const match = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d)/.exec(text);
  const time = match === null ? Number.NaN : Date.parse(match[0]);
  return Number.isNaN(time) ? null : time * 1000;
}

/** "2 days 3 hours 12 minutes", "4h 5m". */
function relativeTime(text: string, nowUs: number): number | null {
  const match =
    /^(?:in )?(?:(\d{1,3}) ?d(?:ays?)?[ ,]*)?(?:(\d{1,3}) ?h(?:ours?|rs?)?[ ,]*)?(?:(\d{1,4}) ?m(?:in(?:ute)?s?)?[ ,]*)?(?:(\d{1,6}) ?s(?:ec(?:ond)?s?)?)?\.?$/i.exec(
      text,
    );
  if (match === null) return null;
  const [days, hours, minutes, seconds] = match.slice(1);
  if ([days, hours, minutes, seconds].every((part) => part === undefined)) return null;
  const of = (part: string | undefined): number => Number(part ?? 0);
  return nowUs + Math.round(((of(days) * 24 + of(hours)) * 60 + of(minutes) + of(seconds) / 60) * US_PER_MINUTE);
}

function wallTime(text: string, nowUs: number, timeZone: string | null): number | null {
  const zone = zoneOf(text, timeZone);
  const clock = clockOf(text);
  if (zone === null || clock === null) return null;
  const now = wallTimeAt(nowUs, zone);
  const day = dayOf(text, now);
  if (day === null) return null;
  const given = { ...now, ...clock, ...day };
  const time = timeOf(given, zone);
  if (time >= nowUs) return time;
  // Today's has passed, and the year was left out.
  if ("month" in day) return "year" in day ? null : timeOf({ ...given, year: given.year + 1 }, zone);
  return timeOf({ ...given, day: given.day + ("weekday" in day ? 7 : 1) }, zone);
}

/** "(Europe/Berlin)", "UTC", or none, which is that of the program. Null for one that is not certain. */
function zoneOf(text: string, timeZone: string | null): string | null {
  const [, named] = /\(([A-Za-z_]+(?:\/[A-Za-z_+-]+\d{0,2}){1,2}|UTC|GMT)\)/.exec(text) ?? [];
  const zone = named ?? (/\b(?:UTC|GMT)\b(?![+-]?\d)/.test(text) ? "UTC" : null);
  if (zone !== null) return isZone(zone) ? zone : null;
  // Three letters such as PST or IST mean several zones.
  if (/\b[A-Z]{2,4}T\b/.test(text) || /\b(?:UTC|GMT)[+-]\d/.test(text) || timeZone === null) return null;
  return isZone(timeZone) ? timeZone : null;
}

function isZone(timeZone: string): boolean {
  try {
    return Intl.DateTimeFormat("en", { timeZone }) !== undefined;
  } catch {
    return false;
  }
}

function clockOf(text: string): Pick<WallTime, "hour" | "minute"> | null {
  const [, hours = "", minutes = "0", half] =
    /(?:^|[\s,])(\d{1,2})(?::(\d\d))?\s?([ap]\.?m\b\.?)/i.exec(text) ??
    /(?:^|[\s,])(\d{1,2}):(\d\d)\b/.exec(text) ??
    [];
  if (hours === "") return /\bmidnight\b/i.test(text) ? { hour: 0, minute: 0 } : null;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (/^p/i.test(half) ? 12 : 0);
  if (hour > 23 || Number(minutes) > 59 || (half !== undefined && Number(hours) > 12)) return null;
  return { hour, minute: Number(minutes) };
}

type Day = Partial<Pick<WallTime, "year" | "month">> & { readonly day?: number; readonly weekday?: number };

/** Empty without a day; null for words that are none. */
function dayOf(text: string, now: WallTime): Day | null {
  const [, before = "", date = ""] =
    /\b([a-z]{3})[a-z]* (\d{1,2})(?:st|nd|rd|th)?\b(?!:|\s?[ap]\.?m)/i.exec(text) ?? [];
  const month = MONTHS.indexOf(before.toLowerCase());
  if (month >= 0) {
    const [, year] = /\b(20\d\d)\b/.exec(text) ?? [];
    const day = Number(date);
    if (day < 1 || day > 31) return null;
    return { month, day, ...(year !== undefined && { year: Number(year) }) };
  }
  const weekday = WEEKDAYS.findIndex((name) => new RegExp(`\\b${name}(?:\\b|[a-z]*day\\b)`, "i").test(text));
  if (weekday >= 0) {
    const today = new Date(Date.UTC(now.year, now.month, now.day)).getUTCDay();
    return { day: now.day + ((weekday - today + 7) % 7), weekday };
  }
  return /\btomorrow\b/i.test(text) ? { day: now.day + 1 } : {};
}

function wallTimeAt(timeUs: number, timeZone: string): WallTime {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  }).formatToParts(timeUs / 1000);
  const of = (type: string): number => Number(parts.find((part) => part.type === type)?.value ?? 0);
  return { year: of("year"), month: of("month") - 1, day: of("day"), hour: of("hour"), minute: of("minute") };
}

/** The offset of the zone at that time, found in two steps, so that it is also right near a change of the clock. */
function timeOf({ year, month, day, hour, minute }: WallTime, timeZone: string): number {
  const wanted = Date.UTC(year, month, day, hour, minute);
  const offsetAt = (timeMs: number): number => {
    const at = wallTimeAt(timeMs * 1000, timeZone);
    return Date.UTC(at.year, at.month, at.day, at.hour, at.minute) - Math.floor(timeMs / 60_000) * 60_000;
  };
  const first = wanted - offsetAt(wanted);
  return (wanted - offsetAt(first)) * 1000;
}
