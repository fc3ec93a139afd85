/** A machine with a journal and a replicator, and a viewer that reads the replica. */
import { Replicator, type ReplicatorEffect, type ReplicatorInput } from "../../src/features/cluster/core/replicator.ts";
import { ReplicaReader, type ReplicaPart } from "../../src/features/cluster/core/replica-reader.ts";
import { frameLength, frameSpan, hash32, ModelJournal, PAYLOAD_BYTES_MAX } from "./model-journal.ts";
import type { ModelStream, StoredMessage } from "./model-stream.ts";
import { SimulatedProcess, type Program, type World } from "./world.ts";

const BATCH_BYTES = 48;
const LAG_BYTES_MAX = 400;
const NEVER_MS = 1e9;

/** The host, the disk and the daemon of one session. */
export class ReplicaMachine {
  readonly subject: number;
  readonly daemon: SimulatedProcess;
  readonly #world: World;
  readonly #stream: ModelStream;
  journal = new ModelJournal();
  /** Journals that were replaced by an older copy of themselves. */
  readonly replaced: ModelJournal[] = [];
  #incarnation = 1;
  #replicator: Replicator | undefined;
  #timerMs = Number.POSITIVE_INFINITY;
  #slowEndMs = 0;
  #hostLife = 0;
  /** Its program prints nothing from then on. */
  readonly #quietFromMs: number;
  #hasSkipped = false;

  constructor(world: World, stream: ModelStream, subject: number) {
    this.#world = world;
    this.#stream = stream;
    this.#quietFromMs = world.chaosEndMs * (world.random.chance(0.5) ? 1 : world.random.next());
    this.subject = subject;
    this.daemon = new SimulatedProcess(world, `daemon of session ${subject}`, () => this.#startDaemon());
  }

  get hasSkipped(): boolean {
    return this.#hasSkipped;
  }

  startHost(): void {
    this.#hostLife += 1;
    const life = this.#hostLife;
    const { random } = this.#world;
    const write = (): void => {
      if (life !== this.#hostLife) return;
      if (this.#world.nowMs >= this.#quietFromMs) return this.#sync();
      for (let count = random.chance(0.1) ? 12 : random.int(1, 2); count > 0; count--) this.#append();
      if (random.chance(0.05)) this.journal.beginSegment();
      if (random.chance(0.01)) this.journal.trim();
      if (this.#world.bug === "publish-before-disk") this.#report();
      this.#world.after(random.int(10, 500), write);
    };
    const sync = (): void => {
      if (life !== this.#hostLife) return;
      this.#sync();
      if (this.#world.isChaos) this.#world.after(50 + this.#diskDelayMs(), sync);
    };
    write();
    sync();
  }

  slowDisk(forMs: number): void {
    this.#world.trace(() => `disk ${this.subject} is slow for ${forMs} ms`);
    this.#slowEndMs = this.#world.nowMs + forMs;
  }

  losePower(downMs: number): void {
    this.#world.trace(() => `machine ${this.subject} loses its power`);
    this.daemon.kill();
    this.#hostLife += 1;
    this.journal.losePower();
    this.#world.after(downMs, () => this.#bootAgain());
  }

  /** An older copy of the disk: the journal ends earlier and continues with other bytes. */
  restore(downMs: number): void {
    this.#world.trace(() => `the journal of session ${this.subject} is replaced by an older one`);
    this.daemon.kill();
    this.#hostLife += 1;
    this.replaced.push(this.journal);
    this.journal = this.journal.copyUntil(this.#world.random.next());
    this.#incarnation += 1;
    this.#world.after(downMs, () => this.#bootAgain());
  }

  #bootAgain(): void {
    this.startHost();
    this.daemon.start();
  }

  #append(): void {
    const { random } = this.#world;
    const payload = new Uint8Array(random.int(1, PAYLOAD_BYTES_MAX)).fill(random.int(0, 255));
    payload[0] = this.#incarnation;
    this.journal.append(payload);
  }

  #sync(): void {
    this.journal.sync();
    this.#report();
  }

  #diskDelayMs(): number {
    const { random, nowMs } = this.#world;
    return nowMs < this.#slowEndMs ? random.int(100, 1500) : random.int(0, 3);
  }

  #startDaemon(): Program {
    const { bug } = this.#world;
    this.#timerMs = Number.POSITIVE_INFINITY;
    this.#replicator = new Replicator({
      batchBytesMax: BATCH_BYTES,
      lingerMs: 50,
      checkMs: bug === "no-tail-check" || bug === "assume-stored" ? NEVER_MS : 2000,
      checksPerList: 3,
      answerMsMax: bug === "ack-lost" ? NEVER_MS : 1500,
      retryMs: 100,
      retryMsMax: 800,
      lagBytesMax: LAG_BYTES_MAX,
      followingBytesMax: 60,
    });
    this.#published = [];
    this.daemon.after(1, () => this.#report());
    return {
      connected: () => this.#step({ type: "connected" }),
      disconnected: () => this.#step({ type: "disconnected" }),
    };
  }

  #report(): void {
    if (!this.daemon.isAlive || this.daemon.isStopped) return;
    const { start, end, durableEnd, bases } = this.journal;
    this.#step({ type: "journal", start, end: this.#world.bug === "publish-before-disk" ? end : durableEnd, bases });
  }

