/**
 * The gate as one state machine for the calls of many sessions: structural commit, identity, policy and limits, in this order. It
 * executes and writes nothing. `execute` is returned exactly once per call; the caller writes the audit row before acting on it.
 */
import { namedWithLine } from "./data-file.ts";
import { isUnread, type Decision, type DecisionContext, type Verdict } from "./decide.ts";
import { findingOf, type CallFinding } from "./finding.ts";
import { CallLimits } from "./limits.ts";
import { Once, type CallIdentity } from "./once.ts";
import { toolSettings, type Policy } from "./policy.ts";
import { SchemaStore } from "./schemas.ts";
import type { StructuralReason } from "./structural.ts";
import type { JudgedCall, ToolDefinition } from "./tool-call.ts";

/** One call to decide about. */
export interface GateRequest {
  readonly call: JudgedCall;
  /** The tools of the request that the call answers. */
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  readonly session: string;
  readonly context: DecisionContext;
  readonly argumentsHash: string;
  /** After a `look-up` the caller did not find the call in the audit log. */
  readonly isNew?: boolean;
  /** Made elsewhere for this call by this policy. Default: made here. */
  readonly finding?: CallFinding | undefined;
}

/** The stage that refused a call, and its reason. */
export type GateDenial =
  | { readonly stage: "structural"; readonly reasons: readonly StructuralReason[] }
  /** The id was used with other arguments, too many calls are open, or an earlier run did not finish. */
  | { readonly stage: "identity"; readonly code: "conflict" | "full" | "unfinished" }
  | { readonly stage: "policy"; readonly decision: Decision }
  | {
      readonly stage: "limit";
      readonly decision: Decision;
      readonly limit: { readonly id: string; readonly line: number };
      readonly retryInMs: number | null;
    }
  /** A person or a timeout answered no. */
  | { readonly stage: "answer"; readonly decision: Decision };

/** What the policy would have done with a call that its mode `log-only` let pass. */
export type Unenforced =
  | { readonly type: "execute" | "ask" }
  | { readonly type: "deny"; readonly denial: Extract<GateDenial, { readonly stage: "policy" | "limit" }> };

/** Refused whatever the policy says, so that its mode does not change them. */
const alwaysDenied: ReadonlySet<Verdict["source"]> = new Set<Verdict["source"]>(["unfinished", "lectern"]);

/** What to do with a call. `execute` comes once for each call; its `timeoutMs` is null if the policy sets no limit, and `unenforced` is null if the policy is enforced. */
export type GateVerdict<Outcome> =
  | {
      readonly type: "execute";
      readonly decision: Decision;
      readonly timeoutMs: number | null;
      readonly unenforced: Unenforced | null;
    }
  | { readonly type: "ask"; readonly decision: Decision }
  | { readonly type: "deny"; readonly denial: GateDenial; readonly message: string }
  /** It was executed before, with this outcome. */
  | { readonly type: "replay"; readonly outcome: Outcome }
  /** The same call waits for an answer or is running. */
  | { readonly type: "wait" }
  /** Old calls were evicted from memory: search the audit log, then `restore` the call or ask again with `isNew`. */
  | { readonly type: "look-up" };

interface AskedCall {
  readonly tool: string;
  readonly decision: Decision;
}

/** The policy, and the limits of the memory of a gate. */
export interface GateOptions {
  readonly policy: Policy;
  /** Shared between gates, so that schemas are compiled once. */
  readonly schemas?: SchemaStore;
  /** Calls that are remembered. Default 10,000. */
  readonly callsMax?: number;
  /** The audit log is older than this process: unknown calls are looked up in it. Default false. */
  readonly continues?: boolean;
}

/**
 * Decides about the calls of many sessions: structure, identity, policy and limits, in this order. It executes and writes nothing. `admit`
 * returns `execute` once for each call. Times are in milliseconds of any clock that does not go back.
 *
 * @example
 * ```ts
 * const gate = new Gate<string>({ policy });
 * const verdict = gate.admit({ call, tools, session: "s1", context, argumentsHash: sha256(call.argumentsText) }, Date.now());
 * if (verdict.type === "execute") gate.end({ session: "s1", id: call.id, argumentsHash }, "output");
 * ```
 */
export class Gate<Outcome> {
  readonly #schemas: SchemaStore;
  readonly #once: Once<Outcome>;
  readonly #policy: Policy;
  readonly #limits: CallLimits;
  /** Calls that wait for an answer, by identity. */
  readonly #asked = new Map<string, AskedCall>();

  constructor(options: GateOptions) {
    this.#schemas = options.schemas ?? new SchemaStore({ patterns: options.policy.patterns });
    const { callsMax, continues = false } = options;
    this.#once = new Once({ continues, ...(callsMax !== undefined && { callsMax }) });
    this.#policy = options.policy;
    this.#limits = new CallLimits(options.policy.limits);
  }

