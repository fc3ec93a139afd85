/**
 * Input that the kernel does not accept yet. It buffers about 12 KB for a program that does not read; the rest is queued here.
 *
 * Order law: bytes leave in the order of `push`; nothing is written directly while bytes are queued.
 * Cost law: nothing here blocks. All stuck queues share one timer, and each queue without progress is retried half as often as
 * before, down to once in `retryMsMax`, so that many stuck programs cost little more than a few.
 */
import { LecternError } from "../core/errors.ts";

/** Delay of the first retry, which allows about 12 KB per millisecond for a program that reads. */
const retryMsMin = 1;
/** The longest delay for a program that starts to read again. */
const retryMsMax = 32;
/** A pass over the stuck queues yields to the event loop after this time. */
const passMsMax = 5;
/** A drained queue larger than this frees its memory. */
const keptBytesMax = 16 * 1024;

/** Returns how many bytes the kernel accepted: 0 if its buffer is full, undefined if it will never accept any again. */
export type TryWrite = (data: Uint8Array) => number | undefined;

export class InputQueue {
  readonly #tryWrite: TryWrite;
  readonly #bytesMax: number;
  /** `#bytes[#head, #tail)` is queued. One growing block, because an object for each key would be expensive. */
  #bytes = new Uint8Array(0);
  #head = 0;
  #tail = 0;
  #closed = false;
  /** Time of the next retry. */
  retryAtMs = 0;
  #waitMs = retryMsMin;

  constructor(tryWrite: TryWrite, bytesMax: number) {
    this.#tryWrite = tryWrite;
    this.#bytesMax = bytesMax;
  }

  get queuedBytes(): number {
    return this.#tail - this.#head;
  }

  /** Accepts all or nothing: throws `LIMIT_EXCEEDED` if the queue would exceed its limit. */
  push(data: Uint8Array): void {
    if (this.#closed) return;
    let rest = data;
    if (this.queuedBytes === 0) {
      // Checked before the write, because it cannot be refused once a part is written.
      this.#refuseBeyondLimit(data.length - this.#bytesMax);
      const taken = this.#tryWrite(data);
      if (taken === undefined) return this.close();
      rest = data.subarray(taken);
      if (rest.length === 0) return;
      this.#waitMs = retryMsMin;
      retryLater(this, performance.now() + retryMsMin);
    } else {
      this.#refuseBeyondLimit(this.queuedBytes + data.length - this.#bytesMax);
    }
    this.#append(rest);
  }

  /** Discards queued bytes and ignores further ones. */
  close(): void {
    this.#closed = true;
    this.discard();
  }

  discard(): void {
    this.#clear();
    forget(this);
  }

  /** Writes queued bytes, for the shared timer. Returns whether to retry. */
  flush(nowMs: number): boolean {
    const taken = this.#tryWrite(this.#bytes.subarray(this.#head, this.#tail));
    if (taken === undefined) this.#clear();
    else this.#head += taken;
    if (this.queuedBytes === 0) {
      this.#clear();
      return false;
    }
    this.#waitMs = taken === 0 ? Math.min(this.#waitMs * 2, retryMsMax) : retryMsMin;
    // A multiple of the delay, so that queues with equal delays share a wake-up.
    this.retryAtMs = this.#waitMs * (Math.floor(nowMs / this.#waitMs) + 1);
    return true;
  }

  #refuseBeyondLimit(excess: number): void {
    if (excess <= 0) return;
    throw new LecternError(
      "LIMIT_EXCEEDED",
      `Cannot queue input: the program does not read, "${this.queuedBytes}" of "${this.#bytesMax}" bytes wait; write again when it has read`,
      { details: { queuedBytes: this.queuedBytes, bytesMax: this.#bytesMax } },
    );
  }

  #append(data: Uint8Array): void {
    if (this.#tail + data.length > this.#bytes.length) this.#makeRoom(data.length);
    this.#bytes.set(data, this.#tail);
    this.#tail += data.length;
  }

  /** Doubles the block, so that n bytes pushed one by one are copied about twice in total. */
  #makeRoom(bytes: number): void {
    const needed = this.queuedBytes + bytes;
    const waiting = this.#bytes.subarray(this.#head, this.#tail);
    const roomy = needed * 2 <= this.#bytes.length;
    const block = roomy ? this.#bytes : new Uint8Array(Math.max(needed, Math.min(needed * 2, this.#bytesMax)));
    block.set(waiting, 0);
    this.#bytes = block;
    this.#tail = waiting.length;
    this.#head = 0;
  }

  #clear(): void {
    this.#head = 0;
    this.#tail = 0;
    if (this.#bytes.length > keptBytesMax) this.#bytes = new Uint8Array(0);
  }
}

const stuck = new Set<InputQueue>();
let timer: NodeJS.Timeout | undefined;
let timerAtMs = Number.POSITIVE_INFINITY;

function retryLater(queue: InputQueue, atMs: number): void {
  queue.retryAtMs = atMs;
  stuck.add(queue);
  if (atMs < timerAtMs) arm(atMs);
}

function arm(atMs: number): void {
  clearTimeout(timer);
  // Both are set together, because `retryLater` relies on `timerAtMs`.
  timerAtMs = stuck.size === 0 ? Number.POSITIVE_INFINITY : atMs;
  timer = stuck.size === 0 ? undefined : setTimeout(retryStuck, Math.max(retryMsMin, atMs - performance.now()));
}

function forget(queue: InputQueue): void {
  stuck.delete(queue);
  if (stuck.size === 0) arm(Number.POSITIVE_INFINITY);
}

/** A queue that stays stuck moves to the end of the set, so after a pass that ran out of time, the next one continues with the rest. */
function retryStuck(): void {
  const startMs = performance.now();
  let nextMs = Number.POSITIVE_INFINITY;
  for (const queue of stuck) {
    const nowMs = performance.now();
    if (nowMs - startMs > passMsMax) {
      nextMs = nowMs;
      break;
    }
    if (queue.retryAtMs <= nowMs) {
      stuck.delete(queue);
      if (!queue.flush(nowMs)) continue;
      stuck.add(queue);
    }
    nextMs = Math.min(nextMs, queue.retryAtMs);
  }
  arm(nextMs);
}
