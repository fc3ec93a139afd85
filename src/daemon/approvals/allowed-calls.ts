/**
 * Held calls that a person has allowed: what the agent then asks about the same call is answered from it (`--ask-once`). Each answers one
 * dialog, and is forgotten with its result and when the daemon stops: a dialog about any other call is asked.
 */
import type { Approval } from "../../core/dialogs/approval.ts";
import { isAboutCall } from "../../core/dialogs/same-call.ts";

export interface AllowedCall {
  /** Id of the question that was answered. */
  readonly approval: string;
  /** Of the call, as in the audit log. */
  readonly call: string;
  readonly argumentsText: string;
  readonly by: string;
}

/** Calls of one session that were allowed and have no result yet; the oldest is forgotten beyond this. */
const CALLS_MAX = 100;

export class AllowedCalls {
  readonly #calls = new Map<string, AllowedCall[]>();

  add(session: string, call: AllowedCall): void {
    this.#calls.set(session, [...(this.#calls.get(session) ?? []), call].slice(-CALLS_MAX));
  }

  /** True if the agent may be about to ask about one of them. */
  has(session: string): boolean {
    return this.#calls.has(session);
  }

  /** The call that a dialog is about, which answers no other dialog after this; undefined if there is none. */
  take(session: string, asked: Approval): AllowedCall | undefined {
    const found = this.#calls.get(session)?.find(({ argumentsText }) => isAboutCall(asked, argumentsText));
    if (found !== undefined) this.settle(session, found.call);
    return found;
  }

  settle(session: string, call: string): void {
    const rest = (this.#calls.get(session) ?? []).filter((each) => each.call !== call);
    if (rest.length === 0) this.#calls.delete(session);
    else this.#calls.set(session, rest);
  }
}
