/**
 * What of a journal a replica holds, from the headers of its messages in any order: the ranges of its highest epoch. Messages of lower
 * epochs do not count.
 */
import type { StoredHeader } from "./replica-message.ts";

interface Range {
  readonly from: number;
  readonly next: number;
}

/** A replica in more pieces than this is not continued, but begun anew. */
const RANGES_MAX = 256;

export class ReplicaCoverage {
  #epoch = 0;
  #epochStart = 0;
  /** In order, apart from each other. */
  #ranges: readonly Range[] = [];
  #furthest: StoredHeader | undefined;
  #lastSequence = 0;

  /** 0 without messages. */
  get epoch(): number {
    return this.#epoch;
  }

  get epochStart(): number {
    return this.#epochStart;
  }

  /** Sequence of the last message of any epoch; 0 without messages. */
  get lastSequence(): number {
    return this.#lastSequence;
  }

  /** The message with the highest offset. */
  get furthest(): StoredHeader | undefined {
    return this.#furthest;
  }

  /** Where the first range ends: from here on the replica has to be continued. Undefined without messages. */
  get end(): number | undefined {
    return this.#ranges[0]?.next;
  }

  get isScattered(): boolean {
    return this.#ranges.length > RANGES_MAX;
  }

  add(message: StoredHeader): void {
    this.#lastSequence = Math.max(this.#lastSequence, message.sequence);
    if (message.epoch < this.#epoch) return;
    if (message.epoch > this.#epoch) {
      this.#epoch = message.epoch;
      this.#epochStart = message.epochStart;
      this.#ranges = [];
      this.#furthest = undefined;
    }
    // An epoch whose messages were all lost may have begun a second time, later in the journal.
    this.#epochStart = Math.min(this.#epochStart, message.epochStart);
    if (message.next > (this.#furthest?.next ?? -1)) this.#furthest = message;
    if (!this.isScattered) this.#ranges = withRange(this.#ranges, message);
  }
}

function withRange(ranges: readonly Range[], { from, next }: Range): Range[] {
  const touching = ranges.filter((range) => range.from <= next && from <= range.next);
  const joined = {
    from: Math.min(from, ...touching.map((range) => range.from)),
    next: Math.max(next, ...touching.map((range) => range.next)),
  };
  return [...ranges.filter((range) => range.next < from), joined, ...ranges.filter((range) => range.from > next)];
}
