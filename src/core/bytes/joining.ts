/** The one place where bytes are joined. */

const EMPTY = new Uint8Array(0);
const CAPACITY_BYTES_MIN = 256;
/** A view costs as much as copying this many bytes one by one. */
const VIEW_BYTES_MIN = 48;

/** `first` followed by `second`; `second` itself if `first` is empty. */
export function joinBytes(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second;
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}

/** `bytes` in views of `blockBytes` each, the last one shorter. */
export function splitBytes(bytes: Uint8Array, blockBytes: number): Uint8Array[] {
  const count = Math.ceil(bytes.length / blockBytes);
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * blockBytes, (index + 1) * blockBytes));
}

/** Bytes that grow by appending, in amortised linear time. */
export class GrowingBytes {
  #buffer: Uint8Array = EMPTY;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** 0 beyond the end. */
  byteAt(index: number): number {
    return index < this.#length ? (this.#buffer[index] ?? 0) : 0;
  }

  append(bytes: Uint8Array, from = 0, to = bytes.length): void {
    const count = to - from;
    if (this.#length + count > this.#buffer.length) this.reserve(Math.max(count, this.#length));
    if (count <= VIEW_BYTES_MIN) {
      for (let index = 0; index < count; index++) this.#buffer[this.#length + index] = bytes[from + index] ?? 0;
    } else this.#buffer.set(bytes.subarray(from, to), this.#length);
    this.#length += count;
  }

  /** Makes room for `count` more bytes. */
  reserve(count: number): void {
    const larger = new Uint8Array(Math.max(this.#length + count, CAPACITY_BYTES_MIN));
    larger.set(this.bytes());
    this.#buffer = larger;
  }

  /** A view, valid until the next change. */
  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Empty again; a large buffer is freed. */
  clear(): void {
    if (this.#buffer.length > CAPACITY_BYTES_MIN) this.#buffer = EMPTY;
    this.#length = 0;
  }

  /** All bytes, which are the caller's now; empty again. */
  take(): Uint8Array {
    const bytes = this.bytes();
    this.#buffer = EMPTY;
    this.#length = 0;
    return bytes;
  }
}
