import { encodeJson } from "../protocol/payloads.ts";
import type { JournalRecord } from "../protocol/records.ts";
import { headerBytes, type FrameBytes } from "./frame.ts";

/** `trimmed`: removed by retention, or by somebody who removed the first segments; `damaged`: anything else. */
export type HoleReason = "trimmed" | "damaged";

export interface JournalReading {
  readonly records: readonly JournalRecord[];
  /** Where to continue. */
  readonly next: number;
}

/** `missing`: the size of the next frame in bytes if the chunk does not contain all of it, otherwise 0. */
interface Taken {
  readonly missing: number;
  readonly damaged: boolean;
}

/** Read in addition to the wanted payload: headers, and the rest of the last record (a pty returns 4 KiB). */
const slackBytes = 5 * 1024;
/** Larger requests are not faster, because the data leaves the CPU cache before it is copied. */
const requestBytesMax = 256 * 1024;

/** Turns frames into the records of one read: checks each, cuts the first and last one to size, and copies the rest. */
export class RecordCollector {
  readonly end: number;
  readonly #bytesMax: number;
  readonly #records: JournalRecord[] = [];
  #next: number;
  #size = 0;
  #full = false;
  #arena: Uint8Array;
  #arenaUsed = 0;
  /** A hole in the journal up to `next`, which becomes a `gap` record with the time of the next record. */
  #gap: { readonly from: number; readonly reason: HoleReason } | undefined;

  /** Payloads are copied into `arena` while it has room, then into new memory. */
  constructor(from: number, options: { readonly bytesMax: number; readonly end: number; readonly arena: Uint8Array }) {
    this.#next = from;
    this.#arena = options.arena;
    this.#bytesMax = options.bytesMax;
    this.end = options.end;
  }

  get isFull(): boolean {
    return this.#full || this.#size >= this.#bytesMax;
  }

  get sawExit(): boolean {
    return this.#records.at(-1)?.type === "exit";
  }

  /** How many bytes to read at a frame that begins at `offset`. */
  lengthHint(offset: number): number {
    const skipped = Math.max(0, this.#next - offset);
    const wanted = Math.min(this.#bytesMax - this.#size + skipped, this.end - offset);
    return Math.min(wanted + slackBytes, requestBytesMax);
  }

  /** Where the next record is wanted. */
  get next(): number {
    return this.#next;
  }

  /** The records before `offset` are missing. Nothing to do if they were taken already. */
  skipTo(offset: number, reason: HoleReason): void {
    if (offset <= this.#next) return;
    if (this.#gap?.reason !== reason) this.#addGap(this.#records.at(-1)?.timeUs ?? 0);
    this.#gap ??= { from: this.#next, reason };
    this.#next = Math.min(offset, this.end);
  }

  /** Takes frames from the beginning of `chunk` and moves `place` after those that are used up. */
  take(chunk: FrameBytes, place: { position: number; offset: number }): Taken {
    let at = 0;
    while (!this.isFull && place.offset < this.end) {
      const length = chunk.frameLength(at, place.offset);
      if (length === -1) return { missing: 0, damaged: true };
      if (length === 0 || at + length > chunk.bytes.length)
        return { missing: Math.max(length, headerBytes), damaged: false };
      const frameEnd = place.offset + length - headerBytes;
      if (frameEnd > this.#next) {
        if (!chunk.isIntact(at, length)) return { missing: 0, damaged: true };
        this.#add(chunk, { at, length, frameEnd });
        if (this.#next < frameEnd) break;
      }
      at += length;
      place.position += length;
      place.offset = frameEnd;
    }
    return { missing: 0, damaged: false };
  }

  result(): JournalReading {
    this.#addGap(this.#records.at(-1)?.timeUs ?? 0);
    return { records: this.#records, next: this.#next };
  }

  /** Adds an intact frame, or part of it, and moves `next`; marks the read as full if it does not fit. */
  #add(chunk: FrameBytes, frame: { at: number; length: number; frameEnd: number }): void {
    const isOutput = chunk.type(frame.at) === "output";
    const skip = this.#next - chunk.offset(frame.at);
    const room = this.#bytesMax - this.#size;
    if (!isOutput && skip > 0) {
      this.#next = frame.frameEnd;
      return;
    }
    const rest = frame.frameEnd - this.#next;
    if (!isOutput && rest > room && this.#records.length > 0) {
      this.#full = true;
      return;
    }
    const record = chunk.record(frame.at, frame.length, skip);
    const length = isOutput ? Math.min(rest, room) : rest;
    this.#addGap(record.timeUs);
    this.#records.push({ ...record, payload: this.#keep(record.payload, length) });
    this.#size += length;
    this.#next += length;
  }

  /** Copies into the arena: one allocation for all records of a read, however small they are. */
  #keep(payload: Uint8Array, length: number): Uint8Array {
    if (this.#arenaUsed + length > this.#arena.length) {
      const room = Math.min(this.#bytesMax - this.#size, this.end - this.#next);
      this.#arena = new Uint8Array(Math.max(length, room));
      this.#arenaUsed = 0;
    }
    const kept = this.#arena.subarray(this.#arenaUsed, this.#arenaUsed + length);
    kept.set(payload.subarray(0, length));
    this.#arenaUsed += length;
    return kept;
  }

  #addGap(timeUs: number): void {
    if (this.#gap === undefined) return;
    const { from, reason } = this.#gap;
    const range = { from, to: this.#next };
    const notice = reason === "trimmed" ? { reason, ...range } : { reason, ...range, bytes: range.to - from };
    this.#records.push({ offset: from, timeUs, type: "gap", secret: false, payload: encodeJson(notice) });
    this.#gap = undefined;
  }
}
