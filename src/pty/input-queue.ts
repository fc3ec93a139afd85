/**
 * Input that the kernel does not take yet. A terminal takes some 12 KB from a program that does not read; the rest waits here.
 *
 * Order law: bytes leave in the order of `push`; nothing is tried directly while something waits.
 * Cost law: nothing here blocks. All stuck queues share one timer, and each one that makes no progress is asked half as often as
 * before, down to once in `retryMsMax`, so that many stuck programs cost what a few do.
 */
import { LecternError } from "../core/errors.ts";

/** The first retry comes after this time: a program that reads is fed at some 12 KB per millisecond. */
const retryMsMin = 1;
/** A program that starts to read again after a long time waits at most this long. */
const retryMsMax = 32;
/** One pass over the stuck queues gives the event loop back after this time and goes on in the next. */
const passMsMax = 5;
/** A drained queue larger than this gives its memory back. */
const keptBytesMax = 16 * 1024;

/** Gives bytes to the kernel: how many it took, 0 where it is full now, undefined where it will never take any again. */
export type TryWrite = (data: Uint8Array) => number | undefined;

export class InputQueue {
  readonly #tryWrite: TryWrite;
  readonly #bytesMax: number;
  /** `#bytes[#head, #tail)` waits. One growing block instead of a list: single keys must not cost an object each. */
  #bytes = new Uint8Array(0);
  #head = 0;
  #tail = 0;
  #closed = false;
  /** When to try again, and how long to wait after that. */
  retryAtMs = 0;
  #waitMs = retryMsMin;

  constructor(tryWrite: TryWrite, bytesMax: number) {
    this.#tryWrite = tryWrite;
    this.#bytesMax = bytesMax;
  }

  get queuedBytes(): number {
    return this.#tail - this.#head;
  }

  /** Takes all or nothing: throws `LIMIT_EXCEEDED` where the queue would grow beyond its limit. */
  push(data: Uint8Array): void {
    if (this.#closed) return;
    let rest = data;
    if (this.queuedBytes === 0) {
      // What the kernel cannot take must fit, whatever it takes: checked first, because a part that is written cannot be refused.
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

  /** Forgets what waits and takes no more. */
  close(): void {
    this.#closed = true;
    this.#clear();
    forget(this);
  }

  /** Tries to hand over what waits; true where it should be tried again. For the shared timer. */
  flush(nowMs: number): boolean {
    const taken = this.#tryWrite(this.#bytes.subarray(this.#head, this.#tail));
    if (taken === undefined) this.#clear();
    else this.#head += taken;
    if (this.queuedBytes === 0) {
      this.#clear();
      return false;
    }
    this.#waitMs = taken === 0 ? Math.min(this.#waitMs * 2, retryMsMax) : retryMsMin;
    // At a multiple of the wait: queues that wait equally long are asked in one wake-up, not each in its own.
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

  /** Doubles, so that n bytes pushed one by one are copied about twice in all. */
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
  // No time stands without a timer: whoever gets stuck next would rely on it.
  timerAtMs = stuck.size === 0 ? Number.POSITIVE_INFINITY : atMs;
  timer = stuck.size === 0 ? undefined : setTimeout(retryStuck, Math.max(retryMsMin, atMs - performance.now()));
}

function forget(queue: InputQueue): void {
  stuck.delete(queue);
  if (stuck.size === 0) arm(Number.POSITIVE_INFINITY);
}

/** A queue that stays stuck goes to the end of the set, so a pass that runs out of time goes on with those it did not reach. */
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