  #step(input: ReplicatorInput): void {
    const replicator = this.#replicator;
    if (replicator === undefined) return;
    for (const effect of replicator.step(input, this.#world.nowMs)) this.#perform(effect);
    const { wakeAtMs } = replicator;
    if (wakeAtMs === undefined || wakeAtMs >= this.#timerMs) return;
    this.#timerMs = wakeAtMs;
    this.daemon.after(Math.max(0, wakeAtMs - this.#world.nowMs), () => {
      if (this.#timerMs !== wakeAtMs) return;
      this.#timerMs = Number.POSITIVE_INFINITY;
      this.#step({ type: "tick" });
    });
  }

  /** What was acknowledged, for a shell that trusts it. */
  #published: StoredMessage[] = [];

  #perform(effect: ReplicatorEffect): void {
    const { bug } = this.#world;
    switch (effect.type) {
      case "list":
        return this.#list(effect);
      case "tail":
        return this.#stream.read(this.daemon, this.subject, 0, (messages) =>
          this.#step({ type: "tail", request: effect.request, message: messages.at(-1) }),
        );
      case "verify": {
        const { offset, next, crc } = effect.message;
        return this.daemon.after(this.#diskDelayMs(), () => {
          const raw = offset < this.journal.start ? undefined : this.journal.raw(offset, next);
          const matches = offset < this.journal.start || (raw !== undefined && hash32(raw) === crc);
          this.#step({ type: "verified", request: effect.request, matches: matches || bug === "no-verify" });
        });
      }
      case "read":
        return this.daemon.after(this.#diskDelayMs(), () => {
          const read = this.journal.read(effect.offset, effect.end, effect.bytesMax);
          const isTrimmed = effect.offset < this.journal.start;
          const gapReason = read.offset === effect.offset ? undefined : isTrimmed ? "trimmed" : "damaged";
          this.#step({ type: "read", request: effect.request, ...read, gapReason, crc: hash32(read.bytes) });
        });
      case "publish":
        return this.#publish(effect);
      case "fork":
        return this.#world.trace(() => `fork ${effect.epoch} of ${this.subject}: ${effect.reason}`);
      case "state":
        return this.#world.trace(() => `replica ${this.subject} is ${effect.state.name} ${effect.state.reason ?? ""}`);
    }
  }

  #list({ request, fromSequence }: Extract<ReplicatorEffect, { type: "list" }>): void {
    const take = (messages: readonly StoredMessage[]): void => {
      // In pages.
      for (let at = 0; at === 0 || at < messages.length; at += 20) {
        const isLast = at + 20 >= messages.length;
        this.#step({ type: "listed", request, messages: messages.slice(at, at + 20), isLast });
      }
    };
    if (this.#world.bug !== "trust-own-memory" || this.#published.length === 0) {
      return this.#stream.read(this.daemon, this.subject, fromSequence, take);
    }
    this.daemon.after(1, () => take(this.#published.filter(({ sequence }) => sequence >= fromSequence)));
  }

  #publish({ request, header, bytes, expectedSequence }: Extract<ReplicatorEffect, { type: "publish" }>): void {
    const world = this.#world;
    if (header.gapReason === "lag") this.#hasSkipped = true;
    world.check(header.next <= this.journal.durableEnd, () => `published up to ${header.next}, which is not durable`);
    world.check(header.rawBytes <= BATCH_BYTES, () => `published a batch of ${header.rawBytes} bytes`);
    const publish = {
      subject: this.subject,
      header,
      bytes,
      believedSequence: expectedSequence,
      expectedSequence: world.bug === "no-expected-sequence" ? undefined : expectedSequence,
    };
    let isAnswered = false;
    this.#stream.publish(this.daemon, publish, (answer) => {
      isAnswered = true;
      if (answer === "refused") return this.#step({ type: "refused", request });
      if ("failure" in answer) return this.#step({ type: "failed", request, reason: answer.failure });
      this.#published.push({ ...header, sequence: answer.sequence, subject: this.subject, bytes });
      this.#step({ type: "published", request, sequence: answer.sequence });
    });
    if (world.bug !== "assume-stored") return;
    this.daemon.after(500, () => {
      if (!isAnswered) this.#step({ type: "published", request, sequence: expectedSequence + 1 });
    });
  }

  /** After the end of all faults. */
  checkConverged(): void {
    const replicator = this.#replicator!;
    const { name } = replicator.state;
    this.#world.check(
      name === "following",
      () => `replica ${this.subject} is ${JSON.stringify(replicator.state)} at the end`,
    );
    this.#world.check(replicator.lagBytes === 0, () => `replica ${this.subject} lags ${replicator.lagBytes} bytes`);
  }
}

