/** Combines the rows of the audit log into calls: the request, who decided by which rule, the result. Pure. */
import type { OutputOf } from "../../client.ts";

export type AuditLogRow = OutputOf<"audit.list">["rows"][number];

export interface AuditCall {
  readonly key: string;
  readonly session: string;
  readonly call: string;
  readonly tool: string;
  readonly timeMs: number;
  /** The final decision; undefined if there is none yet. */
  readonly effect: "allow" | "deny" | "ask" | undefined;
  /** What decided: a rule with its line, or a person. */
  readonly by: string;
  readonly evidence: string;
  readonly result: string | undefined;
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** Newest first. Rows of unknown types are ignored. */
export function auditCalls(rows: readonly AuditLogRow[]): AuditCall[] {
  const calls = new Map<string, AuditCall>();
  for (const { row } of rows) {
    const key = `${row.session} ${row.call}`;
    const before = calls.get(key) ?? {
      key,
      session: row.session,
      call: row.call,
      tool: "",
      timeMs: row.timeMs,
      effect: undefined,
      by: "",
      evidence: "",
      result: undefined,
    };
    calls.set(key, { ...before, ...factsOf(row) });
  }
  return [...calls.values()].toSorted((first, second) => second.timeMs - first.timeMs);
}

function factsOf(row: AuditLogRow["row"]): Partial<AuditCall> {
  const effect = row["effect"];
  const decided = effect === "allow" || effect === "deny" || effect === "ask" ? { effect } : {};
  switch (row.type) {
    case "decision": {
      const line = row["line"];
      const rule = text(row["decidedBy"]);
      const place = typeof line === "number" ? `${rule}, line ${line}` : rule;
      const by = row["enforced"] === false ? `${place}, not enforced` : place;
      return { tool: text(row["tool"]), evidence: text(row["evidence"]), by, ...decided } as Partial<AuditCall>;
    }
    case "answer":
      return { by: text(row["approver"]), ...decided } as Partial<AuditCall>;
    case "start":
      return { result: "running" };
    case "outcome":
      return { result: text(row["result"]) };
    default:
      return {};
  }
}

export function matchesAuditFilter(
  { session, tool, by, evidence, effect, result }: AuditCall,
  filter: string,
): boolean {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const all = [session, tool, by, evidence, effect ?? "undecided", result ?? ""].join(" ").toLowerCase();
  return words.every((word) => all.includes(word));
}
