/** Who types into a session now: one writer at a time. Others are refused, unless they take the lease over, which anybody may who says so. */
import { LecternError } from "../../core/errors.ts";

/** A keyboard holds the lease for so long after its last key. */
const KEYBOARD_MS = 3000;

/** Whoever types: the same object is the same writer. */
export interface Writer {
  readonly name: string;
}

const anyKeyboard: Writer = { name: "keyboard" };

export class InputLease {
  #program: (Writer & { readonly lost: AbortController }) | undefined;
  #keyboard: { readonly writer: Writer; readonly untilMs: number } | undefined;
  readonly #listeners = new Set<(writer: Writer | undefined) => void>();
  /** Runs while a keyboard holds the lease: nobody else says when that is over. */
  #lapse: NodeJS.Timeout | undefined;

  /** Who holds it; undefined where nobody does. */
  writer(nowMs: number): Writer | undefined {
    return this.#program ?? (this.keyboardMs(nowMs) > 0 ? this.#keyboard?.writer : undefined);
  }

  /** Its name; null where nobody does. */
  holder(nowMs: number): string | null {
    return this.writer(nowMs)?.name ?? null;
  }

  /** How long a keyboard still holds it; 0 where none does. */
  keyboardMs(nowMs: number): number {
    return Math.max(0, (this.#keyboard?.untilMs ?? 0) - nowMs);
  }

  /** Calls back when somebody else holds it, or nobody. */
  subscribe(listener: (writer: Writer | undefined) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Takes it until the returned lease is disposed; `signal` says that a keyboard took it over. Throws `CONFLICT`. */
  acquire(name: string, nowMs: number): Disposable & { readonly signal: AbortSignal } {
    const holder = this.holder(nowMs);
    if (holder !== null)
      throw new LecternError("CONFLICT", `Cannot type now: ${holder} is typing; try again in a moment`);
    const held = { name, lost: new AbortController() };
    this.#program = held;
    this.#tell(held);
    return {
      signal: held.lost.signal,
      [Symbol.dispose]: () => {
        if (this.#program !== held) return;
        this.#program = undefined;
        this.#tell(undefined);
      },
    };
  }

  /** Somebody pressed a key: whoever typed before, a program or another keyboard, loses the lease. */
  takeOver(nowMs: number, writer: Writer = anyKeyboard): void {
    const before = this.writer(nowMs);
    this.#keyboard = { writer, untilMs: nowMs + KEYBOARD_MS };
    this.#program?.lost.abort();
    this.#program = undefined;
    if (this.#lapse === undefined) this.#lapse = setTimeout(this.#onLapse, KEYBOARD_MS).unref();
    if (before !== writer) this.#tell(writer);
  }

  /** A keyboard that is gone types no more. */
  leave(writer: Writer): void {
    if (this.#keyboard?.writer !== writer) return;
    this.#keyboard = undefined;
    if (this.#program === undefined) this.#tell(undefined);
  }

  /** Throws `CONFLICT` while somebody else holds it. */
  assertFree(nowMs: number, writer?: Writer): void {
    const holder = this.writer(nowMs);
    if (holder === undefined || holder === writer) return;
    throw new LecternError(
      "CONFLICT",
      `Cannot type now: ${holder.name} is typing; take the lease over ("take"), or try again in a moment`,
    );
  }

  /** Whoever typed before holds it no more, and nobody does. */
  clear(nowMs: number): void {
    if (this.writer(nowMs) === undefined) return;
    this.takeOver(nowMs);
    this.leave(anyKeyboard);
  }

  /** The last key may have come after the timer began. */
  readonly #onLapse = (): void => {
    const leftMs = this.keyboardMs(Date.now());
    this.#lapse = leftMs > 0 ? setTimeout(this.#onLapse, leftMs).unref() : undefined;
    if (leftMs === 0 && this.#program === undefined) this.#tell(undefined);
  };

  #tell(writer: Writer | undefined): void {
    for (const listener of this.#listeners) listener(writer);
  }
}
