/**
 * A gate and its audit log as one: nothing is let through before the row that says so is on disk, and a call that an
 * earlier process knew is looked up before it is new.
 *
 * Ordering law: `admit` and `answer` resolve with `execute` after the `start` row is durable; `end` writes the `outcome` row. A
 * process that dies in between leaves a call `unfinished`, which no later process runs again.
 */
import type { AuditRow, DecisionRow, OutcomeRow } from "./audit-chain.ts";
import type { AuditedCall } from "./audit-fold.ts";
import type { Decision } from "./decide.ts";
import { deny, type Gate, type GateDenial, type GateRequest, type GateVerdict } from "./gate.ts";
import type { CallIdentity } from "./once.ts";

/** An audit log that an `AuditedGate` writes to. */
export interface AuditSink {
  /**
   * Appends the rows in this order. Resolves when all of them are durable; rejects with `JOURNAL_WRITE_FAILED` where they
   * may not be, and then nothing that they announce may happen.
   */
  append(rows: readonly AuditRow[]): Promise<void>;
  /** What the log knows of a call; undefined where it has none of that id in that session. */
  find(session: string, call: string): Promise<AuditedCall | undefined>;
}

/** A call to decide, with its origin for the audit log. */
export interface CommitRequest extends GateRequest {
  /** Who asked: a user, a token's name, an agent. */
  readonly requester: string;
  /** Where the call comes from, such as the dialect. */
  readonly source: string;
}

/** The verdict of an `AuditedGate`, which does each `look-up` itself. */
export type CommitVerdict<Outcome> = Exclude<GateVerdict<Outcome>, { readonly type: "look-up" }>;

/** The gate, its audit log, and what the rows of the log name. */
export interface AuditedGateOptions<Outcome> {
  /** Made with `continues: true`, where the log is older than the process. */
  readonly gate: Gate<Outcome>;
  readonly sink: AuditSink;
  /** Who executes what is let through; stands in the `start` rows. */
  readonly executor: string;
  /** SHA-256 of the policy's text. */
  readonly policyHash: string | null;
  /** The outcome that the log has of a call which an earlier process finished. */
  readonly outcomeOf: (call: AuditedCall) => Outcome | Promise<Outcome>;
  /** Masks secrets in the evidence. Default: none is masked. */
  readonly mask?: (text: string) => string;
}

/** UTF-16 units of the evidence in a row; more is cut, with a mark. */
const evidenceCharsMax = 200;

type DecisionFacts = Pick<DecisionRow, "effect" | "decidedBy" | "line" | "policyHash" | "evidence">;

/** What is known of a call that was asked for, so that the answer's rows can be written. */
type Subject = Omit<CommitRequest, "isNew" | "tools" | "context">;

/**
 * A gate with an audit log: `execute` is returned only after its row is on disk, and a call of an earlier process is looked up before it
 * counts as new. Rejects with the error of the sink. Times are in milliseconds since the Unix epoch.
 *
 * @example
 * ```ts
 * const committer = new AuditedGate({ gate, sink, executor: "executor", policyHash, outcomeOf: () => "see the log" });
 * const verdict = await committer.admit(request, Date.now());
 * if (verdict.type === "execute") await committer.end(identity, outcome, { result: "succeeded", outcomeHash: null }, Date.now());
 * ```
 */
export class AuditedGate<Outcome> {
  readonly #options: AuditedGateOptions<Outcome>;
  /** Calls that wait for an answer. */
  readonly #asked = new Map<string, Subject>();

  constructor(options: AuditedGateOptions<Outcome>) {
    this.#options = options;
  }

  /** Decides, and writes the decision down. Rejects as the sink does; the call may then come again. */
  async admit(request: CommitRequest, nowMs: number): Promise<CommitVerdict<Outcome>> {
    const verdict = await this.#verdict(request, nowMs);
    if (verdict.type === "replay" || verdict.type === "wait") return verdict;
    await this.#append(verdict, request, this.#rowsOf(request, verdict, nowMs));
    if (verdict.type === "ask") this.#asked.set(keyOf(identityOf(request)), request);
    return verdict;
  }

  /** Somebody answered an `ask`. Undefined where nothing waits under this identity. */
  async answer(
    identity: CallIdentity,
    given: { readonly effect: "allow" | "deny"; readonly approver: string },
    nowMs: number,
  ): Promise<CommitVerdict<Outcome> | undefined> {
    const asked = this.#asked.get(keyOf(identity));
    const verdict = this.#options.gate.answer(identity, given.effect, nowMs);
    if (asked === undefined || verdict === undefined || verdict.type === "look-up") return undefined;
    this.#asked.delete(keyOf(identity));
    const row = { type: "answer", ...subjectOf(asked, nowMs), ...given } as const;
    // Approved, but over a limit by now: that decision is the last word.
    const more =
      verdict.type === "deny" && verdict.denial.stage === "answer" ? [] : this.#followUp(asked, verdict, nowMs);
    await this.#append(verdict, asked, [row, ...more]);
    return verdict;
  }

