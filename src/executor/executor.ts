/**
 * Runs the tool calls of a turn: each through the structural and the execution commit, its rows durable before it begins,
 * calls of one turn side by side. It knows no model and no terminal of a person.
 *
 * Ordering law: a tool runs after its `start` row is on disk and before its `outcome` row; nothing that was refused, asked and
 * not allowed, or run before reaches a tool.
 */
import type { AuditedGate, CommitVerdict } from "../core/gate/audited-gate.ts";
import { decide, type Decision, type DecisionContext } from "../core/gate/decide.ts";
import { deny } from "../core/gate/gate.ts";
import type { CallIdentity } from "../core/gate/once.ts";
import type { Policy } from "../core/gate/policy.ts";
import type { SchemaStore } from "../core/gate/schemas.ts";
import { commitStructure } from "../core/gate/structural.ts";
import type { JudgedCall } from "../core/gate/tool-call.ts";
import { fieldsOf } from "../core/wire/shape.ts";
import type { ToolResultMessage } from "../core/wire/write-request.ts";
import type { BlobSink } from "../terminal/blob-sink.ts";
import { ResultText } from "./result-text.ts";
import type { Tool, ToolOutcome } from "./tool.ts";

/** What came out of a call, as the gate remembers it. */
export interface CallOutcome {
  readonly text: string;
  readonly failed: boolean;
}

/** What a person is asked. */
export interface Question {
  readonly call: JudgedCall;
  readonly decision: Decision;
}

export interface Answer {
  readonly effect: "allow" | "deny";
  /** Who answered; stands in the audit log. */
  readonly approver: string;
}

export interface ExecutorOptions {
  /** Null where a gateway stands before the model: then it has decided and written down already. */
  readonly gate: AuditedGate<CallOutcome> | null;
  readonly policy: Policy;
  readonly schemas: SchemaStore;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly blobs: BlobSink;
  readonly session: string;
  readonly requester: string;
  /** The dialect. */
  readonly source: string;
  readonly context: DecisionContext;
  readonly sha256: (text: string) => string;
  readonly now: () => number;
  readonly ask: (question: Question, signal: AbortSignal) => Promise<Answer>;
  readonly onEvent: (event: ExecutorEvent) => void;
  /** Bytes of a result that the model gets. Default 32 KiB. */
  readonly shownBytesMax?: number;
}

export type ExecutorEvent =
  | { readonly type: "call-start"; readonly call: JudgedCall }
  | { readonly type: "call-refused"; readonly call: JudgedCall; readonly message: string }
  | {
      readonly type: "call-end";
      readonly call: JudgedCall;
      readonly result: ToolOutcome["result"];
      readonly message: string;
      readonly text: string;
      /** SHA-256 of the whole output. */
      readonly hash: string;
      readonly omittedBytes: number;
    };

export class Executor {
  readonly #options: ExecutorOptions;
  /** How often each id of a call was used: some servers use theirs again. */
  readonly #used = new Map<string, number>();

  constructor(options: ExecutorOptions) {
    this.#options = options;
  }

  /**
   * The results in the order of the calls. `stop` stops all of them. Rejects where the audit log cannot be written, after
   * the calls that run have ended.
   */
  async run(calls: readonly JudgedCall[], stop: AbortSignal): Promise<ToolResultMessage[]> {
    const settled = await Promise.allSettled(calls.map((call) => this.#runCall(call, stop)));
    return settled.map((each, index) => {
      if (each.status === "rejected") throw each.reason;
      const { failed, text } = each.value;
      const { id = "", name = "" } = calls[index] ?? {};
      return { call: id, tool: name, text, failed };
    });
  }

  async #runCall(call: JudgedCall, stop: AbortSignal): Promise<CallOutcome> {
    const judged = { ...call, id: this.#uniqueId(call.id) };
    const verdict = await this.#verdict(judged, stop);
    if (verdict.type === "execute") return this.#execute(judged, verdict.timeoutMs, stop);
    if (verdict.type === "replay") return verdict.outcome;
    const message = verdict.type === "deny" ? verdict.message : "The same call is running";
    this.#options.onEvent({ type: "call-refused", call: judged, message });
    return { text: `Refused: ${message}`, failed: true };
  }

  /** Ids are unique in a session here. */
  #uniqueId(id: string): string {
    const before = this.#used.get(id) ?? 0;
    this.#used.set(id, before + 1);
    return before === 0 ? id : `${id}~${before}`;
  }

  async #verdict(
    call: JudgedCall,
    stop: AbortSignal,
  ): Promise<Exclude<CommitVerdict<CallOutcome>, { readonly type: "ask" }>> {
    const { ask, context, gate, now, policy, requester, schemas, session, source, tools } = this.#options;
    if (gate === null) {
      const structure = commitStructure(call, { tools, schemas });
      if (!structure.committed) return deny({ stage: "structural", reasons: structure.reasons });
      return { type: "execute", decision: decide(policy, call, context), timeoutMs: null, unenforced: null };
    }
    const identity = this.#identity(call);
    const { argumentsHash } = identity;
    const request = { call, tools, session, context, argumentsHash, requester, source };
    const verdict = await gate.admit(request, now());
    if (verdict.type !== "ask") return verdict;
    const answer = await ask({ call, decision: verdict.decision }, stop);
    const answered = await gate.answer(identity, answer, now());
    if (answered === undefined || answered.type === "ask") throw new TypeError("A question was answered twice");
    return answered;
  }

  async #execute(call: JudgedCall, timeoutMs: number | null, stop: AbortSignal): Promise<CallOutcome> {
    const { blobs, gate, now, onEvent, shownBytesMax, tools } = this.#options;
    onEvent({ type: "call-start", call });
    const output = new ResultText({ blobs, ...(shownBytesMax !== undefined && { shownBytesMax }) });
    const timeout = timeoutMs === null ? undefined : AbortSignal.timeout(timeoutMs);
    const signal = timeout === undefined ? stop : AbortSignal.any([stop, timeout]);
    const tool = tools.get(call.name);
    const ended = await runTool(tool, { arguments: fieldsOf(call.arguments), output, signal });
    const isLate = timeout?.aborted === true && ended.result === "cancelled";
    const { message, result } = isLate
      ? ({ result: "timed-out", message: `It was stopped after ${(timeoutMs ?? 0) / 1000} s` } as const)
      : ended;
    const { blob, omittedBytes, text } = output.end();
    const outcome = { text: [text, message].filter((part) => part !== "").join("\n"), failed: result !== "succeeded" };
    onEvent({ type: "call-end", call, result, message, text, hash: blob.hash, omittedBytes });
    await gate?.end(this.#identity(call), outcome, { result, outcomeHash: blob.hash }, now());
    return outcome;
  }

  #identity(call: JudgedCall): CallIdentity {
    const { session, sha256 } = this.#options;
    return { session, id: call.id, argumentsHash: sha256(call.argumentsText) };
  }
}

/** A tool that throws has failed, and its reason is told to the model. */
async function runTool(tool: Tool | undefined, run: Parameters<Tool["run"]>[0]): Promise<ToolOutcome> {
  if (tool === undefined) return { result: "failed", message: "There is no such tool" };
  try {
    if (run.signal.aborted) return { result: "cancelled", message: "It was stopped before it began" };
    return await tool.run(run);
  } catch (error) {
    if (run.signal.aborted) return { result: "cancelled", message: "It was stopped" };
    return { result: "failed", message: error instanceof Error ? error.message : String(error) };
  }
}
