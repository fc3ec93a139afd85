/**
 * A gate with its audit log: no call is admitted before its row is on disk, and unknown calls are looked up in the log of earlier
 * processes.
 *
 * Order: `admit` and `answer` resolve with `execute` after the `start` row is durable; `end` writes the `outcome` row. If the process
 * dies in between, the call is `unfinished`, and no later process runs it again.
 */
import type { AuditRow, DecisionRow, OutcomeRow } from "./audit-chain.ts";
import type { AuditedCall } from "./audit-fold.ts";
import type { Decision } from "./decide.ts";
import type { CallFinding } from "./finding.ts";
import { deny, identityOf, keyOf, type Gate, type GateDenial, type GateRequest, type GateVerdict } from "./gate.ts";
import type { CallIdentity } from "./once.ts";
import { deciderOf, recordedArguments, recordedEvidence, recordedParts } from "./recorded-call.ts";

/** An audit log that an `AuditedGate` writes to. */
export interface AuditSink {
  /**
   * Appends the rows in order and resolves when all are durable. Rejects with `JOURNAL_WRITE_FAILED` if they may not be; then nothing
   * that they announce may happen.
   */
  append(rows: readonly AuditRow[]): Promise<void>;
  /** The logged state of a call; undefined if the session has no call with that id. */
  find(session: string, call: string): Promise<AuditedCall | undefined>;
}

/** A call to decide, with its origin for the audit log. */
export interface CommitRequest extends GateRequest {
  /** Who asked: a user, a token's name, an agent. */
  readonly requester: string;
  /** For example the dialect. */
  readonly source: string;
}

/** The verdict of an `AuditedGate`, which does each `look-up` itself. */
export type CommitVerdict<Outcome> = Exclude<GateVerdict<Outcome>, { readonly type: "look-up" }>;

/** The gate, its audit log, and what the rows of the log name. */
export interface AuditedGateOptions<Outcome> {
  /** Created with `continues: true` if the log is older than the process. */
  readonly gate: Gate<Outcome>;
  readonly sink: AuditSink;
  /** Who executes admitted calls, for the `start` rows. */
  readonly executor: string;
  /** SHA-256 of the policy's text. */
  readonly policyHash: string | null;
  /** Makes the finding of a call beside the event loop; undefined for one that the gate can make at once. Default: all of them. */
  readonly find?: ((request: CommitRequest) => Promise<CallFinding | undefined>) | undefined;
  /** The outcome of a call that an earlier process finished. */
  readonly outcomeOf: (call: AuditedCall) => Outcome | Promise<Outcome>;
}

/** What came of a call, for its row. */
export type OutcomeFacts = Pick<OutcomeRow, "result" | "outcomeHash" | "evidence">;

type DecisionFacts = Pick<
  DecisionRow,
  "effect" | "decidedBy" | "line" | "policyHash" | "evidence" | "enforced" | "parts" | "partsLeftOut"
>;

/** The parts of a request that the rows of its answer need. */
type Subject = Omit<CommitRequest, "isNew" | "tools" | "context" | "finding">;

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

  /** Decides and logs the decision. Rejects like the sink; the call may then be repeated. */
  async admit(given: CommitRequest, nowMs: number): Promise<CommitVerdict<Outcome>> {
    const request = { ...given, finding: given.finding ?? (await this.#options.find?.(given)) };
    const verdict = await this.#verdict(request, nowMs);
    if (verdict.type === "replay" || verdict.type === "wait") return verdict;
    await this.#append(verdict, request, this.#rowsOf(request, verdict, nowMs));
    if (verdict.type === "ask") this.#asked.set(keyOf(identityOf(request)), request);
    return verdict;
  }

  /** Answers an `ask`. Undefined if nothing waits under this identity. */
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
    // An approved call may be over a limit by now: that decision follows the answer.
    const more =
      verdict.type === "deny" && verdict.denial.stage === "answer" ? [] : this.#followUp(asked, verdict, nowMs);
    await this.#append(verdict, asked, [row, ...more]);
    return verdict;
  }

  /** Ends an executed call. Its identity stays used, even if the row could not be written. */
  async end(identity: CallIdentity, outcome: Outcome, facts: OutcomeFacts, nowMs: number): Promise<void> {
    if (!this.#options.gate.end(identity, outcome)) return;
    await this.#endRow(identity, facts, nowMs);
  }

  /** Ends a call that an earlier process started and did not end. The tool of the call; undefined if the log has no such call. */
  async endEarlier(
    { call, outcome, session }: { readonly session: string; readonly call: string; readonly outcome: Outcome },
    factsOf: (tool: string) => OutcomeFacts,
    nowMs: number,
  ): Promise<string | undefined> {
    const known = await this.#options.sink.find(session, call);
    if (known?.stage !== "unfinished" || known.argumentsHash === null) return undefined;
    const identity = { session, id: call, argumentsHash: known.argumentsHash };
    const tool = known.tool ?? "";
    this.#options.gate.restore(identity, outcome);
    await this.#endRow(identity, factsOf(tool), nowMs);
    return tool;
  }

  async #endRow({ id: call, session }: CallIdentity, facts: OutcomeFacts, nowMs: number): Promise<void> {
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
      arguments: recordedArguments(call.argumentsText),
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
    if (verdict.type === "execute") return this.#byExecution(verdict);
    if (verdict.type === "ask") return this.#byPolicy("ask", verdict.decision);
    if (verdict.type !== "deny") throw new TypeError(`No row is written for "${verdict.type}"`);
    return this.#byDenial(verdict.denial);
  }

  /** In the mode `log-only` the row has what the policy would have done. */
  #byExecution({ decision, unenforced }: Extract<CommitVerdict<Outcome>, { readonly type: "execute" }>): DecisionFacts {
    if (unenforced === null) return this.#byPolicy("allow", decision);
    if (unenforced.type === "deny") return { ...this.#byDenial(unenforced.denial), enforced: false };
    return { ...this.#byPolicy(unenforced.type === "ask" ? "ask" : "allow", decision), enforced: false };
  }

  #byDenial(denial: GateDenial): DecisionFacts {
    if (denial.stage === "policy" || denial.stage === "answer") return this.#byPolicy("deny", denial.decision);
    const policyHash = denial.stage === "limit" ? this.#options.policyHash : null;
    const line = denial.stage === "limit" ? denial.limit.line : null;
    return { effect: "deny", decidedBy: denial.stage, line, policyHash, evidence: evidenceOf(denial) };
  }

  #byPolicy(effect: DecisionRow["effect"], decision: Decision): DecisionFacts {
    const { policyHash } = this.#options;
    const evidence = recordedEvidence(decision.evidence);
    return { effect, ...deciderOf(decision), policyHash, evidence, ...recordedParts(decision) };
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

const subjectOf = (
  { call, session }: Subject,
  timeMs: number,
): { readonly session: string; readonly call: string; readonly timeMs: number } => ({ session, call: call.id, timeMs });
