/** A wake-up for one waiter. A ring that comes before the wait is kept, so that none is missed between a look and a wait. */
export class Bell {
  #rung = false;
  #wake: ((rung: boolean) => void) | undefined;

  ring(): void {
    if (this.#wake === undefined) this.#rung = true;
    else this.#wake(true);
  }

  /** Resolves to true at the next ring, or at once where one is kept; to false after `timeoutMs` without one. */
  wait(timeoutMs?: number): Promise<boolean> {
    if (this.#rung) {
      this.#rung = false;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => this.#wake?.(false), timeoutMs);
      this.#wake = (rung) => {
        this.#wake = undefined;
        clearTimeout(timer);
        resolve(rung);
      };
    });
  }
}
