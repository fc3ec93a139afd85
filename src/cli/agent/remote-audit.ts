/** The audit log of the daemon, for an executor in another process. */
import type { LecternClient } from "../../client/client.ts";
import type { AuditRow } from "../../core/gate/audit-chain.ts";
import type { AuditedCall } from "../../core/gate/audit-fold.ts";
import type { AuditSink } from "../../core/gate/audited-gate.ts";

/** Longer ids and names are refused by the daemon. */
const TEXT_CHARS_MAX = 1024;

export class RemoteAudit implements AuditSink {
  readonly #client: LecternClient;

  constructor(client: LecternClient) {
    this.#client = client;
  }

  async append(rows: readonly AuditRow[]): Promise<void> {
    await this.#client.call("audit.append", { rows: rows.map(withinLimits) });
  }

  async find(session: string, call: string): Promise<AuditedCall | undefined> {
    return (await this.#client.call("audit.find", { session, call })).call ?? undefined;
  }
}

const cut = (text: string): string => text.slice(0, TEXT_CHARS_MAX).toWellFormed();

function withinLimits(row: AuditRow): AuditRow {
  return row.type === "decision" ? { ...row, tool: cut(row.tool), evidence: cut(row.evidence) } : row;
}
