/** The questions that wait for a person, over all sessions: some are held by the gateway, some stand on a screen. */
import { LecternError } from "../../core/errors.ts";
import type { Approval, ApprovalOption } from "../../core/dialogs/approval.ts";
import type { SessionApproval } from "../../protocol/views.ts";
import { AllowedCalls } from "./allowed-calls.ts";
import { approvalDigest } from "./approval-digest.ts";
import { howToAnswer } from "./how-to-answer.ts";
import { Waiters } from "../async/waiters.ts";

/** A question, and how an answer reaches whoever asked. */
export interface PendingApproval {
  /** Id of the session. */
  readonly session: string;
  readonly approval: Approval;
  /** SHA-256 of the whole arguments of a held call. */
  readonly argumentsHash?: string;
  /** Takes the answer to where it is waited for; resolves when it has arrived. */
  readonly answer: (option: ApprovalOption, by: string) => void | Promise<void>;
}

/** A question that is not open any more; `effect` is null if it was not answered through Lectern. */
export interface SettledApproval {
  readonly approval: Approval;
  readonly effect: ApprovalOption["effect"] | null;
}

/** Questions that may wait in one session: further ones are refused. */
const OPEN_MAX = 1000;

/**
 * @example
 * ```ts
 * const book = new ApprovalBook();
 * book.open({ session, approval, answer: (option) => console.log(option.effect) });
 * await book.answer({ session, id: approval.id, option: "allow", by: "anna" });
 * ```
 */
export class ApprovalBook {
  /** By session, then by id; in the order in which they came. */
  readonly #open = new Map<string, Map<string, Listed>>();
  /** Hints by session: at most one each, as a screen shows one question. */
  readonly #hints = new Map<string, SessionApproval>();
  /** What a person has allowed and the agent may ask about once more. */
  readonly allowedCalls = new AllowedCalls();
  readonly #waiters = new Waiters();
  readonly #listeners = new Set<() => void>();
  readonly #nextNumber: () => Promise<number>;
  /** Called with each question that is not open any more. */
  onSettled: ((settled: SettledApproval) => void) | undefined;
  #version = 0;

  /** `nextNumber` gives each number once, also after a crash; without it the book counts from 1. */
  constructor(nextNumber?: () => Promise<number>) {
    let last = 0;
    this.#nextNumber = nextNumber ?? (() => Promise.resolve((last += 1)));
  }

  /** Grows with each change. */
  get version(): number {
    return this.#version;
  }

  /** An id that no other question of this data directory had or will have. Rejects if that cannot be written down. */
  async freshId(): Promise<string> {
    return `q${await this.#nextNumber()}`;
  }

  /** Throws `LIMIT_EXCEEDED` where too many wait. One of the same id is replaced. */
  open(pending: PendingApproval): void {
    const { session } = pending;
    const approval = { ...pending.approval, digest: approvalDigest(pending.approval, pending) };
    const known = this.#open.get(session) ?? new Map<string, Listed>();
    if (known.size >= OPEN_MAX) {
      throw new LecternError("LIMIT_EXCEEDED", `${OPEN_MAX} questions wait in this session: answer some first`);
    }
    known.set(approval.id, { ...pending, approval });
    this.#open.set(session, known);
    this.#unhint(session, approval.id);
    this.#changed();
  }

  /** A question that nobody is known to read: listed as such, and refused with its reason. */
  hint(session: string, approval: Approval): void {
    this.#hints.set(session, { ...approval, session, digest: approvalDigest(approval, { session }) });
    if (!this.close(session, approval.id)) this.#changed();
  }

  /** The hint has gone. */
  unhint(session: string, id: string): void {
    if (this.#unhint(session, id)) this.#changed();
  }

  #unhint(session: string, id: string): boolean {
    return this.#hints.get(session)?.id === id && this.#hints.delete(session);
  }

  /** The question is settled or has gone. False where it is not there. */
  close(session: string, id: string): boolean {
    return this.#close(session, id, null);
  }

