/** Copies the audit log into the stream of this machine: rows in their order, a batch at a time. The log is only read. */
import { rm } from "node:fs/promises";
import { waits } from "../../../../core/waits.ts";
import type { AuditRow } from "../../../../core/gate/audit-chain.ts";
import { AuditStore } from "../../../../daemon/audit/audit-store.ts";
import { delay } from "../../../../client/reconnect.ts";
import type { ReplicaStream } from "./replica-stream.ts";

/** A row has a few hundred bytes; a message of these stays below the limit of the stream. */
const BATCH_ROWS_MAX = 100;
/** The newest rows of a machine that is away, in memory while they are written. */
const RESTORED_ROWS_MAX = 100_000;

export class AuditReplica {
  readonly #audit: Pick<AuditStore, "list" | "changed">;
  #over = new AbortController();

  constructor(audit: Pick<AuditStore, "list" | "changed">) {
    this.#audit = audit;
  }

  connect(stream: ReplicaStream): void {
    this.disconnect();
    this.#over = new AbortController();
    void this.#run(stream, this.#over.signal);
  }

  disconnect(): void {
    this.#over.abort();
  }

  /** Tries again until it is disconnected: the state of the replicas of sessions shows why one fails. */
  async #run(stream: ReplicaStream, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#copy(stream, signal).catch(() => undefined);
      await delay(waits.answerMs, signal);
    }
  }

  /** Resolves when somebody else has written, or the log is not the one that was copied. */
  async #copy(stream: ReplicaStream, signal: AbortSignal): Promise<void> {
    let { next, sequence } = await stream.auditTail();
    while (!signal.aborted) {
      // Before the look, so that a row that comes in between wakes it.
      const changed = this.#audit.changed(signal);
      const page = await this.#audit.list({ session: undefined, from: next, limit: BATCH_ROWS_MAX });
      // A log that is shorter than its copy is another log: it is copied from its beginning.
      if (page.end < next) next = 0;
      else if (page.next === next) await changed;
      else {
        const text = page.rows.map(({ row }) => JSON.stringify(row)).join("\n");
        const published = await stream.publishAudit({ from: next, next: page.next, text }, sequence);
        if (published === undefined) return;
        sequence = published;
        next = page.next;
      }
    }
  }
}

/** Makes an audit log of the replica of one. Rows whose batch is missing are missing; the chain is that of the rows that are there. */
export async function restoreAudit(stream: ReplicaStream, directory: string): Promise<void> {
  let rows: AuditRow[] = [];
  let place = 0;
  for await (const { from, next, text } of stream.audit()) {
    // Sent again, as after the loss of the stream's end: it is there already.
    if (next <= place && from !== 0) continue;
    if (from === 0) rows = [];
    rows.push(...parseRows(text));
    rows = rows.slice(-RESTORED_ROWS_MAX);
    place = next;
  }
  await rm(directory, { recursive: true, force: true });
  if (rows.length === 0) return;
  await using audit = await AuditStore.open(directory);
  for (let at = 0; at < rows.length; at += BATCH_ROWS_MAX) await audit.append(rows.slice(at, at + BATCH_ROWS_MAX));
}

/** Lines that are no JSON are left out. */
function parseRows(text: string): AuditRow[] {
  return text.split("\n").flatMap((line) => {
    try {
      // Written by `AuditReplica`, on a machine whose key the servers have checked.
      return line === "" ? [] : [JSON.parse(line) as AuditRow];
    } catch {
      return [];
    }
  });
}
