/**
 * The view of a session as its journal grows: fed in a worker thread, rebuilt when that is lost, holding nobody up.
 *
 * Law of flow: the view pulls. It reads the next records when less than `inFlightBytesMax` is on its way to the worker, so it never
 * holds a queue: while it lags, what it has not read is in the journal.
 * Law of rebuilding: a thread that hangs or dies is replaced; each of its screens starts from its last checkpoint and reads on from
 * there, so it loses nothing. Only the slice that the thread hung in is left out, and more at each further hang.
 * Law of rest: a view that is put away has told and kept everything up to its offset and has no screen in a thread; the next
 * record or question brings it back, and waits until it is there.
 */
import { LecternError } from "../core/errors.ts";
import type { Draft } from "../core/prompts/draft.ts";
import type { ScreenSnapshot } from "../core/screen/snapshot.ts";
import type { ViewCheckpoint } from "../core/views/session-view.ts";
import { waits } from "../core/waits.ts";
import type { JournalRecord } from "../protocol/records.ts";
import { batchOf, type Batch, type SkippedRange } from "./view-batch.ts";
import {
  sliceBytes,
  type AnswerTo,
  type FromWorker,
  type KeysNow,
  type Reply,
  type TextNow,
  type ToWorker,
} from "./view-messages.ts";
import { ViewRequests, type Question } from "./view-requests.ts";
import type { ThreadEnd } from "./view-thread.ts";
import type { LiveViewOptions, ViewLimits, ViewStatus } from "./live-view-options.ts";

/** The end of the journal, which a view that skimmed draws when the flood is over. */
const NEAR_BYTES = 512 * 1024;
/** A flood is over when less than `NEAR_BYTES` came in so long. */
const CALM_MS = 100;

/** A view that the clock would bring back so soon is not put away. */
const SOON_MS = 1000;

/** What a view needs of its pool. */
export interface ViewHome {
  readonly limits: ViewLimits;
  /** Sends to the thread of the view; chooses one where it has none. */
  post(view: LiveView, message: ToWorker): void;
  /** The view gets a thread apart from sessions that did no harm. */
  quarantine(view: LiveView): void;
  release(view: LiveView): void;
}

/** One screen; made by `ViewPool.open`. */
export class LiveView {
  readonly id: number;
  readonly #home: ViewHome;
  readonly #options: LiveViewOptions;
  /** Whether the program's questions are answered; see `LiveViewOptions`. */
  answer: boolean;
  #state: ViewStatus["state"] = "live";
  #message = "";
  #rebuilds = 0;
  /** Where the next read starts. */
  #cursor: number;
  /** Everything before it is on the screen. */
  #acknowledged: number;
  /** Nothing before it is answered; never goes back, or a rebuild would answer twice. */
  #repliedTo: number;
  /** Nothing before it is counted as skipped again, or a rebuild would count twice. */
  #countedTo = 0;
  #bytesSkipped = 0;
  /** Sizes of the batches that are not acknowledged. */
  #inFlight: number[] = [];
  #checkpoint: ViewCheckpoint | null;
  #checkpointAt = performance.now();
  #isCheckpointAsked = false;
  #fedSinceCheckpoint = 0;
  #skipped: SkippedRange[] = [];
  #strikes = 0;
  /** Rises with each rebuild: what was read before is not fed after it. */
  #generation = 0;
  #isSkimming = false;
  /** Where the worker began to read by itself. */
  #skimFrom: number | undefined;
  #startsAnew = false;
  /** While it waits at the end of a flood: where the journal ended, and the timer that looks again. */
  #floodEnd = 0;
  #calmTimer: NodeJS.Timeout | undefined;
  /** A rebuild ends here. */
  #regainTo = 0;
  #isPulling = false;
  #mayHaveMore = true;
  /** `returning`: its checkpoint is being read. */
  #rest: "none" | "away" | "returning" = "none";
  #returnTimer: NodeJS.Timeout | undefined;
  /** When there was something to do last. */
  #activeAt = performance.now();
  readonly #requests = new ViewRequests();
  readonly #post = (message: ToWorker): void => this.#home.post(this, message);
  #idleWaiters: (() => void)[] = [];