/** Reads a replica and compares what comes out with the journal. */
export class ReplicaViewer {
  readonly #world: World;
  readonly #machine: ReplicaMachine;
  readonly #reader: ReplicaReader;
  readonly #pendingBytesMax: number;
  readonly #versions: () => readonly ModelJournal[];
  #cursor = 0;
  #epoch = 0;
  /** Up to here something is not in the journal as it is now. */
  #foreignEnd = 0;
  readonly gaps: Extract<ReplicaPart, { type: "gap" }>[] = [];

  constructor(world: World, machine: ReplicaMachine, pendingBytesMax: number) {
    this.#world = world;
    this.#pendingBytesMax = pendingBytesMax;
    this.#machine = machine;
    this.#versions = () => [machine.journal, ...machine.replaced];
    this.#reader = new ReplicaReader({ frameLength, frameSpan, crc32: hash32, pendingBytesMax });
  }

  /** Reads the whole replica, in its order or another one, some messages twice. */
  read(log: readonly StoredMessage[]): void {
    const { random, bug } = this.#world;
    const messages = log.filter(({ subject }) => subject === this.#machine.subject);
    if (random.chance(0.3)) shuffle(messages, this.#world);
    for (const message of messages) {
      if (bug === "trust-sequence") this.#concatenate(message);
      else this.#take(this.#reader.feed(message));
      if (random.chance(0.05)) this.#take(this.#reader.feed(message));
    }
    this.#take(this.#reader.settle());
    // A late message of a journal that was replaced does not fit to those around it.
    const isSound = this.#reader.damagedMessages === 0 || this.#machine.replaced.length > 0;
    this.#world.check(isSound, () => "a reader found a damaged message");
  }

  #concatenate({ epoch, epochStart, offset, next, bytes }: StoredMessage): void {
    if (epoch !== this.#epoch) this.#take([{ type: "epoch", epoch, offset: epochStart }]);
    this.#take([{ type: "frames", offset, next, bytes }]);
  }

  #take(parts: readonly ReplicaPart[]): void {
    const { check } = { check: this.#world.check.bind(this.#world) };
    check(
      this.#reader.pendingBytes <= this.#pendingBytesMax,
      () => `a reader holds ${this.#reader.pendingBytes} bytes`,
    );
    for (const part of parts) {
      if (part.type === "epoch") {
        check(part.epoch > this.#epoch, () => `epoch ${part.epoch} came after ${this.#epoch}`);
        this.#epoch = part.epoch;
        this.#cursor = part.offset;
        this.#foreignEnd = 0;
        this.gaps.length = 0;
        continue;
      }
      if (part.type === "gap" && this.#world.bug === "viewer-skips-gap") continue;
      check(part.offset === this.#cursor, () => `a reader at ${this.#cursor} got ${part.type} at ${part.offset}`);
      check(part.next > part.offset, () => `a ${part.type} of no length at ${part.offset}`);
      this.#cursor = part.next;
      if (part.type === "gap") this.gaps.push(part);
      else this.#compare(part);
    }
  }

  #compare({ offset, next, bytes }: Extract<ReplicaPart, { type: "frames" }>): void {
    const [isCurrent, ...wasOnce] = this.#versions().map((journal) => {
      const raw = journal.raw(offset, next);
      return raw !== undefined && raw.length === bytes.length && hash32(raw) === hash32(bytes);
    });
    if (isCurrent) return;
    // A message that is trimmed in part cannot be compared either.
    if (offset >= this.#machine.journal.start) this.#foreignEnd = next;
    this.#world.check(wasOnce.includes(true), () => `${offset}-${next} of epoch ${this.#epoch} is not in the journal`);
  }

  /** After the end of all faults: everything is there, or was declared by the replicator. */
  checkConverged(): void {
    const { journal, hasSkipped } = this.#machine;
    const world = this.#world;
    // Without a record there is nothing to publish, not even in a new epoch.
    if (journal.end === journal.start) return;
    world.check(
      this.#cursor === journal.end,
      () => `the replica ends at ${this.#cursor}, the journal at ${journal.end}`,
    );
    // What the journal has trimmed cannot be compared with it any more.
    world.check(
      this.#foreignEnd === 0,
      () => `the replica has bytes up to ${this.#foreignEnd} that the journal does not have`,
    );
    for (const gap of this.gaps) {
      // An older journal may have a record across the end of what the replica has, which cannot be compared any more.
      const isExcused =
        gap.reason === "trimmed" ||
        // The broker has lost it after the journal had trimmed it.
        gap.next <= journal.start ||
        (gap.reason === "lag" && hasSkipped) ||
        (gap.reason === "damaged" && this.#machine.replaced.length > 0);
      world.check(
        isExcused,
        () => `replica ${this.#machine.subject} has a hole at ${gap.offset}-${gap.next} (${gap.reason}) at the end`,
      );
    }
  }
}

function shuffle(values: unknown[], { random }: World): void {
  for (let at = values.length - 1; at > 0; at--) {
    const other = random.int(Math.max(0, at - 4), at);
    [values[at], values[other]] = [values[other], values[at]];
  }
}
