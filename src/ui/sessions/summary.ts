import { limitText } from "../../core/status/limit-text.ts";
import { SIGNAL_KINDS, type UsageLimit } from "../../core/status/status.ts";

const signals: ReadonlySet<string> = new Set(SIGNAL_KINDS);

/** The summary of a status; undefined if it only names a signal, which is shown as evidence. */
export function plainSummary(summary: string): string | undefined {
  const signal = summary.slice(0, Math.max(0, summary.indexOf(":")));
  return summary === "" || signals.has(signal) || summary.startsWith("nothing says") ? undefined : summary;
}

/** A limit of usage in local time, with the day if it is not within 24 hours from now. */
export const limitNow = (limit: UsageLimit): string => limitText(limit, Date.now());
