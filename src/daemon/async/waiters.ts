/** Those who wait for something to change. */

/**
 * @example
 * ```ts
 * const waiters = new Waiters();
 * while (!isReached() && (await waiters.next(signal))) {}
 * ```
 */
export class Waiters {
  readonly #waiting = new Set<() => void>();

  /** Something has changed: whoever waits now goes on. */
  wake(): void {
    for (const wake of this.#waiting) wake();
  }

  /** Resolves with true at the next change, with false when `signal` is aborted. Nothing of the wait is left behind after it. */
  next(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const settle = (isChanged: boolean): void => {
      this.#waiting.delete(wake);
      signal.removeEventListener("abort", abort);
      resolve(isChanged);
    };
    const wake = (): void => settle(true);
    const abort = (): void => settle(false);
    this.#waiting.add(wake);
    signal.addEventListener("abort", abort, { once: true });
    return promise;
  }
}
