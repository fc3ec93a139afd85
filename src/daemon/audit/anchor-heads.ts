/** Refusals, questions and answers leave the head of the audit log in the journal of their session: a log that was cut before them shows. */
import type { AuditRow, ChainHead } from "../../core/gate/audit-chain.ts";
import type { SessionEvent } from "../../core/records.ts";

/** A session's journal, if it can be found. */
export type JournalOf = (session: string) => { markIfLive(event: SessionEvent, onError: OnError): unknown } | undefined;
type OnError = (error: unknown) => void;

/** Allowed calls are anchored at the end of their turn. */
const isAnchored = (row: AuditRow): boolean =>
  row.type === "answer" || (row.type === "decision" && row.effect !== "allow");

export function anchorHead(rows: readonly AuditRow[], head: ChainHead, journalOf: JournalOf, onError: OnError): void {
  const sessions = new Set(rows.filter(isAnchored).map(({ session }) => session));
  for (const session of sessions) journalOf(session)?.markIfLive({ type: "audit-head", ...head }, onError);
}
