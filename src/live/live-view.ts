/**
 * The view of a session as its journal grows. A worker thread holds its screen, and a new one takes over when that thread is lost.
 *
 * Law of rebuilding: a thread that hangs or dies is replaced; each of its screens is restored from its last checkpoint and reads on
 * from there, so it loses nothing. Only the slice in which the thread hung is left out, and more after each further hang.
 * Law of rest: a view that is put away has reported and saved everything up to its offset; the next record or question brings it
 * back, and waits until it is there. One that is opened where its journal ends may begin so.
 * Law of time: the clock goes on only behind what is in the journal. Before each of its ticks the files are looked at, whatever was
 * reported of them, so that a live view reads what a replay reads.
 */
import { LecternError, errorMessage } from "../core/errors.ts";
import { waits } from "../core/waits.ts";
import type { Draft } from "../core/acting/draft.ts";
import type { ScreenSnapshot } from "../core/screen/snapshot.ts";
import type { ViewCheckpoint } from "../core/views/session-view.ts";
import type { LiveViewOptions, ViewLimits, ViewStatus } from "./live-view-options.ts";
import { SkippedOutput } from "./skipped-output.ts";
import {
  type AnswerTo,
  type FromWorker,
  type KeysNow,
  type Reply,
  type TextNow,
  type ToWorker,
  isOfType,
} from "./view-messages.ts";
import { ViewRun } from "./view-run.ts";
import type { ThreadEnd } from "./view-thread.ts";

/** A view that the clock would bring back so soon is not put away. */
const SOON_MS = 1000;

/** What a view needs of its pool. */
export interface ViewHome {
  readonly limits: ViewLimits;
  /** Sends to the thread of the view; chooses one if it has none. */
  post(view: LiveView, message: ToWorker): void;
  /** The view gets a thread apart from sessions that did no harm. */
  quarantine(view: LiveView): void;
  release(view: LiveView): void;
  /** A screen was lost with its thread, and is rebuilt or given up. */
  noteLost(): void;
}

type Phase =
  | { readonly type: "live"; readonly run: ViewRun }
  /** The screen is that of a checkpoint, and reads on to where the lost one was; questions wait. */
  | { readonly type: "rebuilding"; readonly run: ViewRun; readonly regainTo: number }
  /** No thread holds a screen. The timer brings it back when the clock alone changes something. */
  | { readonly type: "away"; readonly offset: number; readonly timer: NodeJS.Timeout | undefined }
  /** Its checkpoint is being read; questions wait. */
  | { readonly type: "returning"; readonly offset: number }
  /** Questions are refused. */
  | { readonly type: "failed" | "closed"; readonly offset: number };

/** One screen; made by `ViewPool.open`. */
export class LiveView {
  readonly id: number;
  readonly #home: ViewHome;
  /** Not its checkpoint, which would be held as long as the view. */
  readonly #options: Omit<LiveViewOptions, "checkpoint">;
  readonly #requests: ViewRequests;
  readonly #skipped = new SkippedOutput();
  readonly #post = (message: ToWorker): void => this.#home.post(this, message);
  /** Whether the program's questions are answered; see `LiveViewOptions`. */
  answer: boolean;
  #phase: Phase;
  #message = "";
  #rebuilds = 0;
  /** Nothing before it is answered; it never goes back, or a rebuild would answer twice. */
  #repliedTo: number;
  #checkpoint: ViewCheckpoint | null;
  #checkpointAtMs = performance.now();
  /** When something was drawn or asked last. */
  #activeAtMs = performance.now();
  #idleWaiters: (() => void)[] = [];
  /** Of `readSoFar`. */
  #readWaiters: (() => void)[] = [];

  constructor(home: ViewHome, id: number, given: LiveViewOptions) {
    const { checkpoint = null, ...options } = given;
    this.#home = home;
    this.id = id;
    this.#requests = new ViewRequests(id);
    this.#options = options;
    this.answer = options.answer ?? false;
    const wakeMs = checkpoint?.wakeUs == null ? null : checkpoint.wakeUs / 1000 - Date.now();
    const { mayBeginAway = false, restore, source } = options;
    const isRead = restore !== undefined && source.end === checkpoint?.offset;
    if (checkpoint !== null && mayBeginAway && isRead && mayBeAway(wakeMs)) {
      this.#checkpoint = null;
      this.#phase = this.#awayAt(checkpoint.offset, wakeMs);
    } else {
      this.#checkpoint = checkpoint;
      this.#phase = { type: "live", run: this.#openRun() };
    }
    this.#repliedTo = Math.max(options.answerFrom ?? 0, this.#offset);
  }

