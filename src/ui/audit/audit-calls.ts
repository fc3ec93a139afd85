/** Combines the rows of the audit log into calls for the page. Pure. */
import type { OutputOf } from "../../client.ts";
import type { AuditRow } from "../../core/gate/audit-chain.ts";
import { callRecords, resultWords, type CallRecord } from "../../core/gate/call-record.ts";

export type AuditLogRow = OutputOf<"audit.list">["rows"][number];

/** Newest first. Rows of unknown types are ignored. */
export function auditCalls(rows: readonly AuditLogRow[]): CallRecord[] {
  // A row of a later version has fields that the page does not read.
  const records = callRecords(rows.map(({ row }) => row as unknown as AuditRow));
  return records.toSorted((first, second) => second.timeMs - first.timeMs);
}

/** What came of a call, in one word. */
export const resultOf = ({ isStarted, outcome }: CallRecord): string =>
  outcome === null ? (isStarted ? "running" : "") : resultWords(outcome.result);

export function matchesAuditFilter(record: CallRecord, filter: string): boolean {
  const { decision, final, session } = record;
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const all = [
    session,
    decision?.tool,
    decision?.evidence,
    decision?.arguments,
    final?.by,
    final?.effect ?? "undecided",
    resultOf(record),
  ];
  const text = all.join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
}
