/**
 * Copies one journal into one subject of a stream, as messages of whole raw frames. Laws:
 * - The journal is the truth, the stream a copy: what the stream acknowledged may be lost, come twice or late, and its sequence numbers
 *   may be used again. After each connection the headers of the replica are compared with what was published, and each `checkMs` its
 *   last message; what differs is read completely, verified, and sent again from the first hole.
 * - Only bytes before the durable end are published. If the replica has bytes that the journal does not have, a new epoch begins.
 * - One publish is under way at a time, with the sequence of the last message of the subject as its condition. Its batch grows while
 *   the one before it is under way.
 * - The journal is only read: nothing here can delay its writer. A replica that is too far behind skips, with a declared gap.
 *
 * Each effect with a `request` is answered by one input with that number; later answers are ignored. Times are milliseconds of a clock
 * that only moves forward. Call `step` with `tick` at `wakeAtMs`.
 */
import { ReplicaCoverage } from "./replica-coverage.ts";
import { isSameMessage, type ReplicaGapReason, type ReplicaHeader, type StoredHeader } from "./replica-message.ts";

export interface ReplicatorOptions {
  /** Raw bytes of one message. Default 256 KiB. */
  readonly batchBytesMax?: number;
  /** A batch of this size does not wait to become fuller. Default 64 KiB. */
  readonly dueBytes?: number;
  /** A batch that is not full waits for this long. Default 100. */
  readonly lingerMs?: number;
  /** Default 30,000. */
  readonly checkMs?: number;
  /**
   * Each such check compares all messages that are remembered, the others only the last one: after a loss, late messages can make the
   * last one as expected with a hole before it. Default 20.
   */
  readonly checksPerList?: number;
  /** A request without an answer after this time has failed. Default 10,000. */
  readonly answerMsMax?: number;
  /** Wait after a failure, doubled up to `retryMsMax`. Default 1,000. */
  readonly retryMs?: number;
  /** Default 30,000. */
  readonly retryMsMax?: number;
  /** With more than this behind the journal's end, the replica continues at a later segment. Default 1 GiB. */
  readonly lagBytesMax?: number;
  /** With more than this it is `behind`. Default 1 MiB. */
  readonly followingBytesMax?: number;
}

export type ReplicatorInput =
  /** The journal holds the offsets from `start` to `end`, durably; `bases` are the starts of its segments. */
  | { readonly type: "journal"; readonly start: number; readonly end: number; readonly bases: readonly number[] }
  | { readonly type: "connected" }
  | { readonly type: "disconnected" }
  /** Headers of the messages of the subject in the order of their sequences, in one or more pages. */
  | {
      readonly type: "listed";
      readonly request: number;
      readonly messages: readonly StoredHeader[];
      readonly isLast: boolean;
    }
  | { readonly type: "tail"; readonly request: number; readonly message: StoredHeader | undefined }
  | { readonly type: "verified"; readonly request: number; readonly matches: boolean }
  /** `offset` is greater than requested if there are no records before it; then with a reason. No bytes: there are none yet. */
  | {
      readonly type: "read";
      readonly request: number;
      readonly offset: number;
      readonly next: number;
      readonly gapReason?: ReplicaGapReason | undefined;
      readonly bytes: Uint8Array;
      readonly crc: number;
    }
  | { readonly type: "published"; readonly request: number; readonly sequence: number }
  /** The last sequence of the subject is another one, or the server took the message for a duplicate. */
  | { readonly type: "refused"; readonly request: number }
  /** Any other failure, also one after which the message may have been stored. */
  | { readonly type: "failed"; readonly request: number; readonly reason: string }
  | { readonly type: "tick" };

