/**
 * Which hosts the programs of one sandboxed session may reach: those that its profile names, and those that a person has allowed for the
 * session. Names are resolved here, only after the name is allowed (a query of the DNS is a message too), and the caller connects to the
 * addresses of the verdict, so that no second answer of the DNS counts.
 *
 * Each host that is refused is in the journal (`net-denied`) and in the audit log before the program is answered; repeated attempts are
 * counted.
 */
import { createHash, randomUUID } from "node:crypto";
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Approval } from "../../core/dialogs/approval.ts";
import type { AuditRow } from "../../core/gate/audit-chain.ts";
import {
  type HostPattern,
  hostMatches,
  type HostTarget,
  normalHost,
  targetText,
} from "../../core/network/host-patterns.ts";
import type { SessionEvent } from "../../core/records.ts";
import type { QuestionList } from "../approvals/question-list.ts";
import type { AuditStore } from "../audit/audit-store.ts";
import { addressKind } from "./addresses.ts";

export interface HostGateOptions {
  readonly session: string;
  /** Profile name of the agent; null where it is unknown. */
  readonly agent: string | null;
  readonly patterns: readonly HostPattern[];
  /** Whether a person is asked about a host that no pattern is for. */
  readonly asks: boolean;
  /** How long a question waits, in milliseconds; then this attempt is refused. */
  readonly approvalMs: number;
  /** `host:port` that a person has allowed before. */
  readonly allowed: readonly string[];
  /** Called with all that a person has allowed, after each answer that allows one more. */
  readonly onAllowed: (allowed: readonly string[]) => void;
  readonly approvals: QuestionList;
  readonly audit: Pick<AuditStore, "append">;
  /** Writes an event into the session's journal; resolves with its offset. Never rejects. */
  readonly mark: (event: SessionEvent) => Promise<number>;
  /** All addresses of a name. Default: those of the system. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

/** `failed`: it is allowed and cannot be found. */
export type HostVerdict =
  | { readonly type: "open"; readonly target: HostTarget; readonly addresses: readonly string[] }
  | { readonly type: "refused" | "failed"; readonly reason: string };

/** Hosts that get a mark and a row; further ones are only refused. */
const REPORTED_HOSTS_MAX = 200;
/** Questions of one session, answered ones too. */
const QUESTIONS_MAX = 100;
const PORT_MAX = 65_535;

const systemAddresses = async (host: string): Promise<readonly string[]> =>
  (await lookup(host, { all: true })).map(({ address }) => address);

export class HostGate implements Disposable {
  readonly #options: HostGateOptions;
  readonly #allowed: Set<string>;
  /** A person has refused them. */
  readonly #refused = new Map<string, string>();
  readonly #questions = new Map<string, Promise<string | undefined>>();
  readonly #attempts = new Map<string, number>();
  readonly #end = new AbortController();
  #asked = 0;

  constructor(options: HostGateOptions) {
    this.#options = options;
    this.#allowed = new Set(options.allowed);
  }

  /** Its session has ended: open questions are withdrawn. */
  [Symbol.dispose](): void {
    this.#end.abort();
  }

  /** Rejects only where the audit log cannot be written. */
  async check(host: string, port: number): Promise<HostVerdict> {
    const name = normalHost(host);
    if (name === undefined || !Number.isInteger(port) || port < 1 || port > PORT_MAX)
      return { type: "refused", reason: "That is not a host and a port" };
    const target = { host: name, port };
    const refusal = this.#isNamed(target) ? undefined : await this.#refusalOf(target);
    if (refusal !== undefined) return await this.#refuse(target, refusal, { isAudited: this.#options.asks });
    const addresses = await this.#addressesOf(name).catch(() => []);
    if (addresses.length === 0) return { type: "failed", reason: `The host "${name}" has no address` };
    const open = addresses.filter((address) => this.#mayReach(address, target));
    if (open.length > 0) return { type: "open", target, addresses: open };
    const [first = ""] = addresses;
    const kind = `${first} is ${addressKind(first)}`;
    return await this.#refuse(target, `its address ${kind}: name the address itself in "network" to allow it`, {
      isAudited: false,
    });
  }

