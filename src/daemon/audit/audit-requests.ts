/** What the daemon asks of the audit log's thread. Handled in the order in which they are sent, verifications beside. */
import type { AuditRow, ChainedRow, ChainHead } from "../../core/gate/audit-chain.ts";
import type { AuditedCall } from "../../core/gate/audit-fold.ts";
import type { KeptHead } from "./kept-heads.ts";
import type { LogVerification } from "./verify-log.ts";

/** What the thread gets with its start. */
export interface AuditSettings {
  readonly directory: string;
  readonly segmentBytesMax: number | undefined;
}

/** Rows from a place on, or the last ones where `from` is undefined. */
export interface AuditQuery {
  readonly session: string | undefined;
  readonly from: number | undefined;
  readonly limit: number;
}

/** `next`: where a reader goes on. `end`: of the log. Rows whose line was changed are left out. */
export interface AuditRowsPage {
  readonly rows: readonly ChainedRow[];
  readonly next: number;
  readonly end: number;
}

/** Each request with its answer. */
export interface AuditRequests {
  append: { readonly request: { readonly rows: readonly AuditRow[] }; readonly answer: ChainHead };
  find: {
    readonly request: { readonly session: string; readonly call: string };
    readonly answer: AuditedCall | undefined;
  };
  open: { readonly request: { readonly limit: number }; readonly answer: readonly AuditedCall[] };
  list: { readonly request: AuditQuery; readonly answer: AuditRowsPage };
  verify: {
    readonly request: { readonly head: ChainHead | undefined; readonly kept: readonly KeptHead[] };
    readonly answer: LogVerification;
  };
  close: { readonly request: object; readonly answer: null };
}

export type AuditRequestName = keyof AuditRequests;

export type AuditRequest = {
  readonly [Name in AuditRequestName]: { readonly type: Name } & AuditRequests[Name]["request"];
}[AuditRequestName];