export type ReplicatorEffect =
  /** Headers of the messages with this sequence and later ones. */
  | { readonly type: "list"; readonly request: number; readonly fromSequence: number }
  /** The header of the last message. */
  | { readonly type: "tail"; readonly request: number }
  /**
   * Whether the journal's raw frames from `offset` to `next` have the length and CRC of the message; also true if the journal has
   * trimmed them by now.
   */
  | { readonly type: "verify"; readonly request: number; readonly message: ReplicaHeader }
  /** Whole raw frames from the first one that begins at or behind `offset`, at most `bytesMax` bytes or one frame, not beyond `end`. */
  | {
      readonly type: "read";
      readonly request: number;
      readonly offset: number;
      readonly end: number;
      readonly bytesMax: number;
    }
  | {
      readonly type: "publish";
      readonly request: number;
      readonly header: ReplicaHeader;
      readonly bytes: Uint8Array;
      /** The sequence of the last message of the subject; 0: there is none. */
      readonly expectedSequence: number;
    }
  /** For the log: what the replica has from here on is not the journal, which is published anew. */
  | { readonly type: "fork"; readonly epoch: number; readonly reason: string }
  | { readonly type: "state"; readonly state: ReplicaState };

export type ReplicaState =
  | { readonly name: "following" | "behind"; readonly reason?: undefined }
  | { readonly name: "degraded"; readonly reason: string };

type Phase =
  | { readonly name: "offline" }
  | { readonly name: "waiting"; readonly untilMs: number }
  | { readonly name: "resting" }
  | (Pending &
      (
        | { readonly name: "listing"; readonly isFull: boolean; readonly messages: StoredHeader[] }
        | { readonly name: "verifying" | "checking" }
        | { readonly name: "reading"; readonly from: number; readonly gapReason: ReplicaGapReason | undefined }
        | { readonly name: "publishing"; readonly header: ReplicaHeader }
      ));

interface Pending {
  readonly request: number;
  readonly sinceMs: number;
}

type Answer = Exclude<ReplicatorInput, { readonly type: "journal" | "connected" | "disconnected" | "tick" }>;

interface Journal {
  readonly start: number;
  readonly end: number;
  readonly bases: readonly number[];
}

/** So many of the last messages are remembered, to compare them after each connection without reading all headers. */
const RECENT_MAX = 64;
/** So many conflicts in a row have another cause than a late message of our own. */
const CONFLICTS_MAX = 3;

export class Replicator {
  readonly #options: Required<ReplicatorOptions>;
  #phase: Phase = { name: "offline" };
  /** Undefined until the shell has reported it: before, the replica would seem to be ahead. */
  #journal: Journal | undefined;
  #coverage = new ReplicaCoverage();
  /** Where our messages are added; the one after the highest of the stream once a fork was found. */
  #epoch = 1;
  #epochStart = 0;
  /** `#epochStart` was chosen. */
  #hasBegun = false;
  /** The last messages of the subject as they were published or listed, in order. */
  #recent: StoredHeader[] = [];
  #requests = 0;
  /** When the first byte that waits for a fuller batch was seen. */
  #waitingSinceMs: number | undefined;
  /** The last read found nothing: the next one waits, however much there seems to be. Without it, reads would follow each other. */
  #isReadEmpty = false;
  /** Up to here the journal has no records, as that read has shown; the gap is declared with the next record. */
  #emptyUntil = 0;
  #checkAtMs = 0;
  #failures = 0;
  #conflicts = 0;
  #checks = 0;
  /** The replica was compared since the last connection: before, it is not known to follow. */
  #isCompared = false;
  /** The last publish failed, for example because the quota is full: that the replica can be read does not change it. */
  #isPublishFailing = false;
  #problem: string | undefined = "there is no connection to the cluster";
  #reported: ReplicaState | undefined;
  #effects: ReplicatorEffect[] = [];

