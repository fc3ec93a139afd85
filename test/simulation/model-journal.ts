/**
 * A journal of small frames in memory, with a durable end that may be behind what was written. A frame is `[payload length, check byte]`
 * and its payload; offsets count payload bytes, as in a true journal.
 */

const HEADER_BYTES = 2;
export const PAYLOAD_BYTES_MAX = 12;

/** FNV-1a, in place of CRC-32: 32 bits, without a table. */
export function hash32(bytes: Uint8Array): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < bytes.length; at++) value = Math.imul(value ^ bytes[at]!, 0x01000193);
  return value >>> 0;
}

const checkByte = (length: number, offset: number): number => (offset * 31 + length * 7 + 5) & 0xff;

export const frameLength = (bytes: Uint8Array, at: number, offset: number): number => {
  if (bytes.length - at < HEADER_BYTES) return 0;
  const length = bytes[at]!;
  const isFrame = length > 0 && length <= PAYLOAD_BYTES_MAX && bytes[at + 1] === checkByte(length, offset);
  return isFrame ? HEADER_BYTES + length : -1;
};

export const frameSpan = (length: number): number => length - HEADER_BYTES;

export class ModelJournal {
  /** Raw frames from `start` on; what is behind `#length` is unused. */
  #raw = new Uint8Array(512);
  #length = 0;
  /** Where each frame begins: its offset, and its place in the raw bytes. */
  readonly #offsets: number[] = [];
  readonly #places: number[] = [];
  #bases: number[] = [0];
  start = 0;
  /** Written, and durable. */
  end = 0;
  durableEnd = 0;

  get bases(): readonly number[] {
    return this.#bases;
  }

  append(payload: ArrayLike<number>): void {
    const bytes = HEADER_BYTES + payload.length;
    if (this.#length + bytes > this.#raw.length) {
      const raw = new Uint8Array(this.#raw.length * 2);
      raw.set(this.#raw);
      this.#raw = raw;
    }
    this.#offsets.push(this.end);
    this.#places.push(this.#length);
    this.#raw[this.#length] = payload.length;
    this.#raw[this.#length + 1] = checkByte(payload.length, this.end);
    this.#raw.set(payload, this.#length + HEADER_BYTES);
    this.#length += bytes;
    this.end += payload.length;
  }

  sync(): void {
    this.durableEnd = this.end;
  }

  beginSegment(): void {
    if (this.#bases.at(-1) !== this.end) this.#bases.push(this.end);
  }

  /** Removes the oldest segment, if there is another one. */
  trim(): void {
    const [, next] = this.#bases;
    if (next === undefined || next > this.durableEnd) return;
    this.#bases = this.#bases.slice(1);
    this.start = next;
  }

  /** The machine loses its power: what was not durable is lost. */
  losePower(): void {
    while ((this.#offsets.at(-1) ?? -1) >= this.durableEnd) {
      this.#offsets.pop();
      this.#length = this.#places.pop()!;
    }
    this.end = this.durableEnd;
    this.#bases = this.#bases.filter((base) => base <= this.end);
  }

  /** The beginning of this journal, up to a frame border at about this part of it. */
  copyUntil(part: number): ModelJournal {
    const copy = new ModelJournal();
    const frames = Math.floor(this.#offsets.length * part);
    copy.#raw = this.#raw.slice();
    copy.#length = this.#placeOf(frames);
    copy.#offsets.push(...this.#offsets.slice(0, frames));
    copy.#places.push(...this.#places.slice(0, frames));
    copy.end = this.#offsets[frames] ?? this.end;
    copy.durableEnd = copy.end;
    copy.#bases = this.#bases.filter((base) => base <= copy.end);
    if (copy.#bases.length === 0) copy.#bases = [0];
    copy.start = copy.#bases[0] ?? 0;
    return copy;
  }

  /** Whole frames from `offset` on, at most `bytesMax` or one frame, not beyond `end`. Begins later if no frame begins there. */
  read(
    offset: number,
    end: number,
    bytesMax: number,
  ): { readonly offset: number; readonly next: number; readonly bytes: Uint8Array } {
    const first = this.#frameAt(Math.max(offset, this.start));
    const from = this.#offsets[first] ?? this.end;
    let last = first;
    let next = from;
    while (last < this.#offsets.length) {
      const after = this.#offsets[last + 1] ?? this.end;
      if (after > end || (last > first && this.#placeOf(last + 1) - this.#placeOf(first) > bytesMax)) break;
      next = after;
      last += 1;
    }
    return { offset: from, next, bytes: this.#raw.slice(this.#placeOf(first), this.#placeOf(last)) };
  }

  /** The raw frames from `offset` to `next`, if both are borders of frames. */
  raw(offset: number, next: number): Uint8Array | undefined {
    const first = this.#frameAt(offset);
    const last = this.#frameAt(next);
    if ((this.#offsets[first] ?? this.end) !== offset || (this.#offsets[last] ?? this.end) !== next) return undefined;
    return this.#raw.subarray(this.#placeOf(first), this.#placeOf(last));
  }

  #placeOf(frame: number): number {
    return this.#places[frame] ?? this.#length;
  }

  /** The first frame that begins at or behind an offset. */
  #frameAt(offset: number): number {
    let low = 0;
    let high = this.#offsets.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#offsets[middle]! < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
