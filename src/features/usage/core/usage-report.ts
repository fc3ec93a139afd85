/** Totals of what sessions used, by one of their properties. */
import { addSums, noSum, type UsageHour, type UsageSum } from "../../../core/usage/usage-hours.ts";

export const USAGE_BY = ["session", "agent", "model", "day", "label"] as const;
export type UsageBy = (typeof USAGE_BY)[number];

/** One hour of a session, with what the session is. */
export interface SessionHour extends UsageHour {
  readonly session: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface UsageRow extends UsageSum {
  /** The id of a session, a date, or a name; null for what has no such property. */
  readonly key: string | null;
  /** Of a session its name, else the key. */
  readonly name: string | null;
}

export interface UsageReport {
  /** Days in their order, others by cost and tokens, the most first. */
  readonly rows: readonly UsageRow[];
  readonly total: UsageSum;
}

export interface UsageReportOptions {
  readonly by: UsageBy;
  /** Of `by: "label"`. */
  readonly label?: string | undefined;
  /** Of `by: "day"`: the name of a time zone. Throws a `RangeError` for an unknown one. */
  readonly timeZone: string;
}

/**
 * `usageReport(hours, { by: "day", timeZone: "Europe/Berlin" }).rows; // [{ key: "2026-11-26", costUsd: 1.5, ... }]`
 */
export function usageReport(hours: Iterable<SessionHour>, options: UsageReportOptions): UsageReport {
  const keyOf = keysBy(options);
  const rows = new Map<string | null, UsageRow>();
  let total = noSum;
  for (const hour of hours) {
    const key = keyOf(hour);
    const name = options.by === "session" ? hour.name : key;
    rows.set(key, { ...addSums(rows.get(key) ?? noSum, hour), key, name });
    total = addSums(total, hour);
  }
  const order = options.by === "day" ? byKey : byCost;
  return { rows: [...rows.values()].toSorted(order), total };
}

function keysBy({ by, label = "", timeZone }: UsageReportOptions): (hour: SessionHour) => string | null {
  switch (by) {
    case "session":
      return ({ session }) => session;
    case "agent":
      return ({ agent }) => agent;
    case "model":
      return ({ model }) => model;
    case "label":
      return ({ labels }) => (Object.hasOwn(labels, label) ? (labels[label] ?? null) : null);
    case "day": {
      // Year, month and day as ISO 8601 has them.
      const date = new Intl.DateTimeFormat("sv-SE", { timeZone });
      return ({ hourUs }) => date.format(hourUs / 1000);
    }
  }
}

const byKey = (one: UsageRow, other: UsageRow): number => ((one.key ?? "") < (other.key ?? "") ? -1 : 1);

const byCost = (one: UsageRow, other: UsageRow): number =>
  other.costUsd - one.costUsd || other.input + other.output - one.input - one.output || byKey(one, other);