  constructor(options: ReplicatorOptions = {}) {
    this.#options = {
      batchBytesMax: 256 * 1024,
      dueBytes: 64 * 1024,
      lingerMs: 100,
      checkMs: 30_000,
      checksPerList: 20,
      answerMsMax: 10_000,
      retryMs: 1000,
      retryMsMax: 30_000,
      lagBytesMax: 1024 ** 3,
      followingBytesMax: 1024 * 1024,
      ...options,
    };
  }

  /** The offset up to which the replica is known to be complete. */
  get end(): number {
    // Without a message, from where the epoch begins: what was trimmed since is a gap that the first message declares.
    return (this.#coverage.epoch === this.#epoch ? this.#coverage.end : undefined) ?? this.#epochStart;
  }

  get lagBytes(): number {
    return Math.max(0, (this.#journal?.end ?? 0) - Math.max(this.end, this.#emptyUntil));
  }

  get state(): ReplicaState {
    const name = this.#stateName();
    return name === "degraded" ? { name, reason: this.#problem ?? "" } : { name };
  }

  #stateName(): ReplicaState["name"] {
    if (this.#problem !== undefined) return "degraded";
    return this.#isCompared && this.lagBytes <= this.#options.followingBytesMax ? "following" : "behind";
  }

  get wakeAtMs(): number | undefined {
    const phase = this.#phase;
    if (phase.name === "offline" || this.#journal === undefined) return undefined;
    if (phase.name === "waiting") return phase.untilMs;
    if (phase.name !== "resting") return phase.sinceMs + this.#options.answerMsMax;
    return Math.min(this.#checkAtMs, (this.#waitingSinceMs ?? Number.POSITIVE_INFINITY) + this.#options.lingerMs);
  }

  step(input: ReplicatorInput, nowMs: number): ReplicatorEffect[] {
    this.#apply(input, nowMs);
    this.#advance(nowMs);
    this.#reportState();
    const effects = this.#effects;
    this.#effects = [];
    return effects;
  }

  #apply(input: ReplicatorInput, nowMs: number): void {
    switch (input.type) {
      case "journal": {
        const { start, bases } = input;
        this.#journal = { start, bases, end: Math.max(input.end, this.#journal?.end ?? 0) };
        return;
      }
      case "connected":
        this.#problem = undefined;
        this.#isCompared = false;
        this.#failures = 0;
        this.#phase = { name: "waiting", untilMs: nowMs };
        return;
      case "disconnected":
        this.#problem = "there is no connection to the cluster";
        this.#phase = { name: "offline" };
        return;
      case "tick":
        return;
      default:
        if ("request" in this.#phase && this.#phase.request === input.request) this.#answer(this.#phase, input, nowMs);
    }
  }

  #answer(phase: Extract<Phase, Pending>, input: Answer, nowMs: number): void {
    if (input.type === "failed") return this.#fail(input.reason, nowMs);
    if (phase.name === "listing" && input.type === "listed") return this.#takeList(phase, input, nowMs);
    if (phase.name === "verifying" && input.type === "verified")
      return input.matches ? this.#rest(nowMs) : this.#fork("the replica has other bytes than the journal", nowMs);
    if (phase.name === "checking" && input.type === "tail") return this.#compareTail(input.message, nowMs);
    if (phase.name === "reading" && input.type === "read") return this.#publish(phase, input, nowMs);
    if (phase.name !== "publishing") throw new Error(`"${input.type}" is not an answer while ${phase.name}`);
    if (input.type === "published") return this.#acknowledge(phase.header, input.sequence, nowMs);
    if (input.type === "refused") return this.#resolveConflict(nowMs);
  }

  /** What to do next without an answer: time that has passed, or a journal that has grown. */
  #advance(nowMs: number): void {
    const phase = this.#phase;
    if (this.#journal === undefined || phase.name === "offline") return;
    if (phase.name === "waiting") {
      if (nowMs >= phase.untilMs) this.#list(false, nowMs);
    } else if (phase.name === "resting") {
      this.#continue(this.#journal, nowMs);
    } else if (nowMs >= phase.sinceMs + this.#options.answerMsMax) {
      this.#fail(`no answer within ${this.#options.answerMsMax / 1000} s while ${phase.name}`, nowMs);
    }
  }

  #continue(journal: Journal, nowMs: number): void {
    if (nowMs >= this.#checkAtMs) return this.#check(nowMs);
    const lagBytes = this.lagBytes;
    if (lagBytes === 0) {
      this.#waitingSinceMs = undefined;
      return;
    }
    this.#waitingSinceMs ??= nowMs;
    const { batchBytesMax, dueBytes } = this.#options;
    const isDue = lagBytes >= Math.min(batchBytesMax, dueBytes) && !this.#isReadEmpty;
    if (isDue || nowMs >= this.#waitingSinceMs + this.#options.lingerMs) this.#read(journal, nowMs);
  }

  #check(nowMs: number): void {
    this.#checks += 1;
    if (this.#checks % this.#options.checksPerList === 0) return this.#list(false, nowMs);
    const pending = this.#request(nowMs);
    this.#phase = { name: "checking", ...pending };
    this.#effects.push({ type: "tail", request: pending.request });
  }

  #read(journal: Journal, nowMs: number): void {
    const from = this.end;
    const base = this.lagBytes > this.#options.lagBytesMax ? this.#laterBase(journal, from) : undefined;
    const pending = this.#request(nowMs);
    this.#phase = { name: "reading", from, gapReason: base === undefined ? undefined : "lag", ...pending };
    const { batchBytesMax: bytesMax } = this.#options;
    const { end } = journal;
    this.#effects.push({ type: "read", request: pending.request, offset: base ?? from, end, bytesMax });
  }

  /** The segment from which on half of the quota is left, or the last one. */
  #laterBase({ bases, end }: Journal, from: number): number | undefined {
    const later = bases.filter((base) => base > from && base < end);
    return later.find((base) => end - base <= this.#options.lagBytesMax / 2) ?? later.at(-1);
  }

  #publish(
    phase: Extract<Phase, { readonly name: "reading" }>,
    { offset, next, bytes, crc, gapReason }: Extract<ReplicatorInput, { readonly type: "read" }>,
    nowMs: number,
  ): void {
    this.#waitingSinceMs = undefined;
    this.#isReadEmpty = bytes.length === 0;
    if (this.#isReadEmpty) {
      // Trimmed or damaged up to its end, or not readable yet.
      this.#emptyUntil = next;
      return this.#rest(nowMs);
    }
    const { from } = phase;
    const reason = offset === from ? undefined : (phase.gapReason ?? gapReason ?? "damaged");
    const header: ReplicaHeader = {
      epoch: this.#epoch,
      epochStart: this.#epochStart,
      from,
      offset,
      next,
      gapReason: reason,
      rawBytes: bytes.length,
      crc,
    };
    const pending = this.#request(nowMs);
    this.#phase = { name: "publishing", header, ...pending };
    const expectedSequence = this.#coverage.lastSequence;
    this.#effects.push({ type: "publish", request: pending.request, header, bytes, expectedSequence });
  }

  #acknowledge(header: ReplicaHeader, sequence: number, nowMs: number): void {
    // A stream that counts backwards has lost messages since the condition was checked.
    if (sequence <= this.#coverage.lastSequence) return this.#resolveConflict(nowMs);
    this.#remember({ ...header, sequence });
    this.#conflicts = 0;
    this.#isPublishFailing = false;
    this.#succeed();
    this.#phase = { name: "resting" };
  }

  #remember(message: StoredHeader): void {
    this.#coverage.add(message);
    this.#recent.push(message);
    if (this.#recent.length > RECENT_MAX) this.#recent.shift();
  }

  #resolveConflict(nowMs: number): void {
    this.#conflicts += 1;
    if (this.#conflicts > CONFLICTS_MAX) this.#fail("another writer publishes the same session", nowMs);
    else this.#list(false, nowMs);
  }

  #compareTail(message: StoredHeader | undefined, nowMs: number): void {
    const known = this.#recent.at(-1);
    const isKnown = message !== undefined && known !== undefined && isSameMessage(message, known);
    if (isKnown || message === known) this.#rest(nowMs);
    else this.#list(false, nowMs);
  }

  /** Reads the headers of the messages since the oldest that is remembered, or all. */
  #list(isFull: boolean, nowMs: number): void {
    const pending = this.#request(nowMs);
    this.#emptyUntil = 0;
    const isAll = isFull || this.#recent.length === 0;
    this.#phase = { name: "listing", isFull: isAll, messages: [], ...pending };
    const fromSequence = isAll ? 0 : (this.#recent[0]?.sequence ?? 0);
    this.#effects.push({ type: "list", request: pending.request, fromSequence });
    if (isAll) {
      this.#coverage = new ReplicaCoverage();
      this.#recent = [];
    }
  }

  #takeList(
    phase: Extract<Phase, { readonly name: "listing" }>,
    { messages, isLast }: Extract<ReplicatorInput, { readonly type: "listed" }>,
    nowMs: number,
  ): void {
    if (phase.isFull) {
      for (const message of messages) this.#remember(message);
    } else {
      // Our own messages, and at most a few late ones: a list that is much longer is read again completely.
      phase.messages.push(...messages.slice(0, RECENT_MAX * 2 - phase.messages.length));
    }
    if (!isLast) {
      this.#phase = { ...phase, sinceMs: nowMs };
      return;
    }
    if (!phase.isFull) {
      const { length } = this.#recent;
      const isKnown = this.#recent.every((known, at) => isListed(known, phase.messages[at]));
      if (!isKnown || phase.messages.length >= RECENT_MAX * 2) return this.#list(true, nowMs);
      for (const message of phase.messages.slice(length)) this.#remember(message);
    }
    this.#judge(nowMs);
  }

  /** Decides whether the replica that was listed can be continued. */
  #judge(nowMs: number): void {
    const { furthest, epoch, epochStart, isScattered } = this.#coverage;
    const { start, end } = this.#journal ?? { start: 0, end: 0 };
    if (furthest === undefined || epoch < this.#epoch) {
      // There is no message of our epoch, or not any more: then what was trimmed since it began is a gap.
      if (!this.#hasBegun) this.#epochStart = start;
      this.#hasBegun = true;
      return this.#rest(nowMs);
    }
    this.#epoch = epoch;
    this.#epochStart = epochStart;
    this.#hasBegun = true;
    if (isScattered) return this.#fork("the replica is in too many pieces", nowMs);
    if (furthest.next > end) return this.#fork(`the replica ends at ${furthest.next}, the journal at ${end}`, nowMs);
    if (furthest.offset < start) return this.#rest(nowMs);
    const pending = this.#request(nowMs);
    this.#phase = { name: "verifying", ...pending };
    this.#effects.push({ type: "verify", request: pending.request, message: furthest });
  }

  #fork(reason: string, nowMs: number): void {
    this.#emptyUntil = 0;
    this.#epoch = this.#coverage.epoch + 1;
    this.#epochStart = this.#journal?.start ?? 0;
    this.#effects.push({ type: "fork", epoch: this.#epoch, reason });
    this.#rest(nowMs);
  }

  /** The replica is known. */
  #rest(nowMs: number): void {
    if (!this.#isPublishFailing || this.lagBytes === 0) this.#succeed();
    this.#phase = { name: "resting" };
    this.#isCompared = true;
    this.#checkAtMs = nowMs + this.#options.checkMs;
  }

  #succeed(): void {
    this.#failures = 0;
    this.#problem = undefined;
  }

  #fail(reason: string, nowMs: number): void {
    const { retryMs, retryMsMax } = this.#options;
    if (this.#phase.name === "publishing") this.#isPublishFailing = true;
    const waitMs = Math.min(retryMsMax, retryMs * 2 ** Math.min(this.#failures, 20));
    this.#failures += 1;
    this.#conflicts = 0;
    this.#problem = reason;
    this.#phase = { name: "waiting", untilMs: nowMs + waitMs };
  }

  #request(nowMs: number): Pending {
    this.#requests += 1;
    return { request: this.#requests, sinceMs: nowMs };
  }

  #reportState(): void {
    // Compared before an object is made: this runs with each growth of a journal.
    if (this.#reported?.name === this.#stateName() && this.#reported.reason === this.#problem) return;
    const { state } = this;
    this.#reported = state;
    this.#effects.push({ type: "state", state });
  }
}

const isListed = (known: StoredHeader, listed: StoredHeader | undefined): boolean =>
  listed !== undefined && isSameMessage(known, listed);