  get status(): ViewStatus {
    const phase = this.#phase;
    return {
      state: phase.type === "away" || phase.type === "returning" ? "live" : phase.type,
      offset: this.#offset,
      bytesSkipped: this.#skipped.bytes,
      isFlooded: "run" in phase && phase.run.isFlooded,
      rebuilds: this.#rebuilds,
      message: this.#message,
    };
  }

  /** There may be more to read. Cheap; to be called for each append. */
  wake(): void {
    const phase = this.#phase;
    if ("run" in phase) phase.run.wake();
    else if ((this.#options.source.end ?? Infinity) > phase.offset) void this.#return();
  }

  /** How long nothing was drawn and nobody asked. */
  get idleMs(): number {
    return performance.now() - this.#activeAtMs;
  }

  /** No emulator is held. */
  get isAway(): boolean {
    return this.#phase.type === "away";
  }

  /** Releases the emulator, once `keep` has saved what `restore` returns. Does nothing while the view is busy or if it cannot be restored. */
  async putAway(keep: (checkpoint: ViewCheckpoint) => Promise<void>): Promise<void> {
    if (this.#options.restore === undefined || !this.#isResting) return;
    const phase = this.#phase;
    const since = this.#activeAtMs;
    const isStill = (): boolean => this.#phase === phase && this.#isResting && this.#activeAtMs === since;
    const { checkpoint, wakeMs } = await this.#send({ type: "checkpoint" });
    if (!isStill() || !mayBeAway(wakeMs) || checkpoint.offset !== this.#offset) return;
    await keep(checkpoint);
    if (!isStill()) return;
    this.#checkpoint = null;
    this.#letGo();
    this.#phase = this.#awayAt(checkpoint.offset, wakeMs);
  }

  /** The current screen, at the offset that it names; what follows is in the journal. Waits while the screen is rebuilt. */
  async snapshot(): Promise<ScreenSnapshot> {
    return (await this.#ask({ type: "snapshot" })).snapshot;
  }

  /** What another view can go on from. Does not count as activity. */
  async checkpoint(): Promise<ViewCheckpoint> {
    return (await this.#send({ type: "checkpoint" })).checkpoint;
  }

  /** Plain text, see `Screen.text`, and the offset that it belongs to. */
  async text({ scrollback = false }: { readonly scrollback?: boolean } = {}): Promise<TextNow> {
    const { text, offset } = await this.#ask({ type: "text", scrollback });
    return { text, offset };
  }

  /** See `SessionView.draft`. */
  async draft(): Promise<Draft> {
    return (await this.#ask({ type: "draft" })).draft;
  }

  /** See `SessionView.keysFor`. */
  async keysFor(approval: string, option: string): Promise<KeysNow> {
    return await this.#ask({ type: "keys", approval, option });
  }

  /** Resolves once the source has no more and everything read is on the screen, or the view has ended. */
  async caughtUp(): Promise<void> {
    if (this.#isIdle) return;
    await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
  }

  /** Resolves once what the source has now is on the screen, a flood has begun, or the view has ended: it waits for nothing that comes later. */
  async readSoFar(): Promise<void> {
    const { end } = this.#options.source;
    if (end === undefined) return await this.caughtUp();
    while (!this.#hasRead(end)) await new Promise<void>((resolve) => this.#readWaiters.push(resolve));
  }

  close(): void {
    if (this.#phase.type !== "closed") this.#end("closed", "The screen view was closed");
  }

  /** For the pool: a message of the view's thread. */
  receive(message: FromWorker): void {
    switch (message.type) {
      case "fed":
        return this.#fed(message);
      case "changed":
        this.#options.onChanges?.(message.changes);
        return;
      case "due":
        if ("run" in this.#phase) this.#phase.run.tick();
        return;
      case "broken": {
        const { id, from, message: reason, to } = message;
        return this.lost({ reason: "died", at: { id, from, to }, message: reason });
      }
      case "snapshot":
      case "checkpoint":
      case "draft":
      case "keys":
      case "text":
        this.#requests.settle(message.request, message);
    }
  }

  /** For the pool: the screen in the thread is gone. A new one is opened in the thread that the pool chooses next. */
  lost(end: ThreadEnd): void {
    const phase = this.#phase;
    if (!("run" in phase)) return;
    this.#rebuilds += 1;
    this.#home.noteLost();
    this.#message = end.message;
    if (end.at?.id === this.id) {
      this.#skipped.strike(end.at);
      this.#home.quarantine(this);
    }
    const { strikes } = this.#skipped;
    if (strikes > this.#home.limits.strikesMax)
      this.#end("failed", `The screen broke ${strikes} times: ${end.message}`);
    else this.#rebuild(Math.max(this.#offset, phase.type === "rebuilding" ? phase.regainTo : 0));
  }

  /** From the last checkpoint on, or from the beginning. */
  #rebuild(regainTo: number): void {
    if ("run" in this.#phase) this.#phase.run.stop();
    const run = this.#openRun();
    this.#phase = { type: "rebuilding", run, regainTo };
    this.#regain(run);
    run.wake();
  }

  /** A screen that is as far as the lost one answers what was asked meanwhile. */
  #regain(run: ViewRun): void {
    if (this.#phase.type !== "rebuilding" || run.acknowledged < this.#phase.regainTo) return;
    this.#phase = { type: "live", run };
    this.#requests.askAgain(this.#post);
  }

  /** `wakeMs` from now the clock alone changes something. */
  #awayAt(offset: number, wakeMs: number | null): Phase {
    const timer = wakeMs === null ? undefined : setTimeout(() => void this.#return(), wakeMs).unref();
    return { type: "away", offset, timer };
  }

  async #return(): Promise<void> {
    if (this.#phase.type !== "away") return;
    const { offset, timer } = this.#phase;
    clearTimeout(timer);
    const phase: Phase = { type: "returning", offset };
    this.#phase = phase;
    const kept = await this.#options.restore?.().catch(() => undefined);
    if (this.#phase !== phase) return;
    this.#checkpoint = kept ?? null;
    this.#rebuild(offset);
  }

  #openRun(): ViewRun {
    const { agent = null, columns, from = 0, isFolded = true, markNonce = null, rows, source } = this.#options;
    const { scrollbackLinesMax = 1000, events = {} } = this.#options;
    const given = { agent, columns, from, isFolded, markNonce, rows, scrollbackLinesMax, events };
    this.#post({ type: "open", id: this.id, ...given, checkpoint: this.#checkpoint });
    const parts = {
      id: this.id,
      source,
      limits: this.#home.limits,
      skipped: this.#skipped,
      post: this.#post,
      onFeed: () => this.#noteActivity(),
      onIdle: () => this.#wakeIdleWaiters(),
      onFailed: (cause: unknown) => this.#end("failed", `Cannot read the journal: ${errorMessage(cause)}`),
    };
    return new ViewRun(parts, this.#checkpoint?.offset ?? from);
  }

  #fed(fed: AnswerTo<"fed">): void {
    const { changes, next, replies } = fed;
    if (!("run" in this.#phase)) return;
    const { run } = this.#phase;
    run.acknowledge(next, fed);
    this.#reply(replies);
    if (changes.length > 0) this.#options.onChanges?.(changes);
    this.#regain(run);
    if (this.#phase.type === "live" && run.beginCheckpoint(performance.now() - this.#checkpointAtMs)) {
      void this.checkpoint().then(
        (checkpoint) => this.#keepCheckpoint(run, checkpoint),
        () => undefined, // the view has ended, which its status says
      );
    }
    wakeAll(this.#readWaiters.splice(0));
    void run.pull();
  }

  #reply(replies: readonly Reply[]): void {
    const { onReply, replyAgeMsMax = waits.arrivalMs } = this.#options;
    for (const { offset, timeUs, bytes } of replies) {
      const isFresh = Date.now() - timeUs / 1000 <= replyAgeMsMax;
      if (this.answer && isFresh && offset > this.#repliedTo) onReply?.(bytes, offset);
    }
    this.#repliedTo = Math.max(this.#repliedTo, this.#offset);
  }

  #keepCheckpoint(run: ViewRun, checkpoint: ViewCheckpoint): void {
    run.endCheckpoint();
    this.#checkpoint = checkpoint;
    this.#checkpointAtMs = performance.now();
    this.#skipped.pass(checkpoint.offset);
  }

  async #ask<Asked extends WorkerQuestion>(question: Asked): Promise<AnswerTo<Asked["type"]>> {
    this.#noteActivity();
    return await this.#send(question);
  }

  async #send<Asked extends WorkerQuestion>(question: Asked): Promise<AnswerTo<Asked["type"]>> {
    const phase = this.#phase.type;
    if (phase === "failed" || phase === "closed") throw notAvailable(this.#message);
    const answer = this.#requests.ask(question, phase === "live" ? this.#post : undefined);
    void this.#return();
    return await answer;
  }

  #noteActivity(): void {
    this.#activeAtMs = performance.now();
  }

  get #offset(): number {
    return "run" in this.#phase ? this.#phase.run.acknowledged : this.#phase.offset;
  }

  get #isIdle(): boolean {
    return "run" in this.#phase ? this.#phase.run.isIdle : this.#phase.type !== "returning";
  }

  /** Live, with nothing on its way in either direction. */
  get #isResting(): boolean {
    return this.#phase.type === "live" && this.#isIdle && this.#requests.size === 0;
  }

  #hasRead(end: number): boolean {
    const phase = this.#phase;
    return "run" in phase ? phase.run.isFlooded || phase.run.acknowledged >= end : phase.type !== "returning";
  }

  #wakeIdleWaiters(): void {
    wakeAll(this.#idleWaiters.splice(0));
    wakeAll(this.#readWaiters.splice(0));
  }

  /** Nothing of the view stays in a thread. */
  #letGo(): void {
    if ("run" in this.#phase) this.#phase.run.stop();
    else if (this.#phase.type === "away") clearTimeout(this.#phase.timer);
    this.#post({ type: "close", id: this.id });
    this.#home.release(this);
  }

  #end(type: "failed" | "closed", message: string): void {
    this.#letGo();
    this.#phase = { type, offset: this.#offset };
    this.#message = message;
    this.#requests.rejectAll(notAvailable(message));
    this.#wakeIdleWaiters();
  }
}

function wakeAll(waiters: readonly (() => void)[]): void {
  for (const resolve of waiters) resolve();
}

const notAvailable = (reason: string): LecternError =>
  new LecternError("NOT_AVAILABLE", `Cannot show the screen: ${reason}`);

const mayBeAway = (wakeMs: number | null): boolean => wakeMs === null || wakeMs >= SOON_MS;

// Questions of a live view to its worker that are not answered yet; they survive the thread that they were sent to.

type Numbered = Extract<ToWorker, { readonly request: number }>;
type WithoutNumber<Message> = Message extends Numbered ? Omit<Message, "id" | "request"> : never;
type WorkerQuestion = WithoutNumber<Numbered>;

type Post = (message: ToWorker) => void;

interface Pending {
  readonly message: ToWorker;
  readonly resolve: (answer: FromWorker) => void;
  readonly reject: (error: unknown) => void;
}

class ViewRequests {
  readonly #id: number;
  readonly #pending = new Map<number, Pending>();
  #next = 1;

  constructor(id: number) {
    this.#id = id;
  }

  get size(): number {
    return this.#pending.size;
  }

  /** Resolves with the answer. If `post` is undefined, the question waits for `askAgain`. */
  async ask<Asked extends WorkerQuestion>(question: Asked, post: Post | undefined): Promise<AnswerTo<Asked["type"]>> {
    const request = this.#next++;
    const { promise, resolve, reject } = Promise.withResolvers<FromWorker>();
    const message: ToWorker = { ...question, id: this.#id, request };
    this.#pending.set(request, { message, resolve, reject });
    post?.(message);
    const answer = await promise;
    const { type } = question;
    if (!isOfType<Asked["type"]>(answer, type))
      throw new TypeError(`The view worker answered "${answer.type}" to "${type}"`);
    return answer;
  }

  settle(request: number, answer: FromWorker): void {
    const pending = this.#pending.get(request);
    this.#pending.delete(request);
    pending?.resolve(answer);
  }

  /** Sends every open question, to a new thread. */
  askAgain(post: Post): void {
    for (const { message } of this.#pending.values()) post(message);
  }

  rejectAll(error: unknown): void {
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}
