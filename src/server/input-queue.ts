/** What a client typed and the host has not taken yet: in order, one at a time, and never more than a limit. */
export class ClientInputQueue {
  readonly #bytesMax: number;
  readonly #onError: (error: unknown) => void;
  #waitingBytes = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(bytesMax: number, onError: (error: unknown) => void) {
    this.#bytesMax = bytesMax;
    this.#onError = onError;
  }

  /** Runs `action` after all before it; false, and nothing is run, where more than the limit would wait. */
  push(bytes: number, action: () => Promise<void>): boolean {
    const cost = bytes + ACTION_BYTES;
    if (this.#waitingBytes + cost > this.#bytesMax) return false;
    this.#waitingBytes += cost;
    this.#last = this.#last
      .then(action)
      .catch(this.#onError)
      .finally(() => {
        this.#waitingBytes -= cost;
      });
    return true;
  }

  /** Resolves when everything that was pushed has run. */
  idle(): Promise<void> {
    return this.#last;
  }
}

/** What an action costs beside its bytes, so that a million empty ones are bounded too. */
const ACTION_BYTES = 256;
