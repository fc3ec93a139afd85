/**
 * The tool calls of a turn before the gate: each is decided and written down, and where the policy says *ask* a person
 * is asked. What comes out is which calls must not be passed on.
 *
 * Ordering law: `judge` resolves after the audit rows of all calls are durable. Whatever goes wrong refuses.
 */
import { sha256 } from "../audit/sha256.ts";
import type { Approval } from "../../core/dialogs/approval.ts";
import type { AuditedGate, OutcomeFacts } from "../../core/gate/audited-gate.ts";
import type { DecisionContext } from "../../core/gate/decide.ts";
import type { GateDenial, GateVerdict } from "../../core/gate/gate.ts";
import type { CallIdentity } from "../../core/gate/once.ts";
import { toolOutcome, type OutcomeRules } from "../../core/agents/tool-outcome.ts";
import { cutText } from "../../core/text/cut-text.ts";
import type { RequestPart } from "../../core/wire/read-request.ts";
import type { ToolSchema } from "../../core/wire/tool-schemas.ts";
import type { Dialect, ToolCall, Turn } from "../../core/wire/turn.ts";
import type { SessionEvent } from "../../core/records.ts";
import type { BlobSink } from "../../terminal/blob-sink.ts";
import { subjectOfCall } from "../approvals/call-subject.ts";
import { UNKNOWN_AGENT } from "./close-lost-calls.ts";
import type { QuestionList } from "../approvals/question-list.ts";

export interface CallJudgeOptions {
  /** Id of the session. */
  readonly session: string;
  /** Profile name of the agent; null where it is unknown. */
  readonly agent: string | null;
  readonly gate: AuditedGate<null>;
  readonly approvals: QuestionList;
  /** Where the whole of arguments goes that are too long for a question. */
  readonly blobs?: BlobSink | undefined;
  /** How long a question waits, in milliseconds; then it is denied. */
  readonly approvalMs: number;
  /** The agent's own question about a call that a person has allowed is answered from that. Default true. */
  readonly askOnce?: boolean | undefined;
  readonly context: () => DecisionContext;
  /** The rules by which the agent's results are read; undefined if it is not known. */
  readonly agentRules?: (() => OutcomeRules | undefined) | undefined;
  /** An earlier daemon passed calls on, whose results may come now. Default false. */
  readonly isResumed?: boolean | undefined;
  /** Writes an event into the session's journal; resolves with its offset. Never rejects. */
  readonly mark: (event: SessionEvent) => Promise<number>;
}

/** What is known of the request that a turn answers. */
export interface JudgedExchange {
  readonly id: string;
  readonly dialect: Dialect;
  readonly tools: ReadonlyMap<string, ToolSchema>;
  /** How often each id of a call was used in the conversation before. */
  readonly pastCalls: ReadonlyMap<string, number>;
  /** Aborted when the agent went away: nobody executes the calls any more. */
  readonly signal: AbortSignal;
}

export interface Judgement {
  /** By slot, why a call must not be passed on. */
  readonly denials: ReadonlyMap<number, string>;
  /** The id of each call in the audit log and the journal, by slot. */
  readonly callIds: readonly string[];
}

/** Calls that were passed on and whose results are awaited; the oldest is forgotten beyond this. */
const RUNNING_MAX = 10_000;
/** UTF-16 units of arguments that are kept in the journal. */
const ARGUMENTS_CHARS_MAX = 131_072;
const ALLOW_ONCE = "Allow this call, also where the agent asks about it itself";
const PROBLEMS_MAX = 5;
const DETAILS_CHARS_MAX = 4000;
const HASH_CHARS_SHOWN = 16;

interface RunningCall {
  readonly identity: CallIdentity;
  /** Null where the provider gave none: then the result names the tool only. */
  readonly wireId: string | null;
  readonly tool: string;
}

type ToolResultPart = RequestPart & { readonly type: "tool-result" };
type Verdict = Exclude<GateVerdict<null>, { readonly type: "look-up" }>;

export class CallJudge {
  readonly #options: CallJudgeOptions;
  readonly #running = new Map<string, RunningCall>();

  constructor(options: CallJudgeOptions) {
    this.#options = options;
  }

  /** Rejects only where the audit log cannot be written. */
  async judge(turn: Turn, exchange: JudgedExchange): Promise<Judgement> {
    const denials = new Map<number, string>();
    const questions: Promise<void>[] = [];
    const callIds = turn.toolCalls.map((call) => auditId(call, exchange));
    for (const call of turn.toolCalls) {
      const identified = { ...call, id: callIds[call.slot] ?? call.id };
      const verdict = await this.#admit(identified, exchange);
      await this.#markCall(identified, verdict, exchange);
      if (verdict.type === "ask") {
        questions.push(
          this.#ask(identified, exchange).then((reason) => void (reason && denials.set(call.slot, reason))),
        );
      } else if (verdict.type !== "execute") denials.set(call.slot, reasonOf(verdict));
    }
    await Promise.all(questions);
    for (const call of turn.toolCalls) {
      if (!denials.has(call.slot)) this.#remember(call, callIds[call.slot] ?? call.id);
    }
    return { denials, callIds };
  }

