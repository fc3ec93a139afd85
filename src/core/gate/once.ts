/**
 * No call is executed twice, however often it arrives: a call is known by its id and the hash of its raw arguments, and a
 * repetition gets the recorded outcome. Memory is bounded; where it has forgotten, it says so instead of guessing.
 */

/** The identity of a call: the same id with other arguments is a conflict. */
export interface CallIdentity {
  /** Ids are unique within a session only. */
  readonly session: string;
  readonly id: string;
  /** Hash of the raw argument text. */
  readonly argumentsHash: string;
}

/**
 * - `first`: never seen; it is now `running`, and exactly this caller may execute it
 * - `running`: another caller has it, its outcome is not there yet
 * - `replayed`: it was executed; this is what came out
 * - `conflict`: the id was used with other arguments: neither is executed
 * - `forgotten`: memory was full once, so an old call may be unknown here: look into the audit log, then `restore` or `begin` with `isNew`
 * - `full`: as many calls as fit are running
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

/**
 * @example
 * ```ts
 * const once = new Once<string>();
 * const identity = { session: "s1", id: "call_1", argumentsHash: "ab12" };
 * if (once.begin(identity).type === "first") once.end(identity, "done");
 * once.begin(identity); // { type: "replayed", outcome: "done" }
 * ```
 */
export class Once<Outcome> {
  readonly #callsMax: number;
  /** Oldest use first. */
  readonly #calls = new Map<string, Entry<Outcome>>();
  #hasForgotten: boolean;

  /**
   * `callsMax`: calls that are remembered; the finished one unused for longest goes first. Default 10,000.
   * `continues`: calls went before this memory, in a process that ended: what is unknown is `forgotten` from the start.
   */
  constructor(options: { readonly callsMax?: number; readonly continues?: boolean } = {}) {
    this.#callsMax = options.callsMax ?? 10_000;
    this.#hasForgotten = options.continues ?? false;
  }

  get size(): number {
    return this.#calls.size;
  }

  /** `isNew`: the caller looked into the durable log and found nothing. */
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

  /** The call was executed. False where it was not running: a second end changes nothing. */
  end(identity: CallIdentity, outcome: Outcome): boolean {
    const key = keyOf(identity);
    const known = this.#calls.get(key);
    if (known === undefined || known.done !== null || known.argumentsHash !== identity.argumentsHash) return false;
    this.#calls.delete(key);
    this.#calls.set(key, { argumentsHash: known.argumentsHash, done: { outcome } });
    return true;
  }

  /** The call was never started after all (denied, limited): it may begin again. Other arguments under its id change nothing. */
  cancel(identity: CallIdentity): void {
    const key = keyOf(identity);
    const known = this.#calls.get(key);
    if (known?.done === null && known.argumentsHash === identity.argumentsHash) this.#calls.delete(key);
  }

  /** Takes over what a durable log knows of a finished call, after a restart or where it was forgotten. */
  restore(identity: CallIdentity, outcome: Outcome): void {
    const key = keyOf(identity);
    if (!this.#calls.has(key)) this.#remember(key, { argumentsHash: identity.argumentsHash, done: { outcome } });
  }

  /** False where no place can be made: running calls are never forgotten. */
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

/** Unambiguous: the length comes first, so no session and id can be read as another pair. */
const keyOf = (identity: CallIdentity): string => `${identity.session.length}:${identity.session}${identity.id}`;
