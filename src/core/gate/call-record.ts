/** The rows of one call as one record: what ran, who decided about it, and what the executor did with the decision. */
import { jsonValueOf } from "../json/json-value.ts";
import type { AuditRow, DecisionRow, OutcomeRow } from "./audit-chain.ts";
import type { Effect } from "./policy-schema.ts";

/** Who had the last word about a call, and which one. */
interface FinalWord {
  /** `deny` also if the policy or a person allowed the call and its agent did not execute it. */
  readonly effect: Effect;
  /** A rule with its line, a person, or the agent. */
  readonly by: string;
}

/** What the audit log has of one call. */
export interface CallRecord {
  readonly session: string;
  readonly call: string;
  /** Of the first row. */
  readonly timeMs: number;
  /** The latest one. */
  readonly decision: DecisionRow | null;
  readonly isStarted: boolean;
  readonly outcome: OutcomeRow | null;
  /** Null before the first decision. */
  readonly final: FinalWord | null;
}

/** In the order of their first rows. Rows of unknown types add nothing to their call. */
export function callRecords(rows: Iterable<AuditRow>): CallRecord[] {
  const records = new Map<string, CallRecord>();
  for (const row of rows) {
    const key = `${row.session.length}:${row.session}${row.call}`;
    const { call, session, timeMs } = row;
    const empty = { session, call, timeMs, decision: null, isStarted: false, outcome: null, final: null };
    const known = records.get(key) ?? empty;
    records.set(key, { ...known, ...changeOf(row, known.final) });
  }
  return [...records.values()];
}

function changeOf(row: AuditRow, final: FinalWord | null): Partial<CallRecord> {
  switch (row.type) {
    case "decision":
      return {
        decision: row,
        final: { effect: row.effect, by: `${ruleText(row)}${row.enforced === false ? ", not enforced" : ""}` },
      };
    case "answer":
      return { final: { effect: row.effect, by: row.approver } };
    case "start":
      return { isStarted: true };
    case "outcome": {
      const by = `the agent${final === null ? "" : `; before it, ${final.effect} by ${final.by}`}`;
      return { outcome: row, ...(row.result === "refused" && { final: { effect: "deny", by } }) };
    }
    default:
      return {};
  }
}

/** `no-rm, line 3`; what decided instead of a rule has no line. */
export const ruleText = ({ decidedBy, line }: Pick<DecisionRow, "decidedBy" | "line">): string =>
  line === null || line === undefined ? decidedBy : `${decidedBy}, line ${line}`;

/** What a row adds to its call, as one line: `deny by no-rm (line 3): rm -rf`, `answered allow by ada`. */
export function auditWords(row: AuditRow): string {
  switch (row.type) {
    case "decision": {
      const where = row.line === null ? row.decidedBy : `${row.decidedBy} (line ${row.line})`;
      const passed = row.enforced === false ? ", not enforced" : "";
      return `${row.tool} ${row.effect} by ${where}${passed}: ${row.evidence}`;
    }
    case "answer":
      return `answered ${row.effect} by ${row.approver}`;
    case "start":
      return `started by ${row.executor}`;
    case "outcome":
      return outcomeWords(row);
    default:
      // A row of a newer version.
      return (row as { readonly type: string }).type;
  }
}

function outcomeWords({ evidence, outcomeHash, result }: OutcomeRow): string {
  const why = evidence === undefined ? "" : ` (${evidence})`;
  return `${resultWords(result)}${why}${outcomeHash === null ? "" : ` ${outcomeHash}`}`;
}

/** `refused by the agent`, or the result itself. */
export const resultWords = (result: OutcomeRow["result"]): string =>
  result === "refused" ? "refused by the agent" : result;

/** An argument of a call, as a person reads it. */
export interface ShownArgument {
  readonly name: string;
  readonly value: string;
}

/** The arguments of a row one by one: texts as they are, all else as JSON. One of the name "arguments" if they were shortened or are no object. */
export function shownArguments(text: string): readonly ShownArgument[] {
  const value = jsonValueOf(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [{ name: "arguments", value: text }];
  return Object.entries(value).map(([name, one]) => ({
    name,
    value: typeof one === "string" ? one : JSON.stringify(one),
  }));
}
