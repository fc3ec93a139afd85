/** Copies the journal of one session into the cluster: performs what the replicator asks for, and gives it the time. */
import { Replicator, type ReplicatorEffect, type ReplicatorInput, type ReplicaState } from "../../core/replicator.ts";
import { RawFrameReader } from "../../../../journal/raw-frames.ts";
import { failureReason, type ReplicaStream } from "./replica-stream.ts";
import type { Slots } from "../../../../daemon/async/slots.ts";

/** Longer records are a gap of the replica. With what does not compress, it fits into a message. */
const FRAME_BYTES_MAX = 448 * 1024;
/** Longer than all waits for a slot, each of which has an end of its own (`ANSWER_MS_MAX`). */
const STEP_MS_MAX = 60_000;
/** A session that only moves a spinner is two messages a second; one that prints more sends when there is enough. */
const LINGER_MS = 500;
/**
 * While a session prints faster than 4 MiB/s, its replica waits: on a machine with few processors, sending would take them from the program and
 * its host. So much can wait at most.
 */
const HELD_BYTES_MAX = 32 * 1024 * 1024;
const FLOOD_BYTES = 512 * 1024;
const FLOOD_WINDOW_MS = 125;
/** The list of segments is read again this often at most. */
const SEGMENTS_MS_MIN = 2000;
const PAGE_MESSAGES = 32;

export interface SessionReplicaOptions {
  readonly session: string;
  /** Of the journal. */
  readonly directory: string;
  /** Reads and publishes of all sessions. */
  readonly slots: Slots;
  /** Called after each step. */
  readonly onStep: () => void;
  readonly onError: (error: unknown) => void;
}

/** Whether a journal grows faster than `FLOOD_BYTES` in a window. */
class FloodGauge {
  #sinceMs = Number.NEGATIVE_INFINITY;
  #from = 0;
  #isFlood = false;

  isFlood(end: number, nowMs: number): boolean {
    const isFast = end - this.#from >= FLOOD_BYTES;
    if (nowMs - this.#sinceMs < FLOOD_WINDOW_MS) return this.#isFlood || isFast;
    // What was there before the first look is not a flood.
    this.#isFlood = isFast && Number.isFinite(this.#sinceMs);
    this.#sinceMs = nowMs;
    this.#from = end;
    return this.#isFlood;
  }
}

type EffectOf<Type extends ReplicatorEffect["type"]> = Extract<ReplicatorEffect, { readonly type: Type }>;

export class SessionReplica implements Disposable {
  readonly #options: SessionReplicaOptions;
  readonly #replicator = new Replicator({ answerMsMax: STEP_MS_MAX, lingerMs: LINGER_MS });
  readonly #frames: RawFrameReader;
  #stream: ReplicaStream | undefined;
  #timer: NodeJS.Timeout | undefined;
  #bases: readonly number[] = [];
  #listedMs = Number.NEGATIVE_INFINITY;
  #lastSequence = 0;
  readonly #floods = new FloodGauge();
  /** Of the journal. */
  #end = 0;
  /** What the replicator knows of it. */
  #given = 0;
  #holding: NodeJS.Timeout | undefined;
  #isDisposed = false;
  #sent: Promise<void> = Promise.resolve();

  constructor(options: SessionReplicaOptions) {
    this.#options = options;
    this.#frames = new RawFrameReader(options.directory, { frameBytesMax: FRAME_BYTES_MAX });
  }

  /** Resolves when nothing of it is under way to the stream any more; to be asked before it is disposed. */
  get sent(): Promise<void> {
    return this.#sent;
  }

  get state(): ReplicaState {
    return this.#replicator.state;
  }

  get lagBytes(): number {
    return this.#replicator.lagBytes + this.#end - this.#given;
  }

  /** Of the last message of the session, as far as it is known. */
  get lastSequence(): number {
    return this.#lastSequence;
  }

  /** All records before `end` are complete on disk. */
  grow(end: number): void {
    this.#end = Math.max(this.#end, end);
    if (this.#holding !== undefined || this.#isDisposed) return;
    if (this.#floods.isFlood(this.#end, performance.now()) && this.#end - this.#given < HELD_BYTES_MAX) {
      this.#holding = setTimeout(() => {
        this.#holding = undefined;
        this.grow(this.#end);
      }, FLOOD_WINDOW_MS).unref();
      return;
    }
    this.#give(this.#end);
  }

  #give(end: number): void {
    this.#given = end;
    const nowMs = performance.now();
    if (nowMs - this.#listedMs >= SEGMENTS_MS_MIN) {
      this.#listedMs = nowMs;
      try {
        this.#bases = this.#frames.bases();
      } catch (error) {
        this.#options.onError(error);
      }
    }
    this.#step({ type: "journal", start: this.#bases[0] ?? 0, end, bases: this.#bases });
  }

