/**
 * The questions of all sessions: those on screens, as the views report them, and the calls that the gateway holds. It is the only list of
 * questions: operations, notices, devices, answer links, the page and MCP read it, and follow it by its version.
 *
 * After a restart the views report their saved questions again, under the same ids. A held call ends with its daemon, as the connection of
 * its agent does.
 */
import { LecternError } from "../../core/errors.ts";
import type { Approval, ApprovalOption } from "../../core/dialogs/approval.ts";
import { forgetOldest } from "../../core/forget-oldest.ts";
import { screenTimes } from "../../core/screen/times.ts";
import type { SessionApproval } from "../../protocol/views.ts";
import { waits } from "../../core/waits.ts";
import { Waiters } from "../async/waiters.ts";
import { within } from "../../timers/within.ts";
import { approvalDigest } from "./approval-digest.ts";
import { howToAnswer } from "./how-to-answer.ts";
import { isAboutCall } from "../../core/dialogs/same-call.ts";

/**
 * Held calls that a person has allowed: what the agent then asks about the same call is answered from it (`--ask-once`). Each answers one
 * dialog, and is forgotten with its result and when the daemon stops: a dialog about any other call is asked.
 */
interface AllowedCall {
  /** Id of the question that was answered. */
  readonly approval: string;
  /** Of the call, as in the audit log. */
  readonly call: string;
  readonly argumentsText: string;
  readonly by: string;
}

/** Calls of one session that were allowed and have no result yet; the oldest is forgotten beyond this. */
const CALLS_MAX = 100;

class AllowedCalls {
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

type Effect = ApprovalOption["effect"];

/** A question of the gateway, and how an answer reaches it. */
export interface PendingApproval {
  readonly session: string;
  readonly approval: Approval;
  /** SHA-256 of the whole arguments of a held call. */
  readonly argumentsHash?: string;
  /** Takes the answer to where it is waited for; resolves when it has arrived. */
  readonly answer: (option: ApprovalOption, by: string) => void | Promise<void>;
}

export interface ScreenAnswer {
  readonly approval: Approval;
  readonly option: string;
  readonly by: string;
}

/** The screens of sessions, by the id of the session. */
export interface QuestionScreens {
  /** Resolves when the program has taken the answer. Rejects with `CONFLICT`. */
  answer(session: string, given: ScreenAnswer): Promise<void>;
  /** Resolves when the views have read all that is in the journal. A flood is not waited for. */
  read(session: string): Promise<void>;
}

export interface QuestionChange {
  /** As it is now: open, a hint, answered or gone. */
  readonly question: SessionApproval;
  /** Null for a new one. */
  readonly before: SessionApproval | null;
  /** What was answered through Lectern; null otherwise. */
  readonly effect: Effect | null;
}

interface Listed {
  readonly question: SessionApproval;
  /** It is being answered, or is still painted and may be about an allowed call: it is not shown. */
  readonly isHeld: boolean;
  readonly effect: Effect | null;
  /** Missing for a question on a screen. */
  readonly answer?: PendingApproval["answer"];
}

/** Questions that may wait in one session: further ones are refused. */
const OPEN_MAX = 1000;
/** Of all sessions, so that a late answer can be told who answered before. */
const ENDED_MAX = 1000;

export class QuestionList implements Disposable {
  /** Open questions and hints, by session, then by id. */
  readonly #standing = new Map<string, Map<string, Listed>>();
  /** By session and id, the oldest first. */
  readonly #ended = new Map<string, SessionApproval>();
  /** What a person has allowed and the agent may ask about once more. */
  readonly allowedCalls = new AllowedCalls();
  readonly #painting = new Map<string, NodeJS.Timeout>();
  readonly #waiters = new Waiters();
  readonly #followers = new Set<(change: QuestionChange) => void>();
  readonly #nextNumber: () => Promise<number>;
  /** Set where there are screens. */
  screens: QuestionScreens | undefined;
  /** Sessions that an earlier daemon has left: each resolves when its questions are listed, or its views take too long. */
  readonly #restored = new Map<string, Promise<unknown>>();
  #allRestored: Promise<unknown> = Promise.resolve();
  /** Begins with the time, so that it also grows from one daemon to the next. */
  #version = Date.now() * 1000;

  /** `nextNumber` gives each number once, also after a crash; without it the list counts from 1. */
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

