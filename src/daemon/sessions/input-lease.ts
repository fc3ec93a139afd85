/** One writer at a time types into a session. Others are refused unless they take the lease over explicitly, which any may. */
import { LecternError } from "../../core/errors.ts";

/** How long a keyboard holds the lease after its last key. */
const KEYBOARD_MS = 3000;

/** A writer; compared by identity. */
export interface Writer {
  readonly name: string;
}

const anyKeyboard: Writer = { name: "keyboard" };

export class InputLease {
  #program: (Writer & { readonly lost: AbortController }) | undefined;
  #keyboard: { readonly writer: Writer; readonly untilMs: number } | undefined;
  #seenMs: number | null = null;
  readonly #listeners = new Set<(writer: Writer | undefined) => void>();
  /** Runs while a keyboard holds the lease, because no event ends that. */
  #lapse: NodeJS.Timeout | undefined;

  /** Who holds it; undefined if nobody does. */
  writer(nowMs: number): Writer | undefined {
    return this.#program ?? (this.keyboardMs(nowMs) > 0 ? this.#keyboard?.writer : undefined);
  }

  /** The name of the holder; null if nobody holds it. */
  holder(nowMs: number): string | null {
    return this.writer(nowMs)?.name ?? null;
  }

  /** How long a keyboard still holds it; 0 if none does. */
  keyboardMs(nowMs: number): number {
    return Math.max(0, (this.#keyboard?.untilMs ?? 0) - nowMs);
  }

  /** When a person typed last, or had the session in front on a page, in Unix milliseconds; null if nobody did since the daemon started. */
  get seenMs(): number | null {
    return this.#seenMs;
  }

  /** A page shows the session to a person now. */
  see(nowMs: number): void {
    this.#seenMs = nowMs;
  }

  /** Calls back when the holder changes. */
  subscribe(listener: (writer: Writer | undefined) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Takes it until the returned lease is disposed; `signal` is aborted when a keyboard takes it over. Throws `CONFLICT`. */
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

  /** A key was pressed: the previous writer, a program or another keyboard, loses the lease. */
  takeOver(nowMs: number, writer: Writer = anyKeyboard): void {
    const before = this.writer(nowMs);
    this.#keyboard = { writer, untilMs: nowMs + KEYBOARD_MS };
    if (writer !== anyKeyboard) this.see(nowMs);
    this.#program?.lost.abort();
    this.#program = undefined;
    if (this.#lapse === undefined) this.#lapse = setTimeout(this.#onLapse, KEYBOARD_MS).unref();
    if (before !== writer) this.#tell(writer);
  }

  /** The keyboard has disconnected. */
  leave(writer: Writer): void {
    if (this.#keyboard?.writer !== writer) return;
    this.#keyboard = undefined;
    if (this.#program === undefined) this.#tell(undefined);
  }

  /** Resolves when no program types, or `signal` is aborted. A person may type for long, and is not waited for. */
  async untilTyped(signal: AbortSignal): Promise<void> {
    while (this.#program !== undefined && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      using _ = this.subscribe(() => resolve());
      signal.addEventListener("abort", () => resolve(), { once: true });
      await promise;
    }
  }

  /** Throws `CONFLICT` while another writer holds it. */
  assertFree(nowMs: number, writer?: Writer): void {
    const holder = this.writer(nowMs);
    if (holder === undefined || holder === writer) return;
    throw new LecternError(
      "CONFLICT",
      `Cannot type now: ${holder.name} is typing; take the lease over ("take"), or try again in a moment`,
    );
  }

  /** Takes it from its holder; nobody holds it then. */
  clear(nowMs: number): void {
    if (this.writer(nowMs) === undefined) return;
    this.takeOver(nowMs);
    this.leave(anyKeyboard);
  }

  /** The last key may have been pressed after the timer started. */
  readonly #onLapse = (): void => {
    const leftMs = this.keyboardMs(Date.now());
    this.#lapse = leftMs > 0 ? setTimeout(this.#onLapse, leftMs).unref() : undefined;
    if (leftMs === 0 && this.#program === undefined) this.#tell(undefined);
  };

  #tell(writer: Writer | undefined): void {
    for (const listener of this.#listeners) listener(writer);
  }
}
