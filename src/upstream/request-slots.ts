/** Requests to one model server at a time: further ones wait in their order, so many and so long at most. */

/** Limits of the requests to one server. */
export interface SlotLimits {
  /** Requests at a time; over HTTP/1.1 each has a connection. Default 512. */
  readonly connectionsMax?: number | undefined;
  /** Requests that wait for one of them; more are refused at once. Default 1,024. */
  readonly queueMax?: number | undefined;
  /** How long each of them waits, in milliseconds; then it is refused. Default 60,000. */
  readonly queueMsMax?: number | undefined;
}

/** `release` is called once the request is over; later calls do nothing. `full`, `late`: it was refused. */
export type Slot = { readonly release: () => void } | "full" | "late";

export class RequestSlots {
  readonly #limits: { readonly connectionsMax: number; readonly queueMax: number; readonly queueMsMax: number };
  #active = 0;
  /** In the order in which they came. */
  readonly #waiting = new Set<() => void>();

  constructor({ connectionsMax = 512, queueMax = 1024, queueMsMax = 60_000 }: SlotLimits = {}) {
    this.#limits = { connectionsMax, queueMax, queueMsMax };
  }

  get limits(): Required<SlotLimits> {
    return this.#limits;
  }

  get active(): number {
    return this.#active;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Rejects with the reason of the signal if it is aborted while the request waits. */
  async take(signal: AbortSignal): Promise<Slot> {
    const { connectionsMax, queueMax } = this.#limits;
    if (this.#active < connectionsMax) {
      this.#active += 1;
      return this.#slot();
    }
    return this.#waiting.size >= queueMax ? "full" : await this.#turn(signal);
  }

  #turn(signal: AbortSignal): Promise<Slot> {
    const { promise, reject, resolve } = Promise.withResolvers<Slot>();
    const leave = (): void => {
      this.#waiting.delete(begin);
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    };
    const begin = (): void => {
      leave();
      resolve(this.#slot());
    };
    const onAbort = (): void => {
      leave();
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      leave();
      resolve("late");
    }, this.#limits.queueMsMax);
    this.#waiting.add(begin);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    return promise;
  }

  /** Of a request that counts as active. At its end the next one takes its place: nobody who comes later can be before it. */
  #slot(): Slot {
    let isOver = false;
    const release = (): void => {
      if (isOver) return;
      isOver = true;
      const [next] = this.#waiting;
      if (next === undefined) this.#active -= 1;
      else next();
    };
    return { release };
  }
}