  /** A held call. Throws `LIMIT_EXCEEDED` where too many wait. One of the same id is replaced. */
  open({ session, approval, argumentsHash, answer }: PendingApproval): void {
    if ((this.#standing.get(session)?.size ?? 0) >= OPEN_MAX)
      throw new LecternError("LIMIT_EXCEEDED", `${OPEN_MAX} questions wait in this session: answer some first`);
    const digest = approvalDigest(approval, { session, argumentsHash });
    this.#set({ question: { ...approval, session, digest }, isHeld: false, effect: null, answer });
  }

  /** The held call waits no longer. False where it is not there. */
  close(session: string, id: string): boolean {
    const known = this.#standing.get(session)?.get(id);
    if (known === undefined) return false;
    this.#set({ ...known, question: { ...known.question, state: "gone" } });
    return true;
  }

  /** What the views report of a question on a screen. */
  report(session: string, approval: Approval): void {
    const question = { ...approval, session, digest: approvalDigest(approval, { session }) };
    const known = this.#standing.get(session)?.get(approval.id);
    if (approval.state !== "open") this.#stopPainting(question);
    const call = approval.state === "open" ? this.allowedCalls.take(session, approval) : undefined;
    if (call !== undefined) return this.#answerAgain(question, call);
    const isNew = approval.state === "open" && known?.question.state !== "open";
    const mayBeAllowed = isNew && this.allowedCalls.has(session);
    const isHeld = approval.state === "open" && known?.isHeld === true;
    this.#set({ question, isHeld: isHeld || mayBeAllowed, effect: known?.effect ?? null });
    if (mayBeAllowed) this.#paint(question);
  }

  /** Those that are shown to people, the oldest first. */
  list(session?: string): SessionApproval[] {
    return this.#all(session)
      .flatMap(({ question, isHeld }) => (question.state === "open" && !isHeld ? [question] : []))
      .toSorted((one, other) => one.timeUs - other.timeUs);
  }

  /** Questions that nobody is known to read. */
  hints(session?: string): SessionApproval[] {
    return this.#all(session).flatMap(({ question }) => (question.state === "hint" ? [question] : []));
  }

  /** Open questions of a screen, also those that are being answered. */
  onScreen(session: string): SessionApproval[] {
    return this.#all(session).flatMap(({ answer, question }) =>
      answer === undefined && question.state === "open" ? [question] : [],
    );
  }

  /** Whatever its state is; undefined if it is unknown, or ended long ago. */
  find(session: string, id: string): SessionApproval | undefined {
    return this.#standing.get(session)?.get(id)?.question ?? this.#ended.get(keyOf({ session, id }));
  }

  /** Resolves when the list has all that is in the journal of a session now. The questions of an earlier daemon come when their screens have rested. */
  async current(session: string): Promise<void> {
    await this.restored(session);
    await this.screens?.read(session);
  }

  /** Begins to list what the screens of these sessions ask, which an earlier daemon has left. */
  restore(sessions: readonly string[]): void {
    for (const session of sessions) this.#restored.set(session, within(waits.arrivalMs, this.#restore(session)));
    this.#allRestored = within(waits.partMs, Promise.all(this.#restored.values()));
  }

  /** Resolves when that is done of one session, however long others take, or of all as far as a caller waits for a part. */
  async restored(session?: string): Promise<void> {
    await (session === undefined ? this.#allRestored : this.#restored.get(session));
  }

  /**
   * Answers a question. `option` is the id of an option, or an effect (`allow`, `deny`) that only one option has.
   *
   * Throws `NOT_FOUND` where no such question is open, or another answer came first, `CONFLICT` if it is only a hint, has changed since
   * the caller read it or was not taken by the program, `INVALID_INPUT` for an option that it does not have.
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
    const name = given.name ?? session;
    await this.restored(session);
    const known = this.#standing.get(session)?.get(id);
    if (known?.question.state === "hint") throw onlyHint(known.question, name);
    if (known === undefined || known.isHeld) {
      throw new LecternError(
        "NOT_FOUND",
        `Cannot find question "${id}": ${this.find(session, id) === undefined ? "no such question is open" : "it was answered or withdrawn"}; see "lectern approvals"`,
      );
    }
    const { question } = known;
    if (question.digest !== given.digest) {
      throw new LecternError(
        "CONFLICT",
        `Cannot answer question "${id}": the question has changed; read it again with "lectern approvals"`,
        { details: { approval: id, digest: question.digest } },
      );
    }
    const option = optionOf(question, given.option, name);
    const answer = { option: option.id, by, timeUs: Date.now() * 1000 };
    const answered: SessionApproval = { ...question, state: "answered", answer };
    if (known.answer !== undefined) {
      this.#set({ ...known, question: answered, effect: option.effect });
      try {
        await known.answer(option, by);
      } catch (error) {
        // It did not arrive: the question is as open as before.
        if (error instanceof LecternError && error.code === "NOT_AVAILABLE") this.#set(known);
        throw error;
      }
      return answered;
    }
    await this.#press(question, option, by);
    const now = this.find(session, id);
    return now?.state === "open" ? now : answered;
  }

  /** Calls back with each change. */
  subscribe(follower: (change: QuestionChange) => void): Disposable {
    this.#followers.add(follower);
    return { [Symbol.dispose]: () => void this.#followers.delete(follower) };
  }

  /** Resolves with true at the next change, with false when `signal` is aborted. */
  changed(signal: AbortSignal): Promise<boolean> {
    return this.#waiters.next(signal);
  }

  [Symbol.dispose](): void {
    for (const timer of this.#painting.values()) clearTimeout(timer);
  }

  /** A view looks at the last screen of its journal when that has not changed for a moment. */
  async #restore(session: string): Promise<void> {
    const read = async (): Promise<void> => await this.screens?.read(session).catch(() => undefined);
    await read();
    await new Promise((resolve) => setTimeout(resolve, screenTimes.paintMs));
    await read();
  }

  /** It is not shown while its keys are pressed, and again if its program has not taken them. */
  async #press(question: SessionApproval, { effect, id }: ApprovalOption, by: string): Promise<void> {
    const { session } = question;
    this.#setHeld(question, true, effect);
    try {
      if (this.screens === undefined) throw new TypeError("There are no screens");
      await this.screens.answer(session, { approval: question, option: id, by });
    } finally {
      // A dialog whose choice was ticked still waits, too.
      this.#setHeld(question, false);
    }
  }

  /** The agent asks about a call that a person has allowed. If that answer is not taken, it is asked like any other question. */
  #answerAgain(question: SessionApproval, call: AllowedCall): void {
    this.#stopPainting(question);
    const [allow, ...others] = question.options.filter(({ effect }) => effect === "allow");
    const isHeld = allow !== undefined && others.length === 0;
    this.#set({ question, isHeld, effect: null });
    if (!isHeld) return;
    void this.#press(question, allow, `${call.by}, as ${call.approval}`).catch(() => undefined);
  }

  #setHeld({ id, session }: Place, isHeld: boolean, effect: Effect | null = null): void {
    const known = this.#standing.get(session)?.get(id);
    if (known !== undefined) this.#set({ ...known, isHeld, effect });
  }

