/**
 * One screen in a worker thread, and the journal that is fed to it: from where it was opened until its thread is lost or the view lets
 * go of it.
 *
 * Law of flow: a run pulls. It reads the next records while less than `inFlightBytesMax` is on its way to the worker, so it holds no
 * queue: what it has not read is in the journal.
 *
 * A run that is far behind skims: events and marks are read, and nothing is drawn until the flood is over and the run is near the end.
 * So does one whose output is too expensive to catch up soon, by what the last batches cost; less of its end is drawn, in proportion.
 */
import type { JournalRecord } from "../protocol/records.ts";
import type { LiveViewOptions, ViewLimits } from "./live-view-options.ts";
import type { SkippedOutput } from "./skipped-output.ts";
import { batchOf, type Batch } from "./view-batch.ts";
import type { AnswerTo, ToWorker } from "./view-messages.ts";

/** The last part of the journal, which is drawn even after a flood. */
const NEAR_BYTES = 512 * 1024;
/** The same where the output is expensive: what takes so long, and at least so much. */
const NEAR_MS = 150;
const NEAR_BYTES_MIN = 1024;
/** A view whose emulator needs longer to catch up skims. 8 MiB of text take 0.7 s. */
const BEHIND_MS_MAX = 3000;
/**
 * The emulator does not keep up with a program that writes so much so fast: it would draw until the run is `behindBytesMax` behind, and
 * drop that then. Not where an agent is read, whose messages would be lost with it.
 */
const FAST_BYTES = 1024 * 1024;
const FAST_MS = 150;
const FAST_BEHIND_BYTES = 512 * 1024;
/** Smaller batches say little about the cost of others. */
const PRICED_BYTES_MIN = 1024;
/** A flood is over when less than `NEAR_BYTES` was appended for so long. */
const CALM_MS = 100;
/** Skimmed at once, unless the flood is over: each time costs a message to the worker and back. */
const SKIM_BYTES_MIN = 2 * 1024 * 1024;

/** Read again as fast as a checkpoint is made; after less output it comes later, in proportion. */
const CHEAP_BYTES = 128 * 1024;
const CHECKPOINT_DELAYS_MAX = 15;

interface RunParts {
  readonly id: number;
  readonly source: LiveViewOptions["source"];
  readonly limits: ViewLimits;
  readonly skipped: SkippedOutput;
  readonly post: (message: ToWorker) => void;
  /** Records are about to be sent. */
  readonly onFeed: () => void;
  /** The journal has no more, and the worker has acknowledged everything. */
  readonly onIdle: () => void;
  /** The journal cannot be read. */
  readonly onFailed: (cause: unknown) => void;
}

/** What the worker has not acknowledged yet. */
type InFlight =
  | { readonly type: "batch"; readonly bytes: number; readonly isDrawn: boolean }
  /** The worker reads the journal from here by itself. */
  | { readonly type: "skim"; readonly from: number; readonly isLast: boolean };

/** What the worker says of a message that it has handled. */
type Handled = Pick<AnswerTo<"fed">, "isCut" | "readsAgent" | "spentMs">;

type Flood =
  | { readonly state: "none" }
  | { readonly state: "skimming" }
  /** Little is left: reading waits to see whether more comes. */
  | { readonly state: "waiting"; readonly timer: NodeJS.Timeout }
  /** The wait is over; `end` is where the journal ended before it. */
  | { readonly state: "waited"; readonly end: number }
  /** The next record is drawn on an empty screen. */
  | { readonly state: "over" };

export class ViewRun {
  readonly #parts: RunParts;
  /** Where the next read starts. */
  #cursor: number;
  #acknowledged: number;
  #inFlight: InFlight[] = [];
  #flood: Flood = { state: "none" };
  /** What the last batches cost. */
  #msPerByte = 0;
  /** Output of this flood was not drawn. */
  #hasSkipped = false;
  #mayHaveMore = true;
  #isReading = false;
  #isStopped = false;
  #fedSinceCheckpoint = 0;
  #isCheckpointAsked = false;
  #readsAgent = false;
  readonly #pace = new Pace(FAST_MS);

  constructor(parts: RunParts, from: number) {
    this.#parts = parts;
    this.#cursor = from;
    this.#acknowledged = from;
  }

  /** The output before it is on the screen. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** The screen is the one from before a flood. */
  get isFlooded(): boolean {
    return this.#flood.state !== "none";
  }

