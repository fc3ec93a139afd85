/**
 * Ensures that no call is executed twice, however often it arrives: a repetition with the same id and arguments gets the recorded
 * outcome. Memory is bounded; calls that may have been evicted are reported as `forgotten`.
 */

/** The identity of a call: the same id with other arguments is a conflict. Ids are unique only within a session. */
export interface CallIdentity {
  readonly session: string;
  readonly id: string;
  /** Hash of the raw argument text. */
  readonly argumentsHash: string;
}

/**
 * - `first`: new; it is now `running`, and only this caller may execute it
 * - `running`: another caller executes it
 * - `replayed`: it was executed, with this outcome
 * - `conflict`: the id was used with other arguments: neither is executed
 * - `forgotten`: calls were evicted, so this may be an old one: search the audit log, then `restore` it or `begin` with `isNew`
 * - `full`: too many calls are running
 */
export type OnceAnswer<Outcome> =
  | { readonly type: "first" }
  | { readonly type: "running" }
  | { readonly type: "replayed"; readonly outcome: Outcome }
  | { readonly type: "conflict" }
  | { readonly type: "forgotten" }
  | { readonly type: "full" };

interface Entry<Outcome> {
  readonly argumentsHash: string;
  readonly done: { readonly outcome: Outcome } | null;
}

export class Once<Outcome> {
  readonly #callsMax: number;
  /** Least recently used first. */
  readonly #calls = new Map<string, Entry<Outcome>>();
  #hasForgotten: boolean;

  /**
   * `callsMax`: calls that are remembered; the least recently used finished one is evicted. Default 10,000.
   * `continues`: an earlier process had calls, so unknown ones are `forgotten` from the start.
   */
  constructor(options: { readonly callsMax?: number; readonly continues?: boolean } = {}) {
    this.#callsMax = options.callsMax ?? 10_000;
    this.#hasForgotten = options.continues ?? false;
  }

  get size(): number {
    return this.#calls.size;
  }

  /** `isNew`: the caller did not find the call in the durable log. */
  begin(identity: CallIdentity, options: { readonly isNew?: boolean } = {}): OnceAnswer<Outcome> {
    const key = keyOf(identity);
    const known = this.#calls.get(key);
    if (known === undefined) {
      if (this.#hasForgotten && options.isNew !== true) return { type: "forgotten" };
      return this.#remember(key, { argumentsHash: identity.argumentsHash, done: null })
        ? { type: "first" }
        : { type: "full" };
    }
    if (known.argumentsHash !== identity.argumentsHash) return { type: "conflict" };
    if (known.done === null) return { type: "running" };
    this.#calls.delete(key);
    this.#calls.set(key, known);
    return { type: "replayed", outcome: known.done.outcome };
  }

  /** The call was executed. False, without effect, if it was not running. */
  end(identity: CallIdentity, outcome: Outcome): boolean {
    const key = keyOf(identity);
    const known = this.#calls.get(key);
    if (known === undefined || known.done !== null || known.argumentsHash !== identity.argumentsHash) return false;
    this.#calls.delete(key);
    this.#calls.set(key, { argumentsHash: known.argumentsHash, done: { outcome } });
    return true;
  }

  /** The call was not started (denied, limited): it may begin again. No effect if the arguments differ. */
  cancel(identity: CallIdentity): void {
    const key = keyOf(identity);
    const known = this.#calls.get(key);
    if (known?.done === null && known.argumentsHash === identity.argumentsHash) this.#calls.delete(key);
  }

  /** Adds a finished call from the durable log, after a restart or an eviction. */
  restore(identity: CallIdentity, outcome: Outcome): void {
    const key = keyOf(identity);
    if (!this.#calls.has(key)) this.#remember(key, { argumentsHash: identity.argumentsHash, done: { outcome } });
  }

  /** False if there is no room: running calls are never evicted. */
  #remember(key: string, entry: Entry<Outcome>): boolean {
    if (this.#calls.size >= this.#callsMax && !this.#forgetOldest()) return false;
    this.#calls.set(key, entry);
    return true;
  }

  #forgetOldest(): boolean {
    for (const [key, { done }] of this.#calls) {
      if (done === null) continue;
      this.#hasForgotten = true;
      return this.#calls.delete(key);
    }
    return false;
  }
}

/** The length makes the key unambiguous. */
const keyOf = (identity: CallIdentity): string => `${identity.session.length}:${identity.session}${identity.id}`;