  constructor(home: ViewHome, id: number, options: LiveViewOptions) {
    this.#home = home;
    this.id = id;
    this.#options = options;
    this.answer = options.answer ?? false;
    this.#checkpoint = options.checkpoint ?? null;
    this.#cursor = options.checkpoint?.offset ?? options.from ?? 0;
    this.#acknowledged = this.#cursor;
    this.#repliedTo = Math.max(options.answerFrom ?? 0, this.#cursor);
    this.#open();
  }

  get status(): ViewStatus {
    return {
      state: this.#state,
      offset: this.#acknowledged,
      bytesSkipped: this.#bytesSkipped,
      isFlooded: this.#isSkimming || this.#startsAnew,
      rebuilds: this.#rebuilds,
      message: this.#message,
    };
  }

  /** There may be more to read. Cheap; to be called for each append. */
  wake(): void {
    const { end } = this.#options.source;
    if (this.#rest !== "none" && end !== undefined && end <= this.#cursor) return;
    this.#mayHaveMore = true;
    void this.#pull();
  }

  /** How long nothing was drawn and nobody asked. */
  get idleMs(): number {
    return performance.now() - this.#activeAt;
  }

  /** No emulator is held. */
  get isAway(): boolean {
    return this.#rest === "away";
  }

  /**
   * Lets go of the emulator, once `keep` has kept what `restore` gives back; the clock brings it back, too. Nothing is done where the
   * view is at work or cannot be restored.
   */
  async putAway(keep: (checkpoint: ViewCheckpoint) => Promise<void>): Promise<void> {
    if (this.#options.restore === undefined || !this.#isResting) return;
    const since = this.#activeAt;
    const isStill = (): boolean => this.#isResting && this.#activeAt === since;
    const { checkpoint, wakeMs } = await this.#askForCheckpoint();
    if (!isStill() || (wakeMs !== null && wakeMs < SOON_MS) || checkpoint.offset !== this.#acknowledged) return;
    await keep(checkpoint);
    if (!isStill()) return;
    this.#rest = "away";
    this.#checkpoint = null;
    this.#home.post(this, { type: "close", id: this.id });
    this.#home.release(this);
    if (wakeMs !== null) this.#returnTimer = setTimeout(() => void this.#return(), wakeMs).unref();
  }

  /** The screen now, at the offset that it says; what follows is in the journal. Waits while the screen is rebuilt. */
  async snapshot(): Promise<ScreenSnapshot> {
    return (await this.#ask("snapshot", (request) => ({ type: "snapshot", id: this.id, request }))).snapshot;
  }

  /** What another view can go on from. */
  async checkpoint(): Promise<ViewCheckpoint> {
    return (await this.#askForCheckpoint()).checkpoint;
  }

  /** Plain text, see `Screen.text`, and the offset that it belongs to. */
  async text({ scrollback = false }: { readonly scrollback?: boolean } = {}): Promise<TextNow> {
    const { text, offset } = await this.#ask("text", (request) => ({ type: "text", id: this.id, request, scrollback }));
    return { text, offset };
  }

  /** See `SessionView.draft`. */
  async draft(): Promise<Draft> {
    return (await this.#ask("draft", (request) => ({ type: "draft", id: this.id, request }))).draft;
  }

  /** See `SessionView.keysFor`. */
  async keysFor(approval: string, option: string): Promise<KeysNow> {
    return await this.#ask("keys", (request) => ({ type: "keys", id: this.id, request, approval, option }));
  }

  /** Resolves once the source had nothing more and everything read is on the screen, or the view has ended. */
  async caughtUp(): Promise<void> {
    if (this.#isIdle) return;
    await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
  }

  close(): void {
    if (this.#state === "closed") return;
    this.#home.post(this, { type: "close", id: this.id });
    this.#home.release(this);
    this.#finish("closed", "The screen view was closed");
  }

  /** For the pool: a message of the view's thread. */
  receive(message: FromWorker): void {
    switch (message.type) {
      case "fed":
        return this.#fed(message);
      case "changed":
        this.#options.onChanges?.(message.changes);
        return;
      case "broken":
        return this.lost({
          reason: "died",
          at: { id: this.id, from: message.from, to: message.to },
          message: message.message,
        });
      case "snapshot":
      case "checkpoint":
      case "draft":
      case "keys":
      case "text":
        this.#requests.settle(message.request, message);
    }
  }

  /** For the pool: the screen in the thread is gone; it is rebuilt in the thread that the next message chooses. */
  lost(end: ThreadEnd): void {
    if (this.#state === "failed" || this.#state === "closed") return;
    this.#rebuilds += 1;
    this.#message = end.message;
    this.#regainTo = Math.max(this.#regainTo, this.#acknowledged);
    if (end.at?.id === this.id) this.#blame(end.at);
    if (this.#strikes > this.#home.limits.strikesMax) {
      this.#home.release(this);
      this.#finish("failed", `The screen broke ${this.#strikes} times: ${end.message}`);
      return;
    }
    this.#setState("rebuilding");
    this.#startOver();
  }

  /** From the last checkpoint on, else from the beginning. */
  #startOver(): void {
    this.#generation += 1;
    this.#inFlight = [];
    this.#isCheckpointAsked = false;
    this.#fedSinceCheckpoint = 0;
    this.#cursor = this.#checkpoint?.offset ?? this.#options.from ?? 0;
    this.#acknowledged = this.#cursor;
    this.#isPulling = false;
    this.#skimFrom = undefined;
    this.#open();
    this.#regained();
    this.wake();
  }

  /** Once is enough: what was asked meanwhile waits. */
  async #return(): Promise<void> {
    if (this.#rest !== "away") return;
    this.#rest = "returning";
    clearTimeout(this.#returnTimer);
    const kept = await this.#options.restore?.().catch(() => undefined);
    if (this.#isOver) return;
    this.#rest = "none";
    this.#checkpoint = kept ?? null;
    this.#regainTo = this.#acknowledged;
    this.#state = "rebuilding";
    this.#startOver();
  }

  /** The session's own output broke the thread: leave the slice out, four times as much at each further break. */
  #blame({ from, to }: { from: number; to: number }): void {
    this.#strikes += 1;
    this.#home.quarantine(this);
    if (to <= from) return;
    const range = { from, to: Math.max(to, from + sliceBytes * 4 ** this.#skipped.length) };
    this.#skipped = [...this.#skipped, range];
  }

  #open(): void {
    const { agent = null, columns, isFolded = true, markNonce = null, rows } = this.#options;
    const { scrollbackLinesMax = 1000, trustsText = false } = this.#options;
    const given = { agent, columns, isFolded, markNonce, rows, scrollbackLinesMax, trustsText };
    this.#home.post(this, { type: "open", id: this.id, ...given, checkpoint: this.#checkpoint });
  }

  get #inFlightBytes(): number {
    return this.#inFlight.reduce((sum, bytes) => sum + bytes, 0);
  }

  async #pull(): Promise<void> {
    if (this.#rest !== "none") void this.#return();
    if (this.#isPulling || this.#rest !== "none") return;
    const generation = this.#generation;
    this.#isPulling = true;
    try {
      while (this.#isReadyToPull(generation)) {
        if (this.#isFlooded() || this.#skims()) return;
        this.#mayHaveMore = false;
        const records = await this.#options.source.read(this.#cursor, this.#home.limits.batchBytesMax);
        if (generation !== this.#generation || this.#isOver) return;
        if (records.length > 0) this.#feed(records);
      }
      if (!this.#mayHaveMore && !this.#isOver) this.#home.post(this, { type: "tail", id: this.id });
    } catch (cause) {
      if (generation !== this.#generation || this.#isOver) return;
      this.close();
      this.#finish("failed", `Cannot read the journal: ${cause instanceof Error ? cause.message : String(cause)}`);
    } finally {
      if (generation === this.#generation) this.#isPulling = false;
    }
    this.#settle();
  }

  get #isOver(): boolean {
    return this.#state === "failed" || this.#state === "closed";
  }

  #isReadyToPull(generation: number): boolean {
    return (
      generation === this.#generation &&
      !this.#isOver &&
      this.#mayHaveMore &&
      this.#inFlightBytes < this.#home.limits.inFlightBytesMax
    );
  }

  #feed(records: readonly JournalRecord[]): void {
    const batch = this.#batchOf(records);
    this.#activeAt = performance.now();
    this.#mayHaveMore = true;
    this.#cursor = batch.next;
    this.#countSkipped(batch);
    this.#inFlight.push(batch.bytes.length);
    const { pieces, bytes, next } = batch;
    this.#home.post(this, { type: "feed", id: this.id, pieces, bytes, next });
  }

  get #behindBytes(): number {
    return (this.#options.source.end ?? 0) - this.#cursor;
  }

  /** True at the end of a flood that may not be over: it is looked at again in a moment. */
  #isFlooded(): boolean {
    if (!this.#isSkimming && this.#behindBytes > this.#home.limits.behindBytesMax) this.#isSkimming = true;
    if (!this.#isSkimming || this.#behindBytes > NEAR_BYTES) return false;
    const { end = 0 } = this.#options.source;
    if (this.#calmTimer !== undefined) return true;
    if (this.#floodEnd !== 0 && end - this.#floodEnd < NEAR_BYTES) {
      this.#floodEnd = 0;
      this.#isSkimming = false;
      this.#startsAnew = true;
      return false;
    }
    this.#floodEnd = end;
    this.#calmTimer = setTimeout(() => {
      this.#calmTimer = undefined;
      void this.#pull();
    }, CALM_MS);
    return true;
  }

  /** Lets the worker read on by itself, where it can; true while it does. */
  #skims(): boolean {
    const { directory, end = 0 } = this.#options.source;
    if (!this.#isSkimming || directory === undefined) return false;
    if (this.#inFlight.length > 0) return true;
    this.#skimFrom = this.#cursor;
    this.#inFlight.push(0);
    this.#home.post(this, { type: "skim", id: this.id, directory, from: this.#cursor, to: end - NEAR_BYTES / 2 });
    return true;
  }

  /** Behind a flood that was not drawn the screen starts anew. */
  #batchOf(records: readonly JournalRecord[]): Batch {
    if (this.#isSkimming) return batchOf(records, this.#cursor, [{ from: this.#cursor, to: Infinity }]);
    const batch = batchOf(records, this.#cursor, this.#skipped);
    const [first] = batch.pieces;
    if (!this.#startsAnew || first === undefined) return batch;
    this.#startsAnew = false;
    return { ...batch, pieces: [{ ...first, type: "gap", length: 0 }, ...batch.pieces] };
  }

  #countSkipped({ pieces }: Batch): void {
    for (const { type, offset, length } of pieces) {
      const from = Math.max(offset, this.#countedTo);
      if (type !== "skip" || offset + length <= from) continue;
      this.#bytesSkipped += offset + length - from;
      this.#countedTo = offset + length;
    }
  }

  #fed({ next, replies, changes }: Extract<FromWorker, { type: "fed" }>): void {
    this.#fedSinceCheckpoint += this.#inFlight.shift() ?? 0;
    if (this.#skimFrom !== undefined) {
      this.#bytesSkipped += next - Math.max(this.#skimFrom, this.#countedTo);
      this.#countedTo = next;
      this.#cursor = next;
      this.#skimFrom = undefined;
    }
    this.#acknowledged = next;
    this.#reply(replies);
    if (changes.length > 0) this.#options.onChanges?.(changes);
    this.#regained();
    this.#askCheckpoint();
    void this.#pull();
    this.#settle();
  }

  #reply(replies: readonly Reply[]): void {
    const { onReply, replyAgeMsMax = waits.arrivalMs } = this.#options;
    for (const { offset, timeUs, bytes } of replies) {
      const isFresh = Date.now() - timeUs / 1000 <= replyAgeMsMax;
      if (this.answer && isFresh && offset > this.#repliedTo) onReply?.(bytes);
    }
    this.#repliedTo = Math.max(this.#repliedTo, this.#acknowledged);
  }

  #regained(): void {
    if (this.#state !== "rebuilding" || this.#acknowledged < this.#regainTo) return;
    this.#setState("live");
    this.#requests.askAgain(this.#post);
  }

  #askCheckpoint(): void {
    const { checkpointBytes, checkpointMs } = this.#home.limits;
    const isDue =
      this.#fedSinceCheckpoint >= checkpointBytes ||
      (this.#fedSinceCheckpoint > 0 && performance.now() - this.#checkpointAt >= checkpointMs);
    if (!isDue || this.#isCheckpointAsked || this.#state !== "live") return;
    this.#isCheckpointAsked = true;
    this.#fedSinceCheckpoint = 0;
    void this.checkpoint().then(
      (checkpoint) => this.#keepCheckpoint(checkpoint),
      () => undefined, // the view has ended, which its status says
    );
  }

  #keepCheckpoint(checkpoint: ViewCheckpoint): void {
    this.#isCheckpointAsked = false;
    this.#checkpoint = checkpoint;
    this.#checkpointAt = performance.now();
    const behind = this.#skipped.filter(({ to }) => to > checkpoint.offset);
    if (behind.length === 0) this.#strikes = 0;
    this.#skipped = behind;
  }

  /** The view's own question: it does not count as wanted. */
  async #askForCheckpoint(): Promise<AnswerTo<"checkpoint">> {
    const since = this.#activeAt;
    const asked = this.#ask("checkpoint", (request) => ({ type: "checkpoint", id: this.id, request }));
    this.#activeAt = since;
    return await asked;
  }

  async #ask<Type extends FromWorker["type"]>(type: Type, question: Question): Promise<AnswerTo<Type>> {
    if (this.#isOver) throw new LecternError("NOT_AVAILABLE", `Cannot show the screen: ${this.#message}`);
    this.#activeAt = performance.now();
    const isHere = this.#state === "live" && this.#rest === "none";
    const answer = this.#requests.ask(type, question, isHere ? this.#post : undefined);
    if (this.#rest !== "none") void this.#return();
    return await answer;
  }

  /** Live, with nothing on its way in either direction. */
  get #isResting(): boolean {
    return this.#state === "live" && this.#rest === "none" && this.#isIdle && this.#requests.size === 0;
  }

  get #isIdle(): boolean {
    return (
      this.#isOver ||
      (this.#calmTimer === undefined && !this.#isPulling && !this.#mayHaveMore && this.#inFlight.length === 0)
    );
  }

  #settle(): void {
    if (!this.#isIdle) return;
    const waiters = this.#idleWaiters;
    this.#idleWaiters = [];
    for (const resolve of waiters) resolve();
  }

  #setState(state: ViewStatus["state"]): void {
    this.#state = state;
    this.#options.onStatus?.(this.status);
  }

  #finish(state: "failed" | "closed", message: string): void {
    clearTimeout(this.#calmTimer);
    clearTimeout(this.#returnTimer);
    this.#message = message;
    this.#setState(state);
    this.#requests.rejectAll(new LecternError("NOT_AVAILABLE", `Cannot show the screen: ${message}`));
    this.#settle();
  }
}