  get isIdle(): boolean {
    const isWaiting = this.#flood.state === "waiting";
    return !isWaiting && !this.#isReading && !this.#mayHaveMore && this.#inFlight.length === 0;
  }

  /** There may be more to read. */
  wake(): void {
    this.#mayHaveMore = true;
    void this.pull();
  }

  /** The clock has something to do: time goes on once all that was written before is fed. */
  tick(): void {
    const { id, post, source } = this.#parts;
    const nowUs = Date.now() * 1000;
    try {
      source.refresh?.();
    } catch {
      // The next read says why the journal cannot be read.
    }
    if (this.isIdle && (source.end ?? 0) <= this.#cursor) post({ type: "tick", id, nowUs });
    else this.wake();
  }

  /** Nothing is sent or called any more. */
  stop(): void {
    this.#isStopped = true;
    if (this.#flood.state === "waiting") clearTimeout(this.#flood.timer);
  }

  /**
   * The worker has handled the oldest message of those in flight, up to this offset; `pull` goes on. If it was cut, the rest of it and all
   * that was sent after it was dropped.
   */
  acknowledge(next: number, { isCut, readsAgent, spentMs }: Handled): void {
    this.#readsAgent = readsAgent;
    const handled = this.#inFlight.shift();
    const bytes = next - this.#acknowledged;
    if (handled?.type === "batch" && handled.isDrawn && (isCut || bytes >= PRICED_BYTES_MIN))
      this.#msPerByte = isCut ? spentMs / Math.max(1, bytes) : (this.#msPerByte + spentMs / bytes) / 2;
    if (handled?.type === "skim") {
      this.#parts.skipped.count({ from: handled.from, to: next });
      this.#hasSkipped ||= next > handled.from;
      // All of the rest is near the end of the output.
      if (handled.isLast && next <= handled.from) this.#flood = { state: "over" };
      this.#cursor = next;
    } else this.#fedSinceCheckpoint += handled?.bytes ?? 0;
    if (isCut) {
      this.#inFlight = [];
      this.#cursor = next;
      this.#mayHaveMore = true;
      this.#flood = { state: "skimming" };
    }
    this.#acknowledged = next;
  }

  /** True once for each checkpoint that is due; `sinceMs` is the age of the last one. The next one is not due before `endCheckpoint`. */
  beginCheckpoint(sinceMs: number): boolean {
    const { checkpointBytes, checkpointMs } = this.#parts.limits;
    const fedBytes = this.#fedSinceCheckpoint;
    const dueMs = checkpointMs * Math.min(CHECKPOINT_DELAYS_MAX, Math.max(1, CHEAP_BYTES / fedBytes));
    const isDue = fedBytes >= checkpointBytes || (fedBytes > 0 && sinceMs >= dueMs);
    if (!isDue || this.#isCheckpointAsked) return false;
    this.#isCheckpointAsked = true;
    this.#fedSinceCheckpoint = 0;
    return true;
  }

  endCheckpoint(): void {
    this.#isCheckpointAsked = false;
  }

  async pull(): Promise<void> {
    if (this.#isReading || this.#isStopped) return;
    const { id, limits, onFailed, onIdle, post, source } = this.#parts;
    this.#isReading = true;
    try {
      while (this.#mayHaveMore && this.#inFlightBytes < limits.inFlightBytesMax) {
        if (this.#waitsForCalm() || this.#skims()) return;
        this.#mayHaveMore = false;
        const { end = this.#cursor } = source;
        const bytesMax = this.#isSkimming ? end - this.#leftBytes - this.#cursor : Infinity;
        const records = await source.read(this.#cursor, Math.min(limits.batchBytesMax, Math.max(1, bytesMax)));
        if (this.#isStopped) return;
        if (records.length > 0) this.#feed(records);
      }
      if (!this.#mayHaveMore) post({ type: "tail", id });
    } catch (cause) {
      if (!this.#isStopped) onFailed(cause);
    } finally {
      this.#isReading = false;
    }
    if (this.isIdle && !this.#isStopped) onIdle();
  }

  get #inFlightBytes(): number {
    return this.#inFlight.reduce((sum, sent) => sum + (sent.type === "batch" ? sent.bytes : 0), 0);
  }

  #feed(records: readonly JournalRecord[]): void {
    const { id, onFeed, post, skipped } = this.#parts;
    const from = this.#cursor;
    const { bytes, next, pieces } = this.#batchOf(records);
    onFeed();
    this.#mayHaveMore = true;
    this.#cursor = next;
    for (const { type, offset, length } of pieces) {
      if (type === "skip") skipped.count({ from: offset, to: offset + length });
    }
    this.#inFlight.push({ type: "batch", bytes: bytes.length, isDrawn: !this.#isSkimming });
    post({ type: "feed", id, from, pieces, bytes, next });
  }

  /** In a flood nothing is drawn, and after it the screen starts empty. */
  #batchOf(records: readonly JournalRecord[]): Batch {
    const { skipped } = this.#parts;
    if (this.#isSkimming) {
      this.#hasSkipped = true;
      return batchOf(records, this.#cursor, [{ from: this.#cursor, to: Infinity }]);
    }
    const batch = batchOf(records, this.#cursor, skipped.broken);
    const [first] = batch.pieces;
    if (this.#flood.state !== "over" || first === undefined) return batch;
    this.#flood = { state: "none" };
    if (!this.#hasSkipped) return batch;
    this.#hasSkipped = false;
    return { ...batch, pieces: [{ ...first, type: "gap", length: 0 }, ...batch.pieces] };
  }

  get #isSkimming(): boolean {
    return this.#flood.state !== "none" && this.#flood.state !== "over";
  }

  /** True while a flood may go on and there is too little of it to be skimmed. */
  #waitsForCalm(): boolean {
    const { end = this.#cursor } = this.#parts.source;
    const behindBytes = end - this.#cursor;
    const isFast = this.#pace.grownTo(end) >= FAST_BYTES && behindBytes >= FAST_BEHIND_BYTES && !this.#readsAgent;
    const isFar = behindBytes > this.#parts.limits.behindBytesMax || behindBytes * this.#msPerByte > BEHIND_MS_MAX;
    const isFlood = isFast || isFar;
    if (!this.#isSkimming && isFlood) this.#flood = { state: "skimming" };
    if (!this.#isSkimming || behindBytes > SKIM_BYTES_MIN) return false;
    if (this.#flood.state === "waited") {
      const isCalm = end - this.#flood.end < NEAR_BYTES;
      if (!isCalm) this.#flood = { state: "skimming" };
      else if (behindBytes <= this.#nearBytes) this.#flood = { state: "over" };
      return false;
    }
    if (this.#flood.state === "waiting") return true;
    const timer = setTimeout(() => {
      this.#flood = { state: "waited", end };
      void this.pull();
    }, CALM_MS);
    this.#flood = { state: "waiting", timer };
    return true;
  }

  /** What is drawn at the end of a flood, at most. */
  get #nearBytes(): number {
    return Math.max(NEAR_BYTES_MIN, Math.min(NEAR_BYTES, NEAR_MS / this.#msPerByte));
  }

  /** Half of what may be drawn is left at the end, for more comes meanwhile. */
  get #leftBytes(): number {
    return Math.ceil(this.#nearBytes / 2);
  }

  /** True while the worker skims the journal by itself, which costs this thread nothing. */
  #skims(): boolean {
    const { id, post, source } = this.#parts;
    const { directory, end = this.#cursor } = source;
    if (!this.#isSkimming || directory === undefined) return false;
    if (this.#inFlight.length > 0) return true;
    const from = this.#cursor;
    const isLast = this.#flood.state === "waited";
    this.#inFlight.push({ type: "skim", from, isLast });
    const leftBytes = isLast ? this.#leftBytes : this.#leftBytes + this.#nearBytes;
    post({ type: "skim", id, directory, from, end, leftBytes, isLast });
    return true;
  }
}

/** By how much the journal grew lately. */
class Pace {
  readonly #windowMs: number;
  #before = { end: Infinity, atMs: 0 };
  #last = { end: Infinity, atMs: 0 };

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** What was written within the last window, or two at most. A journal that is read for the first time has not grown. */
  grownTo(end: number): number {
    const atMs = performance.now();
    if (atMs - this.#last.atMs >= this.#windowMs) {
      this.#before = this.#last.end === Infinity ? { end, atMs } : this.#last;
      this.#last = { end, atMs };
    }
    return Math.max(0, end - this.#before.end);
  }
}