  /** An executed call ended. Its identity is free for nothing else, whether or not the row could be written. */
  async end(
    identity: CallIdentity,
    outcome: Outcome,
    facts: Pick<OutcomeRow, "result" | "outcomeHash">,
    nowMs: number,
  ): Promise<void> {
    if (!this.#options.gate.end(identity, outcome)) return;
    const { id: call, session } = identity;
    await this.#options.sink.append([{ type: "outcome", session, call, timeMs: nowMs, ...facts }]);
  }

  async #verdict(request: CommitRequest, nowMs: number): Promise<CommitVerdict<Outcome>> {
    const { gate, outcomeOf, sink } = this.#options;
    const first = gate.admit(request, nowMs);
    if (first.type !== "look-up") return first;
    const known = await sink.find(request.session, request.call.id);
    if (known?.stage === "unfinished") return deny({ stage: "identity", code: "unfinished" });
    if (known?.stage === "finished") {
      if (known.argumentsHash !== request.argumentsHash) return deny({ stage: "identity", code: "conflict" });
      gate.restore(identityOf(request), await outcomeOf(known));
    }
    const second = gate.admit({ ...request, isNew: true }, nowMs);
    if (second.type === "look-up") throw new TypeError("A call that is new cannot be looked up again");
    return second;
  }

  async #append(verdict: CommitVerdict<Outcome>, request: Subject, rows: readonly AuditRow[]): Promise<void> {
    try {
      await this.#options.sink.append(rows);
    } catch (error) {
      if (verdict.type === "execute" || verdict.type === "ask") this.#options.gate.cancel(identityOf(request));
      throw error;
    }
  }

  #rowsOf(request: Subject, verdict: CommitVerdict<Outcome>, nowMs: number): readonly AuditRow[] {
    const { call, requester, source, argumentsHash } = request;
    const decision: DecisionRow = {
      type: "decision",
      ...subjectOf(request, nowMs),
      requester,
      tool: call.name,
      source,
      provenance: call.provenance,
      argumentsHash,
      ...this.#decidedBy(verdict),
    };
    return [decision, ...this.#startOf(request, verdict, nowMs)];
  }

  #followUp(asked: Subject, verdict: CommitVerdict<Outcome>, nowMs: number): readonly AuditRow[] {
    return verdict.type === "execute" ? this.#startOf(asked, verdict, nowMs) : this.#rowsOf(asked, verdict, nowMs);
  }

  #startOf(request: Subject, verdict: CommitVerdict<Outcome>, nowMs: number): readonly AuditRow[] {
    if (verdict.type !== "execute") return [];
    return [{ type: "start", ...subjectOf(request, nowMs), executor: this.#options.executor }];
  }

  #decidedBy(verdict: CommitVerdict<Outcome>): DecisionFacts {
    if (verdict.type === "execute") return this.#byPolicy("allow", verdict.decision);
    if (verdict.type === "ask") return this.#byPolicy("ask", verdict.decision);
    if (verdict.type !== "deny") throw new TypeError(`No row is written for "${verdict.type}"`);
    const { denial } = verdict;
    if (denial.stage === "policy" || denial.stage === "answer") return this.#byPolicy("deny", denial.decision);
    const policyHash = denial.stage === "limit" ? this.#options.policyHash : null;
    const line = denial.stage === "limit" ? denial.limit.line : null;
    return { effect: "deny", decidedBy: denial.stage, line, policyHash, evidence: evidenceOf(denial) };
  }

  #byPolicy(effect: DecisionRow["effect"], decision: Decision): DecisionFacts {
    const masked = this.#options.mask?.(decision.evidence) ?? decision.evidence;
    const decidedBy = decision.rule?.id ?? decision.source;
    const evidence = cut(masked);
    return { effect, decidedBy, line: decision.rule?.line ?? null, policyHash: this.#options.policyHash, evidence };
  }
}

function evidenceOf(denial: Exclude<GateDenial, { readonly stage: "policy" | "answer" }>): string {
  switch (denial.stage) {
    case "structural":
      return denial.reasons.map((reason) => reason.code).join(" ");
    case "identity":
      return denial.code;
    case "limit":
      return denial.limit.id;
    default:
      return "";
  }
}

const cut = (text: string): string =>
  text.length <= evidenceCharsMax ? text : `${text.slice(0, evidenceCharsMax - 1).toWellFormed()}…`;

const identityOf = ({ argumentsHash, call, session }: Subject): CallIdentity => ({
  session,
  id: call.id,
  argumentsHash,
});

const subjectOf = (
  { call, session }: Subject,
  timeMs: number,
): { readonly session: string; readonly call: string; readonly timeMs: number } => ({ session, call: call.id, timeMs });

const keyOf = ({ argumentsHash, id, session }: CallIdentity): string =>
  `${session.length}:${session}${id.length}:${id}${argumentsHash}`;
