/** Chunks of a body between a tunnel and its reader; the credit of each goes back when it is read, so at most the window is here. */
import type { TunnelEffect } from "../core/tunnel.ts";

type Part = Extract<TunnelEffect, { type: "data" }>;

export class ReceivedChunks {
  readonly #consumed: (creditBytes: number) => void;
  readonly #abandoned: () => void;
  readonly #parts: Part[] = [];
  #end: { readonly error: Error | undefined } | undefined;
  #wake: (() => void) | undefined;

  /** `abandoned`: its reader stopped before the end. */
  constructor(consumed: (creditBytes: number) => void, abandoned: () => void = () => {}) {
    this.#consumed = consumed;
    this.#abandoned = abandoned;
  }

  add(part: Part): void {
    this.#parts.push(part);
    this.#wake?.();
  }

  end(): void {
    this.#end ??= { error: undefined };
    this.#wake?.();
  }

  /** What follows is missing. Nothing happens after the end. */
  break(error: Error): void {
    this.#end ??= { error };
    this.#wake?.();
  }

  async *read(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const part = this.#parts.shift();
        if (part !== undefined) {
          this.#consumed(part.creditBytes);
          yield part.bytes;
        } else if (this.#end !== undefined) {
          if (this.#end.error !== undefined) throw this.#end.error;
          return;
        } else {
          await new Promise<void>((resolve) => (this.#wake = resolve));
        }
      }
    } finally {
      if (this.#end === undefined) this.#abandoned();
    }
  }
}
