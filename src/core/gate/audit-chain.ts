/**
 * The audit log as a hash chain: each row contains the hash of the previous one, so changed, removed and inserted rows are detected.
 * A chain that was truncated or rewritten from some row on is not: store the head (sequence and hash) elsewhere and pass it to
 * `verifyChain`.
 *
 * Order: `decision` before `answer`, `start` before `outcome`; a row is on disk before what it announces happens.
 * Rows contain hashes of arguments and outcomes. Of the values they have what people need to see what ran: the arguments, masked and
 * shortened.
 */
import { canonicalJson } from "../json/canonical-json.ts";
import type { Effect } from "./policy-schema.ts";
import type { JudgedCall } from "./tool-call.ts";

/** Returns lower-case hex. The caller provides it, because `core` has no cryptography. */
export type Sha256 = (text: string) => string;

interface AuditSubject {
  readonly session: string;
  /** The call's id. */
  readonly call: string;
  readonly timeMs: number;
}

/** A part of a call that a policy judged by itself: a command, a redirection, a variable or what cannot be read. */
export interface DecidedPart {
  /** Masked and shortened. */
  readonly text: string;
  readonly effect: Effect;
  /** A rule's id, or what decided instead of a rule. */
  readonly decidedBy: string;
  /** In the policy file; null if no rule decided. */
  readonly line: number | null;
}

/** The decision about a call, including calls that were refused before any rule was applied. */
export interface DecisionRow extends AuditSubject {
  readonly type: "decision";
  /** Who asked: a user, a token's name, an agent. */
  readonly requester: string;
  readonly tool: string;
  /** For example the dialect. */
  readonly source: string;
  readonly provenance: JudgedCall["provenance"];
  /** SHA-256 of the raw argument text. */
  readonly argumentsHash: string;
  readonly effect: Effect;
  /** A rule's id, or what decided instead of a rule: `default`, `structural`, `limit`, ... */
  readonly decidedBy: string;
  /** In the policy file; null if no rule decided. */
  readonly line: number | null;
  /** SHA-256 of the policy's text; null if no policy was applied. */
  readonly policyHash: string | null;
  /** What matched, masked and shortened. */
  readonly evidence: string;
  /** The arguments as the model wrote them, masked and shortened. Absent from rows that are about no call, and of older versions. */
  readonly arguments?: string | undefined;
  /** What the policy judged, in the order of the text. Absent if it judged nothing or the whole call as one. */
  readonly parts?: readonly DecidedPart[] | undefined;
  /** Parts that are not in `parts`; absent if all are. */
  readonly partsLeftOut?: number | undefined;
  /** False in the mode `log-only` of the policy: the call passed, whatever the effect. Absent from rows of decisions that held. */
  readonly enforced?: false | undefined;
}

/** The answer to an `ask`. */
interface AnswerRow extends AuditSubject {
  readonly type: "answer";
  readonly effect: "allow" | "deny";
  /** A person, or `timeout`. */
  readonly approver: string;
}

/** Written before the call is executed. */
interface StartRow extends AuditSubject {
  readonly type: "start";
  /** `executor`, or `agent` if an agent executes a call that the gateway passed. */
  readonly executor: string;
}

/**
 * What came of a started call. An executor knows it. Of a call that an agent executes, it is stated only if the agent's own result shows
 * it; `refused`: the agent did not execute the call; `unknown`: nothing shows it, or no result came.
 */
export interface OutcomeRow extends AuditSubject {
  readonly type: "outcome";
  readonly result: "succeeded" | "failed" | "refused" | "unknown" | "timed-out" | "cancelled";
  /** What shows it, for a call that an agent executes. Missing in rows of executors and of older versions. */
  readonly evidence?: string;
  /** SHA-256 of the outcome's text; null if there is none. */
  readonly outcomeHash: string | null;
}

/** One row of the audit log. Times are in milliseconds since the Unix epoch. */
export type AuditRow = DecisionRow | AnswerRow | StartRow | OutcomeRow;

/** A row in its place. */
export interface ChainedRow {
  /** From 1, without gaps. */
  readonly sequence: number;
  readonly row: AuditRow;
  /** The hash of the row before; 64 zeros for the first. */
  readonly previous: string;
  readonly hash: string;
}

/** The sequence and the hash of the last row of a chain. */
export interface ChainHead {
  readonly sequence: number;
  readonly hash: string;
}

/** The head of an empty chain. */
export const chainStart: ChainHead = { sequence: 0, hash: "0".repeat(64) };

/**
 * The hash of a row: SHA-256 over the previous hash, the sequence and the canonical JSON (RFC 8785) of the row, one per line.
 */
export const chainHash = (link: Omit<ChainedRow, "hash">, sha256: Sha256): string =>
  sha256(`${link.previous}\n${link.sequence}\n${canonicalJson(link.row)}`);

/**
 * Returns the next row of a chain. The new head is its sequence and hash.
 *
 * @example
 * ```ts
 * const first = chainRow(chainStart, row, sha256);
 * const second = chainRow(first, nextRow, sha256);
 * ```
 */
export function chainRow(head: ChainHead, row: AuditRow, sha256: Sha256): ChainedRow {
  const link = { sequence: head.sequence + 1, row, previous: head.hash };
  return { ...link, hash: chainHash(link, sha256) };
}

/**
 * Whether a chain is intact, or the first problem. `at` is the index among the given rows. A row whose text is not canonical counts as
 * `changed`.
 */
