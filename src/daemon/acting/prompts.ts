/**
 * Prompts: typed once, followed until the program is at its prompt again.
 *
 * Law: text and Enter are each typed under a key that the pty host remembers, and each step is written down before the next one
 * begins. So a daemon that dies between any two steps is followed by one that goes on and types nothing twice.
 * Who cancels a prompt and who types it decide at one moment, without an await in between: it is typed, or cancelled, and never both.
 */
import { waits } from "../../core/waits.ts";
import { LecternError } from "../../core/errors.ts";
import {
  advance,
  howKept,
  isFinal,
  type AnsweredReceipt,
  type HowTyped,
  type Receipt,
  type ReceiptState,
  type StepNote,
} from "../../core/acting/receipt.ts";
import { scheduleStep, type Schedule } from "../../core/acting/schedule.ts";
import { assertAcceptable, assertRoom, possibleSchedule } from "./acceptance.ts";
import { isEmpty } from "../../core/acting/prompt-plan.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { SessionRegistry } from "../sessions/session-registry.ts";
import type { Store } from "../store/store.ts";
import { boundConversation, type ConversationRules } from "./bound-conversation.ts";
import { followPrompt, type CommandReading } from "./follow-prompt.ts";
import { ScheduledPrompts } from "./scheduled-prompts.ts";
import { askedReason, settledReceipt } from "./prompt-question.ts";
import { hasEnded, targetsOf, whyMissed } from "./targets.ts";
import { isAtPrompt, typePrompt, withLease } from "./type-prompt.ts";
import { nothingTyped, typedInputs, type EnteredPrompt } from "./typed-inputs.ts";
import { Until } from "./until.ts";
import type { EntryViews } from "../views/entry-views.ts";
import type { SessionViews } from "../views/session-views.ts";
import { Waiters } from "../async/waiters.ts";
import type { DaemonTimes } from "../times.ts";

export interface PromptsOptions {
  readonly store: Pick<Store, "removeReceipts"> & { readonly rows: Pick<Store["rows"], "putReceipt"> };
  readonly views: SessionViews;
  readonly registry: SessionRegistry;
  readonly conversationRules: ConversationRules;
  readonly times: Pick<DaemonTimes, "promptEchoMs" | "promptWorkMs">;
  readonly onError: (error: unknown) => void;
}

interface Step extends Partial<StepNote> {
  readonly state: ReceiptState;
  readonly timeUs?: number;
}

/** A prompt as it was sent. What is not allowed is refused, or with `whenEmpty` waited for. */
export interface NewPrompt extends HowTyped, Pick<Receipt, "key" | "text"> {
  /** It waits while the program asks a person something, such as whether it trusts the directory; otherwise it is refused. */
  readonly isFirst?: boolean;
  /** It is checked and typed then. Without it, or for the end of a limit that there is not: now. */
  readonly schedule?: Schedule | undefined;
}

interface Tracked {
  receipt: Receipt;
  /** Something may have been typed here. */
  isTouched: boolean;
  /** It is of a daemon before this one, until its turn: the journal has what was typed. */
  isResumed: boolean;
  /** What a program reads that its command has started. */
  reading?: CommandReading | null;
}

interface Driving {
  readonly entry: SessionEntry;
  readonly prompt: Tracked;
  readonly views: EntryViews;
  readonly until: Until;
}

export class Prompts {
  readonly #options: PromptsOptions;
  readonly #prompts = new Map<string, Tracked>();
  /** Those who wait for the next step of any prompt. */
  readonly #waiters = new Waiters();
  /** The last prompt of each session: the next one is typed after it. */
  readonly #queues = new Map<string, { length: number; last: Promise<void> }>();
  readonly #stop = new AbortController();
  readonly #listeners = new Set<(receipt: Receipt) => void>();
  readonly #scheduled = new ScheduledPrompts({
    list: () =>
      Array.from(this.#prompts.values(), ({ receipt }) => receipt).filter(({ state }) => state === "scheduled"),
    mayBegin: (receipt) => stepNow(receipt, this.#options.registry.get(receipt.session)).step !== "wait",
    begin: async (receipt) => await this.#begin(receipt).catch(this.#options.onError),
    stop: this.#stop.signal,
  });

  constructor(options: PromptsOptions, stored: readonly Receipt[]) {
    this.#options = options;
    for (const receipt of stored) this.#track(receipt);
  }

