import { encodeJson } from "../protocol/payloads.ts";
import type { JournalRecord } from "../protocol/records.ts";
import { headerBytes } from "./frame.ts";
import type { FrameBytes } from "./frame.ts";

export interface JournalReading {
  readonly records: readonly JournalRecord[];
  /** Where to read on. */
  readonly next: number;
}

/** `missing`: the next frame needs this many bytes from its place on, and they were not all there; 0 when it is not that. */
interface Taken {
  readonly missing: number;
  readonly damaged: boolean;
}

/** More than the payload that is wanted: headers, and the rest of a record (a pty gives 4 KiB) that is cut at the end. */
const slackBytes = 5 * 1024;
/** More at once only makes the copy colder. */
const requestBytesMax = 256 * 1024;

/** Turns frames into the records of one read: cuts them at its borders, checks each, and copies what it keeps. */
export class RecordCollector {
  readonly end: number;
  readonly #bytesMax: number;
  readonly #records: JournalRecord[] = [];
  #next: number;
  #size = 0;
  #full = false;
  #arena: Uint8Array;
  #arenaUsed = 0;
  /** Where a hole in the journal begins; it becomes a `gap` record with the time of the record behind it. */
  #gapFrom: number | undefined;

  /** Payloads go into `arena` while it has room, then into new memory. */
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

  /** The records from here to `offset` are gone. */
  skipTo(offset: number): void {
    this.#gapFrom ??= this.#next;
    this.#next = offset;
  }

  /** Takes frames from the beginning of `chunk` and moves `place` behind those that are used up. */
  take(chunk: FrameBytes, place: { position: number; offset: number }): Taken {
    if (place.offset > this.#next) this.skipTo(place.offset);
    let at = 0;
    while (!this.isFull && place.offset < this.end) {
      const length = chunk.frameLength(at, place.offset);
      if (length === -1) return { missing: 0, damaged: true };
      if (length === 0 || at + length > chunk.bytes.length) {
        return { missing: Math.max(length, headerBytes), damaged: false };
      }
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

  /** Adds one intact frame, or its part, and moves `next`; where nothing more has room the read is full. */
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

  /** A copy in the arena: one allocation for all the records of a read, however small they are. */
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
    if (this.#gapFrom === undefined) return;
    const payload = encodeJson({ reason: "trimmed", from: this.#gapFrom, to: this.#next });
    this.#records.push({ offset: this.#gapFrom, timeUs, type: "gap", secret: false, payload });
    this.#gapFrom = undefined;
  }
}
