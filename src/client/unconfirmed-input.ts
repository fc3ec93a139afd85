/** Writes that were sent and not acknowledged, by their numbers. */
import { LecternError } from "../core/errors.ts";

const NUMBERS = 2 ** 32;

export class UnconfirmedInput {
  readonly #writes = new Map<number, { leftBytes: number; readonly result: PromiseWithResolvers<void> }>();
  #next = 0;

  get size(): number {
    return this.#writes.size;
  }

  /** Begins a write of so many bytes. `confirmed` rejects if they were refused, or if the acknowledgement did not come. */
  begin(bytes: number): { readonly number: number; readonly confirmed: Promise<void> } {
    const number = this.#next;
    this.#next = (number + 1) % NUMBERS;
    const result = Promise.withResolvers<void>();
    // The caller may await it later.
    result.promise.catch(() => undefined);
    this.#writes.set(number, { leftBytes: bytes, result });
    return { number, confirmed: result.promise };
  }

  isOpen(number: number): boolean {
    return this.#writes.has(number);
  }

  take(number: number, bytes: number): void {
    const write = this.#writes.get(number);
    if (write === undefined) return;
    write.leftBytes -= bytes;
    if (write.leftBytes > 0) return;
    this.#writes.delete(number);
    write.result.resolve();
  }

  refuse(number: number, error: LecternError): void {
    const write = this.#writes.get(number);
    this.#writes.delete(number);
    write?.result.reject(error);
  }

  /** No more acknowledgements will come: open writes may have been typed (`details.mayBeTyped`), and are not sent again. */
  abandon(code: LecternError["code"], reason: string): void {
    for (const [number, { leftBytes }] of this.#writes) {
      const message = `Cannot tell whether ${leftBytes} bytes were typed: ${reason}; they are not sent again, see the screen first`;
      this.refuse(number, new LecternError(code, message, { details: { mayBeTyped: true } }));
    }
  }
}
