/**
 * Which waits are over: timeouts of running calls and of questions that nobody answers. The clock is an argument; whoever owns
 * a timer asks `nextInMs` how long to sleep.
 *
 * @example
 * ```ts
 * const deadlines = new Deadlines();
 * deadlines.start("call_1", { nowMs: 0, timeoutMs: 120_000 });
 * deadlines.due(120_000); // ["call_1"]
 * ```
 */
export class Deadlines {
  readonly #endMs = new Map<string, number>();

  /** Starts or restarts a wait. */
  start(key: string, wait: { readonly nowMs: number; readonly timeoutMs: number }): void {
    this.#endMs.set(key, wait.nowMs + wait.timeoutMs);
  }

  /** The wait ended in time. False where it was not running: it was due before, or never started. */
  end(key: string): boolean {
    return this.#endMs.delete(key);
  }

  /** The waits that are over, earliest first; each is given once. */
  due(nowMs: number): readonly string[] {
    const over = [...this.#endMs].filter(([, endMs]) => endMs <= nowMs).toSorted(([, left], [, right]) => left - right);
    for (const [key] of over) this.#endMs.delete(key);
    return over.map(([key]) => key);
  }

  /** How long until one is due, at least 0; null where none runs. */
  nextInMs(nowMs: number): number | null {
    return this.#endMs.size === 0 ? null : Math.max(0, Math.min(...this.#endMs.values()) - nowMs);
  }
}