  /** The agent sends what came out of calls that were passed on. */
  async settle(parts: readonly RequestPart[], nowMs: number): Promise<void> {
    for (const part of parts) {
      if (part.type !== "tool-result") continue;
      const found = this.#runningOf(part);
      if (found === undefined) {
        await this.#settleEarlier(part, nowMs);
        continue;
      }
      const { identity, tool } = found;
      this.#running.delete(identity.id);
      this.#options.approvals.allowedCalls.settle(this.#options.session, identity.id);
      await this.#options.gate.end(identity, null, this.#factsOf(part, tool), nowMs);
    }
  }

  /** The session has ended: calls that were passed on and have no result get none any more. */
  async end(nowMs: number): Promise<void> {
    const facts = { result: "unknown", evidence: "the session ended first", outcomeHash: null } as const;
    for (const { identity } of this.#running.values()) await this.#options.gate.end(identity, null, facts, nowMs);
    this.#running.clear();
  }

  /** Without an id of the provider nothing tells which call of an earlier daemon is meant. */
  async #settleEarlier(part: ToolResultPart, nowMs: number): Promise<void> {
    const { gate, isResumed = false, session } = this.#options;
    if (!isResumed || part.call === null) return;
    const earlier = { session, call: part.call, outcome: null };
    await gate.endEarlier(earlier, (tool) => this.#factsOf(part, tool), nowMs);
  }

  #factsOf({ isError, text }: ToolResultPart, tool: string): OutcomeFacts {
    return { ...toolOutcome({ tool, text, isError }, this.#options.agentRules?.()), outcomeHash: sha256(text) };
  }

  #admit(call: ToolCall, exchange: JudgedExchange): Promise<Verdict> {
    const { agent, context, gate, session } = this.#options;
    return gate.admit(
      {
        call,
        tools: exchange.tools,
        session,
        context: context(),
        argumentsHash: sha256(call.argumentsText),
        requester: agent ?? UNKNOWN_AGENT,
        source: exchange.dialect,
      },
      Date.now(),
    );
  }

  /** The reason of a denial; undefined where the call was allowed. */
  async #ask(call: ToolCall, exchange: JudgedExchange): Promise<string | undefined> {
    const { approvalMs, approvals, gate, session } = this.#options;
    const identity = this.#identity(call);
    const id = await approvals.freshId();
    const { promise: answered, resolve: answer } = Promise.withResolvers<Answer>();
    const offset = await this.#markApproval(id, { call, exchange, state: "open", by: null });
    const timer = setTimeout(() => answer({ effect: "deny", by: "timeout" }), approvalMs);
    const onAbort = (): void => answer({ effect: "deny", by: "agent-gone" });
    exchange.signal.addEventListener("abort", onAbort, { once: true });
    if (exchange.signal.aborted) onAbort();
    try {
      approvals.open({
        session,
        approval: this.#approvalOf(call, id, offset),
        argumentsHash: identity.argumentsHash,
        answer: ({ effect }, by) => answer({ effect: effect === "allow" ? "allow" : "deny", by }),
      });
      const { by, effect } = await answered;
      const verdict = await gate.answer(identity, { effect, approver: by }, Date.now());
      const isAllowed = verdict?.type === "execute";
      const state = isAllowed ? "allowed" : by === "agent-gone" ? "gone" : "denied";
      await this.#markApproval(id, { call, exchange, state, by });
      if (isAllowed) {
        const { argumentsText } = call;
        if (this.#asksOnce) approvals.allowedCalls.add(session, { approval: id, call: call.id, argumentsText, by });
        return undefined;
      }
      return effect === "allow" && verdict?.type === "deny" ? verdict.message : refusal(by);
    } finally {
      clearTimeout(timer);
      exchange.signal.removeEventListener("abort", onAbort);
      approvals.close(session, id);
    }
  }

  get #asksOnce(): boolean {
    return this.#options.askOnce ?? true;
  }

  #approvalOf(call: ToolCall, id: string, offset: number): Approval {
    return {
      id,
      source: "wire",
      kind: "permission",
      agent: this.#options.agent,
      question: `May the tool "${call.name}" run?`,
      ...subjectOfCall(call),
      details: this.#detailsOf(call.argumentsText),
      options: [
        { id: "allow", label: this.#asksOnce ? ALLOW_ONCE : "Allow this call", effect: "allow" },
        { id: "deny", label: "Deny this call", effect: "deny" },
      ],
      selected: null,
      isComplete: call.argumentsText.length <= DETAILS_CHARS_MAX,
      offset,
      timeUs: Date.now() * 1000,
      state: "open",
      whyHint: null,
      answer: null,
    };
  }