export type ChainVerification =
  | { readonly intact: true; readonly head: ChainHead }
  | {
      readonly intact: false;
      readonly problem: "changed" | "removed" | "inserted";
      readonly at: number;
      readonly sequence: number;
      readonly message: string;
    };

/** The hash function, and where the chain starts and ends. */
export interface VerifyOptions {
  readonly sha256: Sha256;
  /** The head before the given rows; default the start of the chain. */
  readonly from?: ChainHead;
  /** The expected head; without it a truncated end is not detected. */
  readonly head?: ChainHead;
}

/**
 * Finds the first row that was changed, removed or inserted.
 * `verifyChain(rows, { sha256 }); // { intact: true, head } or { intact: false, problem: "removed", at: 7, ... }`
 */
export function verifyChain(rows: readonly ChainedRow[], options: VerifyOptions): ChainVerification {
  let head = options.from ?? chainStart;
  let before: ChainHead | undefined;
  for (const [at, row] of rows.entries()) {
    const next = rows[at + 1];
    if (!follows(row, head)) return misfit({ at, row, next, head, before }, options.sha256);
    if (chainHash(row, options.sha256) !== row.hash) return broken("changed", at, row.sequence);
    before = head;
    head = { sequence: row.sequence, hash: row.hash };
  }
  return verifyEnd(head, rows.length, options.head);
}

interface Misfit {
  readonly at: number;
  readonly row: ChainedRow;
  readonly next: ChainedRow | undefined;
  /** Of the rows so far; `before`: without the last of them. */
  readonly head: ChainHead;
  readonly before: ChainHead | undefined;
}

const follows = (row: ChainedRow | undefined, head: ChainHead | undefined): boolean =>
  row !== undefined && head !== undefined && row.previous === head.hash && row.sequence === head.sequence + 1;

function misfit(found: Misfit, sha256: Sha256): ChainVerification {
  const { at, before, head, next, row } = found;
  // The previous row was inserted: this one follows the row before it.
  if (follows(row, before)) return broken("inserted", at - 1, head.sequence);
  if (follows(next, head)) return broken("inserted", at, row.sequence);
  const place = { previous: head.hash, sequence: head.sequence + 1 };
  // Only its stated position was changed: its hash fits the right one.
  if (chainHash({ ...place, row: row.row }, sha256) === row.hash) return broken("changed", at, place.sequence);
  if (row.sequence > head.sequence + 1) return broken("removed", at, head.sequence + 1);
  if (row.sequence <= head.sequence) return broken("inserted", at, row.sequence);
  // The position is right, but the previous hash differs: either row may have been rewritten.
  return at === 0 ? broken("removed", 0, row.sequence) : broken("changed", at - 1, head.sequence);
}

function verifyEnd(head: ChainHead, rows: number, wanted: ChainHead | undefined): ChainVerification {
  if (wanted === undefined) return { intact: true, head };
  if (head.sequence < wanted.sequence) return broken("removed", rows, head.sequence + 1);
  if (head.sequence > wanted.sequence)
    return broken("inserted", rows - (head.sequence - wanted.sequence), wanted.sequence + 1);
  return head.hash === wanted.hash ? { intact: true, head } : broken("changed", rows - 1, head.sequence);
}

function broken(problem: "changed" | "removed" | "inserted", at: number, sequence: number): ChainVerification {
  return { intact: false, problem, at, sequence, message: `The audit row ${sequence} was ${problem}` };
}

/** Writes a row as one line of canonical JSON (RFC 8785), without the line feed. */
export const writeAuditLine = ({ sequence, row, previous, hash }: ChainedRow): string =>
  canonicalJson({ sequence, row, previous, hash });

/** The row of a line; undefined if the line is not exactly what `writeAuditLine` writes. */
export function readAuditLine(line: string): ChainedRow | undefined {
  try {
    const row = JSON.parse(line) as ChainedRow;
    // The comparison also detects a parser that returns wrong keys (nodejs/node#63785).
    return isChainedRow(row) && writeAuditLine(row) === line ? row : undefined;
  } catch {
    return undefined;
  }
}

const rowTypes: ReadonlySet<unknown> = new Set(["decision", "answer", "start", "outcome"] satisfies AuditRow["type"][]);

function isChainedRow(value: unknown): value is ChainedRow {
  if (typeof value !== "object" || value === null) return false;
  const { sequence, previous, hash, row } = value as Partial<Record<keyof ChainedRow, unknown>>;
  if (!Number.isSafeInteger(sequence) || typeof previous !== "string" || typeof hash !== "string") return false;
  return typeof row === "object" && row !== null && "type" in row && rowTypes.has(row.type);
}

/**
 * Verifies the lines of an audit log: finds the first row that was changed, removed or inserted. A line that is not a row counts as
 * changed.
 *
 * @example
 * ```ts
 * verifyAuditLines(text.trimEnd().split("\n"), { sha256 });
 * ```
 */
export function verifyAuditLines(lines: readonly string[], options: VerifyOptions): ChainVerification {
  const rows: ChainedRow[] = [];
  for (const line of lines) {
    const row = readAuditLine(line);
    if (row === undefined) {
      const soFar = verifyChain(rows, { sha256: options.sha256, ...(options.from && { from: options.from }) });
      return soFar.intact ? broken("changed", rows.length, soFar.head.sequence + 1) : soFar;
    }
    rows.push(row);
  }
  return verifyChain(rows, options);
}