  #isNamed(target: HostTarget): boolean {
    return (
      this.#allowed.has(targetText(target)) || this.#options.patterns.some((pattern) => hostMatches(pattern, target))
    );
  }

  #addressesOf(host: string): Promise<readonly string[]> {
    if (isIP(host) !== 0) return Promise.resolve([host]);
    return (this.#options.resolve ?? systemAddresses)(host);
  }

  /** An address that is not public must be named itself; `localhost` names the loopback. */
  #mayReach(address: string, { host, port }: HostTarget): boolean {
    const kind = addressKind(address);
    return (
      kind === undefined || (kind === "loopback" && host === "localhost") || this.#isNamed({ host: address, port })
    );
  }

  /** Undefined if a person allows it. */
  #refusalOf(target: HostTarget): Promise<string | undefined> {
    const text = targetText(target);
    const notNamed = "it is not among the hosts that this session may reach";
    const earlier = this.#refused.get(text);
    if (earlier !== undefined) return Promise.resolve(earlier);
    if (!this.#options.asks || this.#end.signal.aborted) return Promise.resolve(notNamed);
    const waiting = this.#questions.get(text);
    if (waiting !== undefined) return waiting;
    if (this.#asked >= QUESTIONS_MAX) return Promise.resolve(`${notNamed}, and ${QUESTIONS_MAX} questions were asked`);
    this.#asked += 1;
    const question = this.#ask(text).finally(() => this.#questions.delete(text));
    this.#questions.set(text, question);
    return question;
  }

  async #ask(text: string): Promise<string | undefined> {
    const { approvalMs, approvals, audit, onAllowed, session } = this.#options;
    const { promise: answered, resolve: answer } = Promise.withResolvers<Answer>();
    const id = await approvals.freshId();
    const subject = { session, call: `network-${id}` };
    await audit.append([this.#decision(text, { call: subject.call, effect: "ask", evidence: `connect to ${text}` })]);
    const timer = setTimeout(() => answer({ effect: "deny", by: "timeout" }), approvalMs);
    const onEnd = (): void => answer({ effect: "deny", by: "session-ended" });
    this.#end.signal.addEventListener("abort", onEnd, { once: true });
    if (this.#end.signal.aborted) onEnd();
    try {
      approvals.open({
        session,
        approval: this.#approvalOf(id, text),
        answer: ({ effect }, by) => answer({ effect: effect === "allow" ? "allow" : "deny", by }),
      });
      const { by, effect } = await answered;
      const timeMs = Date.now();
      const row = { ...subject, type: "answer", timeMs, effect, approver: by } as const;
      if (effect === "deny") {
        await audit.append([row]);
        const reason = by === "timeout" ? "nobody allowed it in time" : `it was not allowed (${by})`;
        if (by !== "timeout") this.#refused.set(text, reason);
        return reason;
      }
      // To open the way is all that is done for it.
      const start = { ...subject, type: "start", timeMs, executor: "gateway" } as const;
      const outcome = { ...subject, type: "outcome", timeMs, result: "succeeded", outcomeHash: null } as const;
      await audit.append([row, start, outcome]);
      this.#allowed.add(text);
      onAllowed([...this.#allowed]);
      return undefined;
    } finally {
      clearTimeout(timer);
      this.#end.signal.removeEventListener("abort", onEnd);
      approvals.close(session, id);
    }
  }

  #approvalOf(id: string, text: string): Approval {
    return {
      id,
      source: "wire",
      kind: "permission",
      agent: this.#options.agent,
      question: `May the programs of this session connect to "${text}"?`,
      tool: null,
      command: null,
      change: null,
      directory: null,
      reason: null,
      details: text,
      options: [
        { id: "allow", label: "Allow this host and port until the session ends", effect: "allow" },
        { id: "deny", label: "Refuse this host and port until the session ends", effect: "deny" },
      ],
      selected: null,
      isComplete: true,
      offset: 0,
      timeUs: Date.now() * 1000,
      state: "open",
      whyHint: null,
      answer: null,
    };
  }

  /** The first attempt is reported, then the 10th, the 100th and so on. */
  async #refuse(target: HostTarget, why: string, { isAudited }: { readonly isAudited: boolean }): Promise<HostVerdict> {
    const text = targetText(target);
    const reason = `Lectern: the sandbox of this session does not allow "${text}": ${why}`;
    const attempts = (this.#attempts.get(text) ?? 0) + 1;
    if (attempts > 1 || this.#attempts.size < REPORTED_HOSTS_MAX) {
      this.#attempts.set(text, attempts);
      const isMarked = Number.isInteger(Math.log10(attempts));
      const marked = isMarked && this.#options.mark({ type: "net-denied", ...target, reason: why, attempts });
      if (attempts === 1 && !isAudited) {
        const call = `network-${randomUUID()}`;
        const evidence = `connect to ${text}: ${why}`;
        await this.#options.audit.append([this.#decision(text, { call, effect: "deny", evidence })]);
      }
      // With the answer the program may end, and a session that has ended takes no marks.
      await marked;
    }
    return { type: "refused", reason };
  }

  #decision(
    text: string,
    facts: { readonly call: string; readonly effect: "ask" | "deny"; readonly evidence: string },
  ) {
    return {
      type: "decision",
      session: this.#options.session,
      timeMs: Date.now(),
      requester: this.#options.agent ?? "program",
      tool: "network",
      source: "sandbox",
      provenance: "wire",
      argumentsHash: createHash("sha256").update(text).digest("hex"),
      decidedBy: "sandbox-network",
      line: null,
      policyHash: null,
      ...facts,
    } as const satisfies AuditRow;
  }
}

interface Answer {
  readonly effect: "allow" | "deny";
  readonly by: string;
}
