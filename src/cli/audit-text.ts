/** Formats rows of the audit log. */
import { LecternError } from "../core/errors.ts";
import type { AuditRow, ChainHead, OutcomeRow } from "../core/gate/audit-chain.ts";
import { escapeForDisplay } from "../core/text/escape.ts";
import type { ShownRow } from "../protocol/audit.ts";
import type { Style } from "./style.ts";

/** `12 2026-11-22T02:30:00.000Z s1 call_1 bash allow by ls (line 3): ls -a`. */
export function auditRowLine({ sequence, row }: ShownRow, style: Style): string {
  const time = new Date(row.timeMs).toISOString();
  const event = eventText(row as unknown as AuditRow);
  const text = escapeForDisplay(`${row.session} ${row.call} ${event}`);
  const isRefusal = row["effect"] === "deny" && row["enforced"] !== false;
  return `${sequence} ${style.dim(time)} ${isRefusal ? style.red(text) : text}`;
}

function eventText(row: AuditRow): string {
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
      return outcomeText(row);
    default:
      // A row of a newer version.
      return (row as { readonly type: string }).type;
  }
}

function outcomeText({ evidence, outcomeHash, result }: OutcomeRow): string {
  const why = evidence === undefined ? "" : ` (${evidence})`;
  return `${result === "refused" ? "refused by the agent" : result}${why}${outcomeHash === null ? "" : ` ${outcomeHash}`}`;
}

/** Parses `12:5f1c...`. Throws `USAGE`. */
export function parseHead(text: string): ChainHead {
  const match = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text);
  if (match === null) {
    throw new LecternError(
      "USAGE",
      `Cannot read the head "${text}": wanted NUMBER:HASH, as "lectern audit verify" prints it`,
    );
  }
  return { sequence: Number(match[1]), hash: match[2] ?? "" };
}