  /** A person sees where it was cut, and how to read all of it. */
  #detailsOf(text: string): string {
    return cutText(text, DETAILS_CHARS_MAX, () => {
      const kept = this.#keep(text);
      return kept === undefined
        ? "the rest was not kept"
        : `all of it: lectern blob ${kept.slice(0, HASH_CHARS_SHOWN)}`;
    });
  }

  /** The hash under which the whole can be read; undefined if the disk did not take it. */
  #keep(text: string): string | undefined {
    try {
      const writer = this.#options.blobs?.open();
      writer?.write(Buffer.from(text));
      const blob = writer?.end();
      return blob?.kept === true ? blob.hash : undefined;
    } catch {
      // The question says that the rest was not kept.
      return undefined;
    }
  }

  #identity(call: Pick<ToolCall, "id" | "argumentsText">): CallIdentity {
    return { session: this.#options.session, id: call.id, argumentsHash: sha256(call.argumentsText) };
  }

  #remember(call: ToolCall, id: string): void {
    const [oldest] = this.#running.keys();
    if (this.#running.size >= RUNNING_MAX && oldest !== undefined) this.#running.delete(oldest);
    const identity = this.#identity({ id, argumentsText: call.argumentsText });
    this.#running.set(id, { identity, wireId: call.idSynthetic ? null : call.id, tool: call.name });
  }

  #runningOf(part: ToolResultPart): RunningCall | undefined {
    for (const running of this.#running.values()) {
      if (running.wireId !== null && running.wireId === part.call) return running;
    }
    // Without ids of the provider the oldest call of that tool is meant; agents make up ids of their own then.
    for (const running of this.#running.values()) {
      if (running.wireId === null && running.tool === part.tool) return running;
    }
    return undefined;
  }

  async #markCall(call: ToolCall, verdict: Verdict, { dialect }: JudgedExchange): Promise<void> {
    const { argumentsText, finish, id, kind, name, provenance, status } = call;
    const decision = "decision" in verdict ? verdict.decision : undefined;
    const unenforced = verdict.type === "execute" ? verdict.unenforced : null;
    const { type } = unenforced ?? verdict;
    const denial =
      verdict.type === "deny" ? verdict.denial : unenforced?.type === "deny" ? unenforced.denial : undefined;
    const isByPolicy = decision !== undefined && denial?.stage !== "limit";
    await this.#options.mark({
      type: "wire-tool-call",
      call: id,
      kind,
      tool: name,
      argumentsText: argumentsText.length > ARGUMENTS_CHARS_MAX ? null : argumentsText,
      argumentsHash: sha256(argumentsText),
      status,
      provenance,
      finish,
      source: dialect,
      effect: type === "execute" ? "allow" : type === "ask" ? "ask" : "deny",
      decidedBy: isByPolicy ? (decision.rule?.id ?? decision.source) : (denial?.stage ?? type),
      ...(unenforced !== null && { enforced: false }),
    });
  }

  #markApproval(
    approval: string,
    given: {
      readonly call: ToolCall;
      readonly exchange: JudgedExchange;
      readonly state: "open" | "allowed" | "denied" | "gone";
      readonly by: string | null;
    },
  ): Promise<number> {
    const { by, call, exchange, state } = given;
    return this.#options.mark({
      type: "wire-approval",
      exchange: exchange.id,
      call: call.id,
      approval,
      state,
      by,
    });
  }
}

interface Answer {
  readonly effect: "allow" | "deny";
  readonly by: string;
}

/** Ids are unique in a session here: some servers use theirs again in a later turn, and some give none. */
function auditId(call: ToolCall, exchange: JudgedExchange): string {
  if (call.idSynthetic) return `${exchange.id}.${call.slot}`;
  const before = exchange.pastCalls.get(call.id) ?? 0;
  return before === 0 ? call.id : `${call.id}~${before}`;
}

function reasonOf(verdict: Exclude<Verdict, { readonly type: "execute" | "ask" }>): string {
  if (verdict.type === "deny") return [verdict.message, ...schemaProblems(verdict.denial)].join("; ");
  return "The same call was passed on before, and no call runs twice";
}

/** What the model needs to know to write the call anew. */
const schemaProblems = (denial: GateDenial): string[] =>
  denial.stage === "structural"
    ? denial.reasons.flatMap(({ problems }) =>
        problems.slice(0, PROBLEMS_MAX).map(({ message, path }) => `${path} ${message}`.trim()),
      )
    : [];

const refusal = (by: string): string =>
  by === "timeout" ? "Nobody approved it in time" : `It was not approved (${by})`;
