/**
 * What follows when an agent is found to pass by the gateway: a mark in the journal, a row of the audit log, a line of the daemon's log,
 * and a question to a person, or with `mustGate` the end of the session.
 */
import { createHash, randomUUID } from "node:crypto";
import { noSubject, type ApprovalOption } from "../../core/dialogs/approval.ts";
import type { SessionEvent } from "../../core/records.ts";
import { waits } from "../../core/waits.ts";
import type { SessionGate } from "../../protocol/session.ts";
import type { QuestionList } from "../approvals/question-list.ts";
import type { AuditStore } from "../audit/audit-store.ts";
import { endPrograms } from "../sessions/end-programs.ts";
import { readGateFile, writeGateFile } from "../sessions/gate-file.ts";
import { GateWatch, type GateWatchOptions } from "../sessions/gate-watch.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";

export interface GateReportsOptions {
  readonly entry: SessionEntry;
  readonly agent: string | null;
  /** The session ends where it is not gated. */
  readonly mustGate: boolean;
  readonly approvals: Pick<QuestionList, "freshId" | "open" | "close">;
  readonly audit: Pick<AuditStore, "append">;
  readonly mark: (event: SessionEvent) => Promise<number>;
  readonly onError: (error: unknown) => void;
}

const EVIDENCE_CHARS_MAX = 900;
const OPTIONS: readonly ApprovalOption[] = [
  { id: "end", label: "End the session", effect: "deny" },
  { id: "go-on", label: "Go on: no policy and no audit log for what it does", effect: "allow" },
];

/** The audit log names a report like a call. */
interface OpenReport {
  readonly call: string;
  /** Of the question; absent until it is asked. */
  question?: string;
}

export class GateReports {
  readonly #options: GateReportsOptions;
  #report: OpenReport | undefined;

  constructor(options: GateReportsOptions) {
    this.#options = options;
  }

  /** A watch that reports here, and goes on with what an earlier daemon knew. */
  watch(options: Omit<GateWatchOptions, "known" | "onState" | "onCounts">): GateWatch {
    const { entry } = this.#options;
    const known = readGateFile(entry.directory);
    const watch = new GateWatch({
      ...options,
      known,
      onState: (gate) => this.#take(gate),
      onCounts: (gate) => this.#keep(gate),
    });
    if (known === null) this.#keep(watch.facts);
    else this.#restore(known);
    void entry.untilEnd().then(() => this.#end());
    return watch;
  }

  /** The state has changed. */
  #take(gate: SessionGate): void {
    const { mark } = this.#options;
    const { evidence, state } = gate;
    this.#keep(gate);
    void mark({ type: "wire-gate", state, evidence });
    if (state === "on") this.#settle("allow", "the gateway, which sees its requests");
    else this.#alarm(gate);
  }

  /** An earlier daemon had found this. */
  #restore(gate: SessionGate): void {
    if (gate.state === "not-gated") this.#ask(gate, { call: `gate-${randomUUID()}` });
  }

  /** For the next daemon. */
  #keep(gate: SessionGate): void {
    const { entry, onError } = this.#options;
    try {
      writeGateFile(entry.directory, gate);
    } catch (error) {
      onError(error);
    }
  }

  #end(): void {
    this.#settle("deny", "the end of the session");
  }

  #alarm(gate: SessionGate): void {
    const { agent, entry, mustGate, onError } = this.#options;
    const report: OpenReport = { call: `gate-${randomUUID()}` };
    this.#append({
      type: "decision",
      ...this.#subject(report),
      requester: agent ?? "agent",
      tool: "gateway",
      source: "daemon",
      provenance: "wire",
      argumentsHash: createHash("sha256").update("").digest("hex"),
      effect: "deny",
      decidedBy: "not-gated",
      line: null,
      policyHash: gate.policyHash,
      evidence: factsOf(gate).slice(0, EVIDENCE_CHARS_MAX),
    });
    if (!entry.live) return;
    onError(new Error(`Session "${entry.stored.name}" is not gated: ${gate.evidence}`));
    if (mustGate) endPrograms(entry, waits.graceMs).catch(onError);
    else this.#ask(gate, report);
  }

  #ask(gate: SessionGate, report: OpenReport): void {
    const { agent, approvals, entry, onError } = this.#options;
    this.#report = report;
    const open = (id: string): void => {
      if (this.#report !== report || !entry.live) return;
      report.question = id;
      const timeUs = Date.now() * 1000;
      approvals.open({
        session: entry.id,
        approval: {
          ...noSubject,
          id,
          source: "wire",
          kind: "question",
          agent,
          question: `${agent ?? "The agent"} is not gated: end the session?`,
          details: factsOf(gate),
          options: OPTIONS,
          selected: null,
          isComplete: true,
          offset: entry.activity.end,
          timeUs,
          state: "open",
          whyHint: null,
          answer: null,
        },
        answer: async ({ effect }, by) => {
          const answer = effect === "allow" ? "allow" : "deny";
          this.#settle(answer, by);
          if (answer === "deny") await endPrograms(entry, waits.graceMs);
        },
      });
    };
    void approvals.freshId().then(open).catch(onError);
  }

  #settle(effect: "allow" | "deny", approver: string): void {
    const report = this.#report;
    if (report === undefined) return;
    this.#report = undefined;
    const { approvals, entry } = this.#options;
    if (report.question !== undefined) approvals.close(entry.id, report.question);
    this.#append({ type: "answer", ...this.#subject(report), effect, approver });
  }

  #subject({ call }: OpenReport): { readonly session: string; readonly call: string; readonly timeMs: number } {
    return { session: this.#options.entry.id, call, timeMs: Date.now() };
  }

  #append(row: Parameters<AuditStore["append"]>[0][number]): void {
    const { audit, onError } = this.#options;
    audit.append([row]).catch(onError);
  }
}

/** For people: the evidence, and what the gateway has seen of the session. */
function factsOf({ calls, evidence, lastRequestAt, requests }: SessionGate): string {
  const last = lastRequestAt === null ? "" : `, the last one at ${lastRequestAt}`;
  return `${evidence ?? "no request"} (${requests} requests${last}; ${calls} tool calls)`;
}