  #close(session: string, id: string, effect: ApprovalOption["effect"] | null): boolean {
    const known = this.#open.get(session);
    const pending = known?.get(id);
    if (known === undefined || pending === undefined) return false;
    known.delete(id);
    if (known.size === 0) this.#open.delete(session);
    this.onSettled?.({ approval: pending.approval, effect });
    this.#changed();
    return true;
  }

  /** The oldest first, also after a restart, when the sessions tell of theirs in any order. */
  list(session?: string): SessionApproval[] {
    const sessions = session === undefined ? [...this.#open.keys()] : [session];
    return sessions
      .flatMap((id) => [...(this.#open.get(id)?.values() ?? [])].map(({ approval }) => ({ ...approval, session: id })))
      .toSorted((one, other) => one.timeUs - other.timeUs);
  }

  /** Questions that nobody is known to read. */
  hints(session?: string): SessionApproval[] {
    return [...this.#hints.values()].filter((hint) => session === undefined || hint.session === session);
  }

  /**
   * Answers a question. `option` is the id of an option, or an effect (`allow`, `deny`) that only one option has.
   *
   * Throws `NOT_FOUND` where no such question is open, `CONFLICT` if it is only a hint or has changed since the caller read it,
   * `INVALID_INPUT` for an option that it does not have.
   */
  async answer(given: {
    readonly session: string;
    /** Of the session, for messages. */
    readonly name?: string;
    readonly id: string;
    readonly option: string;
    /** Of the question as the caller read it. */
    readonly digest: string;
    readonly by: string;
  }): Promise<SessionApproval> {
    const { by, id, session } = given;
    const pending = this.#open.get(session)?.get(id);
    const hint = this.#hints.get(session);
    if (pending === undefined && hint?.id === id) throw onlyHint(hint, given.name ?? session);
    if (pending === undefined) {
      throw new LecternError(
        "NOT_FOUND",
        `Cannot find question "${id}": it was answered or withdrawn; see "lectern approvals"`,
      );
    }
    if (pending.approval.digest !== given.digest) {
      throw new LecternError(
        "CONFLICT",
        `Cannot answer question "${id}": the question has changed; read it again with "lectern approvals"`,
        { details: { approval: id, digest: pending.approval.digest } },
      );
    }
    const option = optionOf(pending.approval, given.option, given.name ?? session);
    this.#close(session, id, option.effect);
    await pending.answer(option, by);
    const answer = { option: option.id, by, timeUs: Date.now() * 1000 };
    return { ...pending.approval, session, state: "answered", answer };
  }

  /** Calls back at each change. */
  subscribe(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Resolves with true at the next change, with false when `signal` is aborted. */
  changed(signal: AbortSignal): Promise<boolean> {
    return this.#waiters.next(signal);
  }

  #changed(): void {
    this.#version += 1;
    this.#waiters.wake();
    for (const listener of this.#listeners) listener();
  }
}

/** Why a question that is only a hint is not answered. */
export function onlyHint({ id, whyHint }: Approval, name: string): LecternError {
  return new LecternError(
    "CONFLICT",
    `Cannot answer question "${id}": it is only a hint, because ${whyHint ?? "nobody is known to read the answer"}; wait until the program reads, or see "lectern screen ${name}"`,
    { details: { approval: id } },
  );
}

type Listed = PendingApproval & { readonly approval: Omit<SessionApproval, "session"> };

function optionOf(approval: Approval, wanted: string, name: string): ApprovalOption {
  const { options } = approval;
  const named = options.find(({ id }) => id === wanted);
  const [first, second] = options.filter(({ effect }) => effect === wanted);
  const found = named ?? (second === undefined ? first : undefined);
  if (found !== undefined) return found;
  if (options.length === 0) {
    throw new LecternError("INVALID_INPUT", `This question has no options: ${howToAnswer(name, approval)}`);
  }
  const known = options.map(({ id, label }) => `"${id}" (${label})`).join(", ");
  throw new LecternError("INVALID_INPUT", `Cannot answer with "${wanted}": wanted one of ${known}`);
}
