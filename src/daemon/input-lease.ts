/** Who types into a session now: one writer at a time, and a person at a keyboard comes first. */
import { LecternError } from "../core/errors.ts";

/** A keyboard holds the lease for so long after its last key. */
const KEYBOARD_MS = 3000;

export class InputLease {
  #holder: { readonly name: string; readonly lost: AbortController } | undefined;
  #keyboardUntilMs = 0;

  /** Who holds it; null where nobody does. */
  holder(nowMs: number): string | null {
    return this.#holder?.name ?? (nowMs < this.#keyboardUntilMs ? "keyboard" : null);
  }

  /** How long a keyboard still holds it; 0 where none does. */
  keyboardMs(nowMs: number): number {
    return Math.max(0, this.#keyboardUntilMs - nowMs);
  }

  /** Takes it until the returned lease is disposed; `signal` says that a keyboard took it over. Throws `CONFLICT`. */
  acquire(name: string, nowMs: number): Disposable & { readonly signal: AbortSignal } {
    const holder = this.holder(nowMs);
    if (holder !== null)
      throw new LecternError("CONFLICT", `Cannot type now: ${holder} is typing; try again in a moment`);
    const held = { name, lost: new AbortController() };
    this.#holder = held;
    return {
      signal: held.lost.signal,
      [Symbol.dispose]: () => {
        if (this.#holder === held) this.#holder = undefined;
      },
    };
  }

  /** Somebody pressed a key: whoever typed for a program loses the lease. */
  takeOver(nowMs: number): void {
    this.#keyboardUntilMs = nowMs + KEYBOARD_MS;
    this.#holder?.lost.abort();
    this.#holder = undefined;
  }

  /** Throws `CONFLICT` while a program types. A keyboard does not keep other keys out. */
  assertFree(): void {
    if (this.#holder === undefined) return;
    throw new LecternError("CONFLICT", `Cannot type now: ${this.#holder.name} is typing; try again in a moment`);
  }
}