  /** Goes on with what a daemon before this one began. */
  resume(): void {
    for (const prompt of this.#prompts.values()) {
      const { session, state } = prompt.receipt;
      const entry = this.#options.registry.get(session);
      if (this.#isOver(prompt) || entry === undefined) continue;
      prompt.isResumed = state !== "scheduled";
      if (!entry.live) {
        const reason = `the session ended before ${prompt.isResumed ? "anybody saw it taken" : "its time"}`;
        void this.#fail(entry, prompt, { reason }).catch(this.#options.onError);
      } else if (prompt.isResumed) this.#enqueue(entry, prompt);
    }
    void this.#scheduled.watch();
  }

  /**
   * Accepts or schedules a prompt, or finds the one of this key. Throws `CONFLICT` while a person is asked something or has typed
   * something, `INVALID_INPUT` for a time that is not possible, `LIMIT_EXCEEDED`, `SESSION_ENDED`.
   */
  async accept(entry: SessionEntry, prompt: NewPrompt): Promise<Receipt> {
    const { key, text } = prompt;
    const known = this.#known(entry, prompt);
    if (known !== undefined) return known;
    entry.requireSeat();
    const schedule = await possibleSchedule(entry, this.#options.views, prompt.schedule);
    // Before the checks: who is in the foreground may change meanwhile.
    const targets = await this.#options.views.use(entry, async ({ view }) =>
      targetsOf(entry, await view.draft(), prompt),
    );
    if (schedule === undefined) await this.#check(entry, prompt);
    // The same prompt may have come a second time while the screen was looked at.
    const twin = this.#known(entry, prompt);
    if (twin !== undefined) return twin;
    if (schedule !== undefined) assertRoom(entry, this.of(entry.id));
    const state = schedule === undefined ? ("accepted" as const) : ("scheduled" as const);
    const steps = [{ state, timeUs: Date.now() * 1000, offset: entry.stored.end }];
    const base: Receipt = { key, session: entry.id, text, state, reason: null, steps, ...schedule };
    const rules = this.#options.conversationRules;
    const conversation = boundConversation(entry, { targets, rules, earlier: this.of(entry.id) });
    const whom = { ...(targets.length > 0 && { targets }), ...(conversation !== undefined && { conversation }) };
    const receipt: Receipt = { ...base, ...howKept(prompt), ...whom };
    const tracked = this.#track(receipt);
    await this.#keep(tracked, receipt);
    if (schedule === undefined) this.#enqueue(entry, tracked);
    else void this.#scheduled.watch();
    return receipt;
  }

  /** The time of a scheduled prompt has come. What is refused now is refused for good. */
  async #begin(receipt: Receipt): Promise<void> {
    const { session, whenEmpty = false, isForced = false } = receipt;
    const entry = this.#options.registry.get(session);
    const prompt = this.#prompts.get(idOf(receipt));
    if (entry === undefined || prompt === undefined || this.#isOver(prompt)) return;
    try {
      entry.requireSeat();
      // The status may be behind the screen.
      const now = await this.#options.views.use(entry, () => stepNow(receipt, entry));
      if (now.step === "expired") return void (await this.#fail(entry, prompt, { reason: now.reason }));
      if (now.step === "wait") return;
      await this.#check(entry, { whenEmpty, isForced });
    } catch (error) {
      const reason = `nothing was typed at its time: ${reasonOf(error)}`;
      return void (await this.#fail(entry, prompt, { reason }));
    }
    // It may have been cancelled meanwhile.
    if (this.#isOver(prompt)) return;
    await this.#step(entry, prompt, { state: "accepted" });
    if (!this.#isOver(prompt) && !this.#stop.signal.aborted) this.#enqueue(entry, prompt);
  }

  async #check(entry: SessionEntry, how: Pick<NewPrompt, "whenEmpty" | "isFirst" | "isForced">): Promise<void> {
    const waiting = (): number => this.#queues.get(entry.id)?.length ?? 0;
    await assertAcceptable(entry, this.#options.views, { ...how, waiting });
  }

  /** The prompt of this key. Throws `CONFLICT` where it has another text. */
  #known(entry: SessionEntry, { key, text }: NewPrompt): Receipt | undefined {
    const known = this.#prompts.get(idOf({ session: entry.id, key }))?.receipt;
    if (known === undefined || known.text === text) return known;
    throw new LecternError("CONFLICT", `Cannot use key "${key}" again: it belongs to another prompt`);
  }

  #require({ id: session }: SessionEntry, key: string): Tracked {
    const prompt = this.#prompts.get(idOf({ session, key }));
    if (prompt === undefined) throw new LecternError("NOT_FOUND", `Cannot find a prompt with the key "${key}"`);
    return prompt;
  }

  /** All of a session, the oldest first. */
  of(session: string): Receipt[] {
    return Array.from(this.#prompts.values(), ({ receipt }) => receipt).filter((each) => each.session === session);
  }

  /**
   * The receipt when it is final, when the session asks a person something, or as it is when `signal` is aborted. With
   * `throughQuestions` questions do not end the wait.
   */
  async settled(
    entry: SessionEntry,
    key: string,
    { signal, throughQuestions }: { readonly signal: AbortSignal; readonly throughQuestions: boolean },
  ): Promise<AnsweredReceipt> {
    return await settledReceipt({
      entry,
      views: this.#options.views,
      now: () => {
        const { receipt, reading } = this.#require(entry, key);
        return [receipt, reading != null && entry.inputEnd <= reading.inputEnd ? reading.asks : undefined];
      },
      changed: async (until) => await this.#waiters.next(until),
      signal,
      throughQuestions,
    });
  }

  /** Calls back with each receipt that is new or has changed. */
  subscribe(listener: (receipt: Receipt) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Takes back a prompt that waits. Throws `CONFLICT` where something of it was typed, or nobody can tell. */
  async cancel(entry: SessionEntry, key: string): Promise<Receipt> {
    const prompt = this.#require(entry, key);
    const hasText = prompt.isResumed && (await typedInputs(entry, prompt.receipt)).hasText;
    const { state } = prompt.receipt;
    if (state === "cancelled") return prompt.receipt;
    const isBegun = prompt.isTouched || hasText;
    if ((state !== "accepted" && state !== "scheduled") || isBegun) {
      const now = state === "accepted" ? "it is being typed" : `it is ${state}`;
      throw new LecternError("CONFLICT", `Cannot cancel prompt "${key}": ${now}`);
    }
    await this.#step(entry, prompt, { state: "cancelled" });
    return prompt.receipt;
  }

  async forget(session: string): Promise<void> {
    for (const receipt of this.of(session)) this.#prompts.delete(idOf(receipt));
    await this.#options.store.removeReceipts(session);
  }

  close(): void {
    this.#stop.abort();
  }

  /** The next one is typed when this one is done, or when something that it started reads. */
  #enqueue(entry: SessionEntry, prompt: Tracked): void {
    const queue = this.#queues.get(entry.id) ?? { length: 0, last: Promise.resolve() };
    this.#queues.set(entry.id, queue);
    queue.length += 1;
    const turn = Promise.withResolvers<void>();
    void queue.last
      .then(async () => await this.#drive(entry, prompt, turn.resolve))
      .catch(async (error: unknown) => await this.#fail(entry, prompt, { reason: reasonOf(error) }))
      .catch(this.#options.onError)
      .finally(turn.resolve);
    const leave = (): void => {
      queue.length -= 1;
      if (queue.length === 0) this.#queues.delete(entry.id);
    };
    queue.last = turn.promise.then(leave);
  }

  /** Every await may be the last thing that this daemon does. */
  async #drive(entry: SessionEntry, prompt: Tracked, onTurnEnd: () => void): Promise<void> {
    await this.#options.views.use(entry, async (views) => {
      const driving = { entry, prompt, views, until: new Until(entry, views, this.#stop.signal) };
      const isBefore = ["accepted", "typed", "echoed"].includes(prompt.receipt.state);
      // Enter was pressed by a daemon before this one: what the journal has behind it was typed by somebody else.
      const { enter } = isBefore ? nothingTyped : await typedInputs(entry, prompt.receipt);
      const entered = isBefore ? await this.#type(driving) : (enter ?? { enteredUs: 0, enterEnd: 0 });
      if (entered !== null) await this.#follow(driving, entered, onTurnEnd);
    });
  }

  /** Types text and Enter. Null where it failed, which the receipt then says. */
  async #type(driving: Driving): Promise<EnteredPrompt | null> {
    const { entry, prompt, views, until } = driving;
    const { isResumed, receipt } = prompt;
    prompt.isTouched = isResumed;
    prompt.isResumed = false;
    const typed = isResumed ? await typedInputs(entry, receipt) : nothingTyped;
    if (!typed.hasText) prompt.isTouched = false;
    const onStep = async (state: ReceiptState): Promise<void> => await this.#step(entry, prompt, { state });
    const { conversationRules: rules, times } = this.#options;
    const typing = { entry, views, until, receipt, typed, onStep, rules, echoMs: times.promptEchoMs };
    for (;;) {
      do {
        if (typed.enter === null && !(await this.#prompted(driving))) return null;
        // A person may have started a command meanwhile.
        await until.keyboardRests();
      } while (typed.enter === null && !isAtPrompt(entry) && !this.#stop.signal.aborted);
      // Without the lease: whoever types is not held back.
      if (receipt.whenEmpty === true && !typed.hasText && !isEmpty(await views.view.draft())) {
        await this.#emptied(driving);
        continue;
      }
      if (this.#isOver(prompt) || this.#stop.signal.aborted) return null;
      prompt.isTouched = true;
      const end = await withLease(entry, receipt.key, (lost) => typePrompt({ ...typing, lost }));
      if ("reason" in end) return await this.#fail(entry, prompt, end);
      if ("enterEnd" in end) {
        await this.#step(entry, prompt, { state: "submitted", timeUs: end.enteredUs });
        return end;
      }
      prompt.isTouched = false;
      if ("occupied" in end && receipt.whenEmpty !== true)
        return await this.#fail(entry, prompt, { reason: `nothing was typed: ${end.occupied}` });
      // The status follows; where it does not, the screen is asked again.
      if ("isEarly" in end) await until.status(() => !isAtPrompt(entry), waits.retryMs);
    }
  }

  /** Waits until what somebody has begun to type was entered or cleared. */
  async #emptied({ entry, prompt, views, until }: Driving): Promise<void> {
    await this.#step(entry, prompt, { state: "accepted", reason: "waits until the input box or line is empty" });
    const isFree = async (): Promise<boolean> =>
      this.#isOver(prompt) || !isAtPrompt(entry) || isEmpty(await views.view.draft());
    await until.screen(isFree, { ms: Infinity, pollMs: waits.retryMs }, this.#stop.signal);
  }

  async #prompted({ entry, prompt, until }: Driving): Promise<boolean> {
    const { targets = [] } = prompt.receipt;
    const reason = `waits until it is at its prompt: ${entry.status?.state ?? "unknown"} now`;
    if (!isAtPrompt(entry)) await this.#step(entry, prompt, { state: "accepted", reason });
    const isFor = (): boolean => targets.length === 0 || !targets.every(hasEnded);
    // What a program that was killed has reported of itself stands for ever.
    await until.status(() => isAtPrompt(entry) || this.#isOver(prompt) || !isFor());
    if (this.#isOver(prompt)) return false;
    if (entry.live && isFor()) return true;
    const why = entry.live ? `nothing was typed: ${whyMissed(targets)}` : "the session ended before it was typed";
    await this.#fail(entry, prompt, { reason: why });
    return false;
  }

  async #follow(
    { entry, prompt, views, until }: Driving,
    entered: EnteredPrompt,
    onTurnEnd: () => void,
  ): Promise<void> {
    const onWorking = async (reading: CommandReading | null, timeUs?: number): Promise<void> => {
      prompt.reading = reading;
      if (reading !== null) onTurnEnd();
      const reason = askedReason(entry, reading?.asks ?? null);
      await this.#step(entry, prompt, { state: "working", reason, ...(timeUs !== undefined && { timeUs }) });
      this.#waiters.wake();
    };
    const { receipt } = prompt;
    const end = await followPrompt({
      entry,
      views,
      until,
      receipt,
      entered,
      stop: this.#stop.signal,
      store: this.#options.views.store,
      workMs: this.#options.times.promptWorkMs,
      onWait: async (reason) => await this.#step(entry, prompt, { state: prompt.receipt.state, reason }),
      onWorking,
      onTurnEnd,
      wasSeenWorking: () => prompt.receipt.steps.some(({ state }) => state === "working"),
    });
    if (end !== null) await this.#step(entry, prompt, end);
  }

  #track(receipt: Receipt): Tracked {
    const prompt = { receipt, isTouched: false, isResumed: false };
    this.#prompts.set(idOf(receipt), prompt);
    return prompt;
  }

  #isOver(prompt: Tracked): boolean {
    return this.#prompts.get(idOf(prompt.receipt)) !== prompt || isFinal(prompt.receipt);
  }

  async #fail(entry: SessionEntry, prompt: Tracked, note: StepNote): Promise<null> {
    await this.#step(entry, prompt, { state: "failed", ...note });
    return null;
  }

  async #step(
    entry: SessionEntry,
    prompt: Tracked,
    { state, reason = null, left, timeUs = Date.now() * 1000 }: Step,
  ): Promise<void> {
    const { receipt } = prompt;
    if (this.#isOver(prompt) || this.#stop.signal.aborted) return;
    const next = advance(receipt, { state, timeUs, offset: entry.view.end }, { reason, left });
    if (next === receipt) return;
    await this.#keep(prompt, next);
    // For who reads the recording; a session that has just ended takes no more marks.
    if (next.state !== receipt.state && entry.seat !== undefined) {
      await entry.mark({ type: "prompt", key: receipt.key, state }).catch(() => undefined);
    }
    this.#waiters.wake();
  }

  /** From here on it counts, in the same moment; whoever hears of it finds it on disk. */
  async #keep(prompt: Tracked, receipt: Receipt): Promise<void> {
    prompt.receipt = receipt;
    await this.#options.store.rows.putReceipt(receipt);
    for (const listener of this.#listeners) listener(receipt);
  }
}

const stepNow = (receipt: Receipt, entry: SessionEntry | undefined): ReturnType<typeof scheduleStep> =>
  scheduleStep(receipt, { nowUs: Date.now() * 1000, status: entry?.status ?? null });

const idOf = ({ session, key }: Pick<Receipt, "session" | "key">): string => `${session} ${key}`;

const reasonOf = (error: unknown): string =>
  error instanceof LecternError ? error.message : `unexpected: ${String(error)}`;
