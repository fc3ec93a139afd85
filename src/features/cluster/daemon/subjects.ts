/**
 * The subjects of a cluster. Who published a message is in its subject, and the permissions of the servers hold each member to its own
 * name (`permissions.ts`), so a receiver knows the caller and the caller's scope without asking anybody.
 */

/** Rows of the machines that are present: one message for each, a key-value bucket of NATS by its naming rules. */
export const MACHINES_STREAM = "KV_lec_machines";

const ROW_PREFIX = "$KV.lec_machines.";
/** Every row; a message on it is also the sign of life of its machine. */
export const ALL_ROWS = `${ROW_PREFIX}*`;

export const rowSubject = (machine: string): string => `${ROW_PREFIX}${machine}`;

/** The machine of a row; undefined for any other subject. */
export const machineOfRow = (subject: string): string | undefined =>
  subject.startsWith(ROW_PREFIX) ? subject.slice(ROW_PREFIX.length) : undefined;

/** What a request may do at most: the rights that the permissions give to the caller. */
export type RequestScope = "read" | "write";

export interface RequestAddress {
  /** It answers. */
  readonly machine: string;
  readonly scope: RequestScope;
  /** Member that asks. */
  readonly caller: string;
}

export const requestSubject = ({ machine, scope, caller }: RequestAddress): string =>
  `lec.req.${machine}.${scope}.${caller}`;

export const requestsTo = (machine: string): string => `lec.req.${machine}.*.*`;

/** Reads the subject of a message; undefined for any other, for example one that a server has delivered under its own name. */
export function readRequestSubject(subject: string): RequestAddress | undefined {
  const [, machine, scope, caller] = /^lec\.req\.([^.*>]+)\.(read|write)\.([^.*>]+)$/.exec(subject) ?? [];
  if (machine === undefined || caller === undefined) return undefined;
  return { machine, scope: scope === "write" ? "write" : "read", caller };
}

export interface FrameAddress {
  readonly from: string;
  readonly to: string;
  /** Of the exchange or attachment; random, because only its two ends may know it. */
  readonly id: string;
}

export const frameSubject = ({ from, to, id }: FrameAddress): string => `lec.tun.${from}.${to}.${id}`;

export const framesTo = (member: string): string => `lec.tun.*.${member}.*`;

export function readFrameSubject(subject: string): FrameAddress | undefined {
  const [, from, to, id] = /^lec\.tun\.([^.*>]+)\.([^.*>]+)\.([^.*>]+)$/.exec(subject) ?? [];
  return from === undefined || to === undefined || id === undefined ? undefined : { from, to, id };
}

/** Answers of the servers to one member, which nobody else may read. */
export const inboxPrefix = (member: string): string => `_INBOX.${member}`;

/** The replicas of one machine: the journals of its sessions, and what is known of each. */
export const replicasStream = (machine: string): string => `LEC_J_${machine}`;

/** Frames of the journal of a session; `*` for all. */
export const journalSubject = (machine: string, session: string): string => `lec.j.${machine}.${session}`;

/** Rows of the audit log. No session has this id, so it is a subject of journals, too, with the rights of one. */
export const auditSubject = (machine: string): string => journalSubject(machine, "audit");

/** What `sessions.list` knows of a session; `*` for all. */
export const factsSubject = (machine: string, session: string): string => `lec.s.${machine}.${session}`;
