import { SIGNAL_KINDS } from "../../core/status/status.ts";

const signals: ReadonlySet<string> = new Set(SIGNAL_KINDS);

/** The summary of a status; undefined if it only names a signal, which is shown as evidence. */
export function plainSummary(summary: string): string | undefined {
  const signal = summary.slice(0, Math.max(0, summary.indexOf(":")));
  return summary === "" || signals.has(signal) || summary.startsWith("nothing says") ? undefined : summary;
}
