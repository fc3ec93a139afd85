/**
 * JetStream as far as a client can see it: a condition on the last sequence of a subject; times without a leader, after which late
 * publishes may be stored; an unclean recovery that loses messages which were acknowledged and uses their sequences again; a full quota;
 * lost acknowledgements; reads from a server that is behind.
 */
import type { ReplicaHeader, StoredHeader } from "../../src/features/cluster/core/replica-message.ts";
import type { SimulatedProcess, World } from "./world.ts";

export interface StoredMessage extends StoredHeader {
  readonly subject: number;
  readonly bytes: Uint8Array;
}

export interface Publish {
  readonly subject: number;
  readonly header: ReplicaHeader;
  readonly bytes: Uint8Array;
  /** Undefined: without a condition. */
  readonly expectedSequence: number | undefined;
  /** What the publisher took for the last sequence, for the oracle. */
  readonly believedSequence: number;
}

export type PublishAnswer = { readonly sequence: number } | "refused" | { readonly failure: string };

/** Whether the servers of the cluster have a leader. */
export class Brokers {
  readonly #world: World;
  #downEndMs = 0;
  /** Part of the requests that come late, some of them after their sender has given them up. */
  readonly #latePart: number;

  constructor(world: World) {
    this.#world = world;
    this.#latePart = world.random.chance(0.3) ? 0.3 : 0;
  }

  /** No leader for a while: an election, or too few servers. */
  fall(forMs: number): void {
    this.#world.trace(() => `there is no leader for ${forMs} ms`);
    this.#downEndMs = Math.max(this.#downEndMs, this.#world.nowMs + forMs);
  }

  get downForMs(): number {
    return Math.max(0, this.#downEndMs - this.#world.nowMs);
  }

  /** A request of a process: `handle` runs at the leader, now or late or never, and `answer` in the process. */
  request<Answer>(from: SimulatedProcess, handle: () => Answer, answer: (value: Answer) => void): void {
    const { random, network } = this.#world;
    const { life } = from;
    if (!from.isLinked || network.isLost()) return;
    let delayMs = random.int(1, 8);
    if (this.downForMs > 0) {
      if (random.chance(0.5)) return;
      // A publish that waited in a server that was no leader.
      delayMs += this.downForMs + random.int(0, random.chance(0.3) ? 5000 : 1500);
    } else if (this.#world.isChaos && random.chance(network.isHostile ? 0.2 : this.#latePart)) {
      delayMs += random.int(100, 6000);
    }
    const run = (isFirst: boolean): void => {
      if (this.downForMs > 0) return;
      const value = handle();
      if (!isFirst || network.isLost()) return;
      from.after(random.int(1, 8), () => {
        if (from.isLinked && from.life === life) answer(value);
      });
    };
    this.#world.after(delayMs, () => run(true));
    if (network.isHostile && random.chance(0.1)) this.#world.after(delayMs + random.int(1, 3000), () => run(false));
  }
}

export class ModelStream {
  readonly #world: World;
  readonly brokers: Brokers;
  #log: StoredMessage[] = [];
  /** So many messages survive an unclean recovery for certain. */
  #synced = 0;
  #fullEndMs = 0;
  #staleEndMs = 0;

  constructor(world: World, brokers: Brokers) {
    this.#world = world;
    this.brokers = brokers;
  }

  get log(): readonly StoredMessage[] {
    return this.#log;
  }

  fill(forMs: number): void {
    this.#world.trace(() => `the quota is full for ${forMs} ms`);
    this.#fullEndMs = this.#world.nowMs + forMs;
  }

  serveStale(forMs: number): void {
    this.#world.trace(() => `reads are stale for ${forMs} ms`);
    this.#staleEndMs = this.#world.nowMs + forMs;
  }

  sync(): void {
    this.#synced = this.#log.length;
  }

  /** The last messages are lost, and their sequences are used again. */
  recoverUncleanly(): void {
    const kept = this.#world.random.int(Math.min(this.#synced, this.#log.length), this.#log.length);
    this.#world.trace(() => `the stream loses ${this.#log.length - kept} of ${this.#log.length} messages`);
    this.#log.length = kept;
  }

  wipe(): void {
    this.#world.trace(() => "the stream is wiped");
    this.#log = [];
    this.#synced = 0;
  }

  publish(from: SimulatedProcess, publish: Publish, answer: (value: PublishAnswer) => void): void {
    this.brokers.request(from, () => this.#store(publish), answer);
  }

  /** The messages of a subject from a sequence on. */
  read(
    from: SimulatedProcess,
    subject: number,
    fromSequence: number,
    answer: (messages: readonly StoredMessage[]) => void,
  ): void {
    const messages = (): StoredMessage[] => {
      const all = this.#log.filter((one) => one.subject === subject && one.sequence >= fromSequence);
      const isStale = this.#world.nowMs < this.#staleEndMs && this.#world.random.chance(0.3);
      return isStale ? all.slice(0, Math.max(0, all.length - this.#world.random.int(1, 3))) : all;
    };
    this.brokers.request(from, messages, answer);
  }

  #lastSequence(subject: number): number {
    for (let at = this.#log.length - 1; at >= 0; at--)
      if (this.#log[at]!.subject === subject) return this.#log[at]!.sequence;
    return 0;
  }

  #store({ subject, header, bytes, expectedSequence, believedSequence }: Publish): PublishAnswer {
    if (this.#world.nowMs < this.#fullEndMs) return { failure: "maximum bytes exceeded" };
    const last = this.#lastSequence(subject);
    if (expectedSequence !== undefined && expectedSequence !== last) return "refused";
    this.#world.check(
      last === believedSequence,
      () => `two writers: a publish after ${believedSequence} was stored after ${last}`,
    );
    const sequence = (this.#log.at(-1)?.sequence ?? 0) + 1;
    this.#log.push({ ...header, sequence, subject, bytes });
    this.#world.trace(
      () =>
        `stored ${sequence}: subject ${subject}, epoch ${header.epoch} from ${header.epochStart}, ${header.from} ${header.offset}-${header.next}`,
    );
    return { sequence };
  }
}
