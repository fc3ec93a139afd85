/** Joins the parts of a message that came through a tunnel. */
import type { TunnelEffect } from "../core/tunnel.ts";

/** As long as a WebSocket of the daemon takes. */
const MESSAGE_BYTES_MAX = 64 * 1024 * 1024;

export class MessageJoiner {
  #parts: Uint8Array[] = [];
  #bytes = 0;

  /** The message that ends with this part; "too long" beyond 64 MiB. */
  add({
    bytes,
    isFinal,
    isText,
  }: Extract<TunnelEffect, { type: "data" }>): string | Uint8Array | undefined | { readonly tooLong: true } {
    this.#bytes += bytes.length;
    if (this.#bytes > MESSAGE_BYTES_MAX) return { tooLong: true };
    this.#parts.push(bytes);
    if (!isFinal) return undefined;
    const [first] = this.#parts;
    const whole = this.#parts.length === 1 && first !== undefined ? first : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    return isText ? Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength).toString("utf8") : whole;
  }
}
