/**
 * One holder at a time of a key in a key-value store that removes a key `ttlMs` after its last write: a machine's name, or who runs the
 * schedule of a prompt queue. Laws:
 * - The holder counts from the moment at which it *sent* the write that gave it the key, less `marginMs`, on its own monotonic clock: it
 *   stops before the store can give the key to somebody else.
 * - A lease that has run out is never renewed: somebody else may hold the key. It is taken anew with `create`, which the store refuses
 *   while there is a key, and gets a higher revision.
 * - Whatever is done under the lease carries its `revision`, and whoever executes it asks a `Fence`. The clock of a server may jump, so
 *   the time alone proves nothing.
 *
 * Times are milliseconds of a clock that only moves forward. Call `step` with `tick` at `wakeAtMs`.
 */

export interface LeaseOptions {
  /** After this time without a write the store removes the key. Default 10,000. */
  readonly ttlMs?: number;
  /** Default a third of `ttlMs`. Also the wait before the next attempt to take it. */
  readonly renewMs?: number;
  /** How much earlier than `ttlMs` the holder stops. Default a tenth of it. */
  readonly marginMs?: number;
}

export type LeaseInput =
  | { readonly type: "start" }
  /** The store has written the key: the answer to `create` or `update`. */
  | { readonly type: "written"; readonly request: number; readonly revision: number }
  /** There is a key already, or another revision of it. */
  | { readonly type: "refused"; readonly request: number }
  /** It is unknown whether the store has written the key. */
  | { readonly type: "failed"; readonly request: number }
  /** Gives the key back. */
  | { readonly type: "release" }
  | { readonly type: "tick" };

export type LeaseEffect =
  | { readonly type: "create"; readonly request: number }
  /** Writes only if `revision` is the current one. */
  | { readonly type: "update"; readonly request: number; readonly revision: number }
  | { readonly type: "remove"; readonly revision: number }
  | { readonly type: "acquired"; readonly revision: number }
  /** `revision` is the same lease, for later acts. */
  | { readonly type: "renewed"; readonly revision: number }
  | { readonly type: "lost"; readonly reason: string }
  /** Somebody else holds it. */
  | { readonly type: "taken" };

interface Held {
  readonly revision: number;
  readonly untilMs: number;
}

interface Pending {
  readonly kind: "create" | "update";
  readonly request: number;
  readonly sentMs: number;
}

export class Lease {
  readonly #ttlMs: number;
  readonly #renewMs: number;
  readonly #marginMs: number;
  #wants = false;
  #held: Held | undefined;
  #pending: Pending | undefined;
  #requests = 0;
  #nextAttemptMs = Number.POSITIVE_INFINITY;

  constructor({ ttlMs = 10_000, renewMs = ttlMs / 3, marginMs = ttlMs / 10 }: LeaseOptions = {}) {
    this.#ttlMs = ttlMs;
    this.#renewMs = renewMs;
    this.#marginMs = marginMs;
  }

  /** The revision to act with; undefined if the lease is not held at this time. */
  revision(nowMs: number): number | undefined {
    return this.#held !== undefined && nowMs < this.#held.untilMs ? this.#held.revision : undefined;
  }

  get wakeAtMs(): number | undefined {
    const wakeMs = Math.min(this.#held?.untilMs ?? Number.POSITIVE_INFINITY, this.#nextAttemptMs);
    return wakeMs === Number.POSITIVE_INFINITY ? undefined : wakeMs;
  }

  step(input: LeaseInput, nowMs: number): LeaseEffect[] {
    const effects: LeaseEffect[] = [];
    if (this.#held !== undefined && nowMs >= this.#held.untilMs) {
      this.#lose("it was not renewed in time", nowMs, effects);
    }
    this.#apply(input, nowMs, effects);
    if (this.#wants && nowMs >= this.#nextAttemptMs) this.#attempt(nowMs, effects);
    return effects;
  }

  #apply(input: LeaseInput, nowMs: number, effects: LeaseEffect[]): void {
    switch (input.type) {
      case "start":
        if (!this.#wants) this.#nextAttemptMs = nowMs;
        this.#wants = true;
        return;
      case "release":
        this.#wants = false;
        this.#nextAttemptMs = Number.POSITIVE_INFINITY;
        this.#pending = undefined;
        if (this.#held !== undefined) effects.push({ type: "remove", revision: this.#held.revision });
        this.#held = undefined;
        return;
      case "written":
      case "refused":
      case "failed": {
        const pending = this.#pending;
        // An answer to an attempt that was given up changes nothing: the key it may have written runs out.
        if (pending?.request !== input.request) return;
        this.#pending = undefined;
        if (input.type === "written") this.#write(pending, input.revision, effects);
        else if (input.type === "refused") this.#refuse(pending, nowMs, effects);
        return;
      }
      case "tick":
    }
  }

  #write({ sentMs, kind }: Pending, revision: number, effects: LeaseEffect[]): void {
    this.#held = { revision, untilMs: sentMs + this.#ttlMs - this.#marginMs };
    this.#nextAttemptMs = sentMs + this.#renewMs;
    effects.push({ type: kind === "create" ? "acquired" : "renewed", revision });
  }

  #refuse({ kind }: Pending, nowMs: number, effects: LeaseEffect[]): void {
    if (kind === "update") this.#lose("another revision of the key was written", nowMs, effects);
    else effects.push({ type: "taken" });
  }

  #lose(reason: string, nowMs: number, effects: LeaseEffect[]): void {
    this.#held = undefined;
    // An update that is under way must not give back what has run out.
    this.#pending = undefined;
    this.#nextAttemptMs = nowMs + this.#renewMs;
    effects.push({ type: "lost", reason });
  }

  #attempt(nowMs: number, effects: LeaseEffect[]): void {
    this.#requests += 1;
    const request = this.#requests;
    this.#pending = { kind: this.#held === undefined ? "create" : "update", request, sentMs: nowMs };
    this.#nextAttemptMs = nowMs + this.#renewMs;
    if (this.#held === undefined) effects.push({ type: "create", request });
    else effects.push({ type: "update", request, revision: this.#held.revision });
  }
}

/** Refuses what is done under a lease that somebody else has held since. */
export class Fence {
  #revision = 0;
  #holder = "";

  /** A store that has lost its last writes may give out a revision a second time: it is the first holder's. */
  accepts(holder: string, revision: number): boolean {
    if (revision < this.#revision || (revision === this.#revision && holder !== this.#holder)) return false;
    this.#revision = revision;
    this.#holder = holder;
    return true;
  }
}
