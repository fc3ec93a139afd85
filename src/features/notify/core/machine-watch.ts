/**
 * Since when each machine is away, over the attempts to reach it, the reasons that change and restarts of this daemon: one outage has one notice. It
 * ends when the machine answers.
 */

export interface WatchedMachine {
  readonly name: string;
  readonly state: "unasked" | "connecting" | "connected" | "away";
  /** Milliseconds since the Unix epoch. */
  readonly sinceMs: number;
}

export class MachineWatch {
  readonly #awaySinceMs: Map<string, number>;

  constructor(stored: Iterable<readonly [machine: string, sinceMs: number]> = []) {
    this.#awaySinceMs = new Map(stored);
  }

  /** True if an outage has begun or ended. */
  feed({ name, sinceMs, state }: WatchedMachine): boolean {
    if (state === "connected") return this.forget(name);
    if (state !== "away" || this.#awaySinceMs.has(name)) return false;
    this.#awaySinceMs.set(name, sinceMs);
    return true;
  }

  /** Null if it is not known to be away. */
  awaySinceMs(name: string): number | null {
    return this.#awaySinceMs.get(name) ?? null;
  }

  /** It was removed. True if it was away. */
  forget(name: string): boolean {
    return this.#awaySinceMs.delete(name);
  }
}
