/** Approvals and status of one session, in the order that they need: the approvals of a step come before its status. */
import type { Approval } from "../dialogs/approval.ts";
import { builtInAgents } from "../agents/built-in-agents.ts";
import type { AgentRegistry } from "../agents/registry.ts";
import { ApprovalFold, type ApprovalFoldState } from "../approvals/approval-fold.ts";
import type { Fold, Step } from "../observe/step.ts";
import { StatusFold, type StatusFoldState } from "./status-fold.ts";
import type { SessionStatus } from "./status.ts";

export type WatchChange =
  | { readonly type: "approval"; readonly approval: Approval }
  | { readonly type: "status"; readonly status: SessionStatus };

export interface WatchState {
  readonly approvals: ApprovalFoldState;
  readonly status: StatusFoldState;
}

export class Watch implements Fold<WatchChange, WatchState> {
  readonly #approvals: ApprovalFold;
  readonly #status: StatusFold;

  constructor(state?: WatchState, agents: AgentRegistry = builtInAgents) {
    this.#approvals = new ApprovalFold(state?.approvals, agents);
    this.#status = new StatusFold(state?.status, agents);
  }

  /** The approval that stands now; null where none does. */
  get approval(): Approval | null {
    return this.#approvals.open;
  }

  /** Null before the first step. */
  get status(): SessionStatus | null {
    return this.#status.status;
  }

  get wakeUs(): number | null {
    const times = [this.#approvals.wakeUs, this.#status.wakeUs].filter((time) => time !== null);
    return times.length === 0 ? null : Math.min(...times);
  }

  step(step: Step): readonly WatchChange[] {
    const approvals = this.#approvals.step(step);
    const statuses = [
      ...approvals.flatMap((approval) => this.#status.step({ type: "approval", approval })),
      ...this.#status.step(step),
    ];
    const last = statuses.at(-1);
    return [
      ...approvals.map((approval) => ({ type: "approval", approval }) as const),
      ...(last === undefined ? [] : [{ type: "status", status: last } as const]),
    ];
  }

  save(): WatchState {
    return { approvals: this.#approvals.save(), status: this.#status.save() };
  }
}
