/**
 * Restores the bytes of a journal from the messages of its replica, in any order, with duplicates and overlaps. Laws:
 * - What comes out are whole raw frames with rising offsets, each byte once, or a declared gap; nothing is left out in silence.
 * - A message is taken by the offsets that it covers: where the reader is, from `from` up to `next`. Its sequence proves nothing.
 * - A message of a higher epoch replaces everything: `fork`, then its epoch from the beginning.
 */
import type { ReplicaGapReason, ReplicaHeader } from "./replica-message.ts";

export interface ReplicaMessage extends ReplicaHeader {
  /** The raw frames, uncompressed. */
  readonly bytes: Uint8Array;
}

export type ReplicaPart =
  /** The first epoch, or another one: all parts before belong to a replica that the journal does not confirm. */
  | { readonly type: "epoch"; readonly epoch: number; readonly offset: number }
  /** Whole frames; `bytes` is a view into the message. */
  | { readonly type: "frames"; readonly offset: number; readonly next: number; readonly bytes: Uint8Array }
  /** `missing`: no message of the replica has it. */
  | {
      readonly type: "gap";
      readonly offset: number;
      readonly next: number;
      readonly reason: ReplicaGapReason | "missing";
    };

export interface ReplicaReaderOptions {
  /** The length of the frame at `at`, which has this offset; 0 or less if there is none. As `FrameBytes.frameLength` of the journal. */
  readonly frameLength: (bytes: Uint8Array, at: number, offset: number) => number;
  /** How many offsets a frame of this length covers. */
  readonly frameSpan: (length: number) => number;
  readonly crc32: (bytes: Uint8Array) => number;
  /** Messages beyond a hole that are held until it is filled; with more, the hole is a gap. Default 8 MiB. */
  readonly pendingBytesMax?: number;
}

export class ReplicaReader {
  readonly #options: ReplicaReaderOptions;
  readonly #pendingBytesMax: number;
  #epoch = 0;
  #cursor = 0;
  /** Beyond a hole, by their `from`. */
  #pending: ReplicaMessage[] = [];
  #pendingBytes = 0;
  #damaged = 0;
  #parts: ReplicaPart[] = [];

  constructor(options: ReplicaReaderOptions) {
    this.#options = options;
    this.#pendingBytesMax = options.pendingBytesMax ?? 8 * 1024 * 1024;
  }

  /** The offset behind everything that came out. */
  get cursor(): number {
    return this.#cursor;
  }

  get epoch(): number {
    return this.#epoch;
  }

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** Messages that were dropped because their bytes do not fit their header. */
  get damagedMessages(): number {
    return this.#damaged;
  }

  feed(message: ReplicaMessage): ReplicaPart[] {
    if (message.epoch >= this.#epoch) {
      if (message.epoch > this.#epoch) this.#begin(message);
      this.#take(message);
      while (this.#pendingBytes > this.#pendingBytesMax) this.#passHole();
    }
    return this.#flush();
  }

  /** All messages that the replica has were fed: holes in front of what is held are gaps. */
  settle(): ReplicaPart[] {
    while (this.#pending.length > 0) this.#passHole();
    return this.#flush();
  }

  #flush(): ReplicaPart[] {
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }

  #begin({ epoch, epochStart }: ReplicaMessage): void {
    this.#epoch = epoch;
    this.#cursor = epochStart;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#parts.push({ type: "epoch", epoch, offset: epochStart });
  }

  #take(message: ReplicaMessage): void {
    if (message.next <= this.#cursor) return;
    if (!this.#isIntact(message)) {
      this.#damaged += 1;
      return;
    }
    if (message.from > this.#cursor) return this.#hold(message);
    this.#emit(message);
    for (;;) {
      const at = this.#pending.findIndex(({ from }) => from <= this.#cursor);
      if (at === -1) return;
      const [next] = this.#pending.splice(at, 1);
      if (next === undefined) return;
      this.#pendingBytes -= next.bytes.length;
      if (next.next > this.#cursor) this.#emit(next);
    }
  }

  #isIntact({ bytes, rawBytes, crc, offset, next }: ReplicaMessage): boolean {
    return (
      bytes.length === rawBytes && this.#options.crc32(bytes) === crc && this.#place(bytes, offset, next) === rawBytes
    );
  }

  /** Where in the bytes, which begin at `offset`, the frame with the offset `wanted` begins; undefined if none does. */
  #place(bytes: Uint8Array, offset: number, wanted: number): number | undefined {
    let at = 0;
    let reached = offset;
    while (reached < wanted) {
      const length = this.#options.frameLength(bytes, at, reached);
      if (length <= 0 || at + length > bytes.length) return undefined;
      at += length;
      reached += this.#options.frameSpan(length);
    }
    return reached === wanted ? at : undefined;
  }

  #hold(message: ReplicaMessage): void {
    const isHeld = this.#pending.some(({ from, next }) => from <= message.from && next >= message.next);
    if (isHeld) return;
    // The bytes outlive the call.
    const held = { ...message, bytes: message.bytes.slice() };
    const at = this.#pending.findIndex(({ from }) => from > message.from);
    this.#pending.splice(at === -1 ? this.#pending.length : at, 0, held);
    this.#pendingBytes += held.bytes.length;
  }

  /** Declares the hole in front of the first message that is held. */
  #passHole(): void {
    const first = this.#pending.shift();
    if (first === undefined) return;
    this.#pendingBytes -= first.bytes.length;
    if (first.next <= this.#cursor) return;
    if (first.from > this.#cursor) this.#gap(first.from, "missing");
    this.#take(first);
  }

  #emit({ from, offset, next, bytes, gapReason }: ReplicaMessage): void {
    if (from < offset && this.#cursor < offset) this.#gap(offset, gapReason ?? "missing");
    const at = this.#place(bytes, offset, this.#cursor);
    if (at === undefined) {
      // The reader is inside of a frame of this message: one of the two is not from the journal.
      this.#damaged += 1;
      return;
    }
    this.#parts.push({ type: "frames", offset: this.#cursor, next, bytes: bytes.subarray(at) });
    this.#cursor = next;
  }

  #gap(next: number, reason: ReplicaGapReason | "missing"): void {
    this.#parts.push({ type: "gap", offset: this.#cursor, next, reason });
    this.#cursor = next;
  }
}