  /** It may be about an allowed call until it is painted. */
  #paint(question: SessionApproval): void {
    const key = keyOf(question);
    if (this.#painting.has(key)) return;
    const isPainted = (): void => {
      this.#painting.delete(key);
      this.#setHeld(question, false);
    };
    this.#painting.set(key, setTimeout(isPainted, screenTimes.paintMs));
  }

  #stopPainting(question: Place): void {
    const key = keyOf(question);
    clearTimeout(this.#painting.get(key));
    this.#painting.delete(key);
  }

  #all(session?: string): Listed[] {
    const sessions = session === undefined ? [...this.#standing.keys()] : [session];
    return sessions.flatMap((id) => [...(this.#standing.get(id)?.values() ?? [])]);
  }

  #set(listed: Listed): void {
    const { effect, question } = listed;
    const { id, session, state } = question;
    const known = this.#standing.get(session) ?? new Map<string, Listed>();
    const before = known.get(id)?.question ?? null;
    if (state === "open" || state === "hint") {
      this.#ended.delete(keyOf(question));
      this.#standing.set(session, known.set(id, listed));
    } else {
      known.delete(id);
      if (known.size === 0) this.#standing.delete(session);
      forgetOldest(this.#ended.set(keyOf(question), question), ENDED_MAX);
      // It ended before this daemon began.
      if (before === null) return;
    }
    this.#version += 1;
    this.#waiters.wake();
    for (const follower of this.#followers) follower({ question, before, effect });
  }
}

interface Place {
  readonly session: string;
  readonly id: string;
}

const keyOf = ({ id, session }: Place): string => `${session} ${id}`;

/** Why a question that is only a hint is not answered. */
export function onlyHint({ id, whyHint }: Approval, name: string): LecternError {
  return new LecternError(
    "CONFLICT",
    `Cannot answer question "${id}": it is only a hint, because ${whyHint ?? "nobody is known to read the answer"}; wait until the program reads, or see "lectern screen ${name}"`,
    { details: { approval: id } },
  );
}

function optionOf(approval: Approval, wanted: string, name: string): ApprovalOption {
  const { options } = approval;
  const named = options.find(({ id }) => id === wanted);
  const [first, second] = options.filter(({ effect }) => effect === wanted);
  const found = named ?? (second === undefined ? first : undefined);
  if (found !== undefined) return found;
  if (options.length === 0)
    throw new LecternError("INVALID_INPUT", `This question has no options: ${howToAnswer(name, approval)}`);
  const known = options.map(({ id, label }) => `"${id}" (${label})`).join(", ");
  throw new LecternError("INVALID_INPUT", `Cannot answer with "${wanted}": wanted one of ${known}`);
}