  /** All that it was told of is in the stream. */
  get isComplete(): boolean {
    return this.state.name === "following" && this.lagBytes === 0 && this.#lastSequence > 0;
  }

  connect(stream: ReplicaStream): void {
    this.#stream = stream;
    this.#step({ type: "connected" });
  }

  disconnect(): void {
    if (this.#stream === undefined) return;
    this.#stream = undefined;
    this.#step({ type: "disconnected" });
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#stream = undefined;
    clearTimeout(this.#timer);
    clearTimeout(this.#holding);
  }

  #step(input: ReplicatorInput): void {
    for (const effect of this.#advance(input)) this.#perform(effect);
    if (!this.#isDisposed) this.#options.onStep();
  }

  /** What has to be done next; the timer is set. */
  #advance(input: ReplicatorInput): readonly ReplicatorEffect[] {
    if (this.#isDisposed) return [];
    const nowMs = performance.now();
    const effects = this.#replicator.step(input, nowMs);
    clearTimeout(this.#timer);
    const { wakeAtMs } = this.#replicator;
    if (wakeAtMs !== undefined)
      this.#timer = setTimeout(() => this.#step({ type: "tick" }), Math.max(0, Math.ceil(wakeAtMs - nowMs))).unref();
    return effects;
  }

  #perform(effect: ReplicatorEffect): void {
    switch (effect.type) {
      case "list":
        return this.#ask(effect, async (stream) => await this.#list(stream, effect));
      case "tail":
        return this.#ask(effect, async (stream) => {
          const message = await stream.tail(this.#options.session);
          return { type: "tail", request: effect.request, message };
        });
      case "verify":
        return this.#ask(effect, async () => await this.#verify(effect));
      case "read":
        return this.#ask(effect, async (stream) => await this.#readAndPublish(stream, effect));
      case "fork":
        return this.#options.onError(
          new Error(`Replica of session "${this.#options.session}" begins anew: ${effect.reason}`),
        );
      case "state":
        return;
      case "publish":
        // Only follows a read, which performs it.
        throw new Error("a publish without a read");
    }
  }

  /** Runs in a slot. What it throws is the answer, too. */
  #ask(
    { request }: { readonly request: number },
    run: (stream: ReplicaStream) => Promise<ReplicatorInput | undefined>,
  ): void {
    const stream = this.#stream;
    if (stream === undefined) return;
    const answered = this.#options.slots.run(async () => (this.#stream === stream ? await run(stream) : undefined));
    const done = answered
      .catch((error: unknown): ReplicatorInput => ({ type: "failed", request, reason: failureReason(error) }))
      .then((answer) => (answer === undefined || this.#stream !== stream ? undefined : this.#step(answer)))
      .catch(this.#options.onError);
    this.#sent = Promise.all([this.#sent, done]).then(() => undefined);
  }

  async #list(stream: ReplicaStream, { request, fromSequence }: EffectOf<"list">): Promise<ReplicatorInput> {
    let page = [];
    for await (const header of stream.headers(this.#options.session, fromSequence)) {
      this.#lastSequence = header.sequence;
      page.push(header);
      if (page.length < PAGE_MESSAGES) continue;
      this.#step({ type: "listed", request, messages: page, isLast: false });
      page = [];
    }
    return { type: "listed", request, messages: page, isLast: true };
  }

  async #verify({ request, message }: EffectOf<"verify">): Promise<ReplicatorInput> {
    const { crc, next: end, offset, rawBytes } = message;
    const found = await this.#frames.read({ offset, end, bytesMax: rawBytes });
    const isTrimmed = found.gapReason === "trimmed";
    const matches = isTrimmed || (found.offset === offset && found.next === end && found.crc === crc);
    return { type: "verified", request, matches };
  }

  /** In one slot, so that the bytes of all sessions together are limited. */
  async #readAndPublish(
    stream: ReplicaStream,
    { request, offset, end, bytesMax }: EffectOf<"read">,
  ): Promise<ReplicatorInput | undefined> {
    const read = await this.#frames.read({ offset, end, bytesMax });
    if (this.#stream !== stream) return undefined;
    let publish: EffectOf<"publish"> | undefined;
    for (const effect of this.#advance({ type: "read", request, ...read })) {
      if (effect.type === "publish") publish = effect;
      else this.#perform(effect);
    }
    return publish && (await this.#publish(stream, publish));
  }

  async #publish(stream: ReplicaStream, given: EffectOf<"publish">): Promise<ReplicatorInput> {
    const { request, header, bytes, expectedSequence } = given;
    try {
      const sequence = await stream.publish(this.#options.session, header, { bytes, expectedSequence });
      if (sequence === undefined) return { type: "refused", request };
      this.#lastSequence = sequence;
      return { type: "published", request, sequence };
    } catch (error) {
      return { type: "failed", request, reason: failureReason(error) };
    }
  }
}
