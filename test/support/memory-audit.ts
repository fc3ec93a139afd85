/** An audit log in memory. */
import type { AuditRow } from "../../src/core/gate/audit-chain.ts";
import { AuditFold, type AuditedCall } from "../../src/core/gate/audit-fold.ts";
import type { AuditSink } from "../../src/core/gate/audited-gate.ts";

export class MemoryAudit implements AuditSink {
  readonly rows: AuditRow[] = [];
  readonly #fold = new AuditFold();

  async append(rows: readonly AuditRow[]): Promise<void> {
    for (const row of rows) {
      this.rows.push(row);
      this.#fold.feed(row);
    }
  }

  async find(session: string, call: string): Promise<AuditedCall | undefined> {
    return this.#fold.find(session, call);
  }

  /** `call type` of each row. */
  get shown(): string[] {
    return this.rows.map((row) => {
      const what = row.type === "decision" ? row.effect : row.type === "outcome" ? row.result : row.type;
      return `${row.call} ${what}`;
    });
  }
}