  admit(request: GateRequest, nowMs: number): GateVerdict<Outcome> {
    const { call } = request;
    const found = request.finding ?? findingOf(request, { policy: this.#policy, schemas: this.#schemas });
    const { decision } = found;
    if (decision === null) return deny({ stage: "structural", reasons: found.reasons });
    const identity = identityOf(request);
    const answer = this.#once.begin(identity, { isNew: request.isNew === true });
    switch (answer.type) {
      case "first":
        return this.#enforce({ tool: call.name, decision }, identity, nowMs);
      case "replayed":
        return { type: "replay", outcome: answer.outcome };
      case "running":
        return { type: "wait" };
      case "forgotten":
        return { type: "look-up" };
      case "conflict":
      case "full":
        return deny({ stage: "identity", code: answer.type });
      default:
        return deny({ stage: "identity", code: "conflict" });
    }
  }

  /** Answers an `ask`. Undefined if nothing waits under this identity: it was answered before. */
  answer(identity: CallIdentity, effect: "allow" | "deny", nowMs: number): GateVerdict<Outcome> | undefined {
    const key = keyOf(identity);
    const asked = this.#asked.get(key);
    if (asked === undefined) return undefined;
    this.#asked.delete(key);
    if (effect === "allow") return this.#start(identity, asked, nowMs);
    this.#once.cancel(identity);
    return deny({ stage: "answer", decision: asked.decision });
  }

  /** Ends an executed call, whatever its result. False if it was not running. */
  end(identity: CallIdentity, outcome: Outcome): boolean {
    if (this.#asked.has(keyOf(identity)) || !this.#once.end(identity, outcome)) return false;
    this.#limits.end(keyOf(identity));
    return true;
  }

  /** An admitted call did not start (its audit row could not be written): it may be repeated. */
  cancel(identity: CallIdentity): void {
    const key = keyOf(identity);
    this.#asked.delete(key);
    this.#limits.end(key);
    this.#once.cancel(identity);
  }

  /** Adds a call that was executed before, from the audit log. */
  restore(identity: CallIdentity, outcome: Outcome): void {
    this.#once.restore(identity, outcome);
  }

  #enforce(asked: AskedCall, identity: CallIdentity, nowMs: number): GateVerdict<Outcome> {
    const { decision, tool } = asked;
    const isAlwaysDenied =
      isUnread(this.#policy, tool) ||
      decision.verdicts.some(({ effect, source }) => effect === "deny" && alwaysDenied.has(source));
    if (this.#policy.mode === "log-only" && !isAlwaysDenied)
      return { type: "execute", decision, timeoutMs: null, unenforced: this.#unenforced(identity, asked, nowMs) };
    if (decision.effect === "allow") return this.#start(identity, asked, nowMs);
    if (decision.effect === "ask") {
      this.#asked.set(keyOf(identity), asked);
      return { type: "ask", decision };
    }
    this.#once.cancel(identity);
    return deny({ stage: "policy", decision });
  }

  #unenforced(identity: CallIdentity, { decision, tool }: AskedCall, nowMs: number): Unenforced {
    if (decision.effect === "ask") return { type: "ask" };
    if (decision.effect === "deny") return { type: "deny", denial: { stage: "policy", decision } };
    const admission = this.#limits.admit({ key: keyOf(identity), tool, session: identity.session }, nowMs);
    if (admission.admitted) return { type: "execute" };
    const { limit, retryInMs } = admission;
    return { type: "deny", denial: { stage: "limit", decision, limit, retryInMs } };
  }

  #start(identity: CallIdentity, { tool, decision }: AskedCall, nowMs: number): GateVerdict<Outcome> {
    const admission = this.#limits.admit({ key: keyOf(identity), tool, session: identity.session }, nowMs);
    if (!admission.admitted) {
      this.#once.cancel(identity);
      return deny({ stage: "limit", decision, limit: admission.limit, retryInMs: admission.retryInMs });
    }
    const timeoutMs = toolSettings(this.#policy, tool)?.timeoutMs ?? null;
    return { type: "execute", decision, timeoutMs, unenforced: null };
  }
}

export const identityOf = ({
  argumentsHash,
  call,
  session,
}: Pick<GateRequest, "argumentsHash" | "call" | "session">): CallIdentity => ({ session, id: call.id, argumentsHash });

/** Includes the hash, so that approving one text does not approve another one with the same id. */
export const keyOf = ({ session, id, argumentsHash }: CallIdentity): string =>
  `${session.length}:${session}${id.length}:${id}${argumentsHash}`;

/** A refusal with its message. */
export const deny = (
  denial: GateDenial,
): { readonly type: "deny"; readonly denial: GateDenial; readonly message: string } => ({
  type: "deny",
  denial,
  message: messageOf(denial),
});

const identityMessages = {
  conflict: "The id of this call was used with other arguments",
  full: "Too many calls are open",
  unfinished: "This call was started before and how far it came is not known, so it is not run again",
} as const;

/** One sentence for the model and for people. */
function messageOf(denial: GateDenial): string {
  switch (denial.stage) {
    case "structural":
      return denial.reasons.map((reason) => reason.message).join("; ");
    case "identity":
      return identityMessages[denial.code];
    case "policy":
      return denial.decision.message;
    case "limit": {
      const wait = denial.retryInMs === null ? "" : `, try again in ${Math.ceil(denial.retryInMs / 1_000)} s`;
      return `The limit ${namedWithLine(denial.limit.id, denial.limit.line)} is reached${wait}`;
    }
    case "answer":
      return "The call was not approved";
    default:
      return "The call was denied";
  }
}
