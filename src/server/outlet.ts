/** A body that is written as fast as its reader takes it: one piece is on its way at a time, never a queue. */
import type { ServerResponse } from "node:http";

export class Outlet {
  readonly #outgoing: ServerResponse;
  readonly #stallMs: number;

  /** A reader that takes nothing for `stallMs` is ended. */
  constructor(outgoing: ServerResponse, stallMs: number) {
    this.#outgoing = outgoing;
    this.#stallMs = stallMs;
  }

  /** Resolves when there is room for more; to false where the reader is gone or was ended. */
  async write(piece: Uint8Array | string): Promise<boolean> {
    if (this.#outgoing.destroyed || this.#outgoing.writableEnded) return false;
    if (this.#outgoing.write(piece)) return true;
    return this.#drained();
  }

  #drained(): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (open: boolean): void => {
        clearTimeout(timer);
        this.#outgoing.off("drain", drained).off("close", closed);
        resolve(open);
      };
      const drained = (): void => settle(true);
      const closed = (): void => settle(false);
      const timer = setTimeout(() => this.#outgoing.destroy(), this.#stallMs);
      this.#outgoing.on("drain", drained).on("close", closed);
      if (this.#outgoing.destroyed) closed();
    });
  }
}
