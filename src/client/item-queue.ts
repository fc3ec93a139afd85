/** Items that have arrived and were not read. It counts bytes, so that the socket can be paused before memory grows. */
import type { LecternError } from "../core/errors.ts";
import type { StreamItem } from "./stream-place.ts";

/** What an attachment gives: records of the session, and what happens to the connection and to the input. */
export type AttachmentItem =
  | StreamItem
  /** The server refused a message, for example input that the program does not read; the attachment continues. */
  | { readonly type: "error"; readonly code: string; readonly message: string }
  /** Who types now, for an attachment with a name. Null if nobody does; `isMine`: this attachment. */
  | { readonly type: "writer"; readonly writer: string | null; readonly isMine: boolean }
  /** For the user of a terminal that attached as one; not from the session. */
  | { readonly type: "notice"; readonly title: string; readonly body: string }
  /** The connection broke; the attachment reconnects. */
  | { readonly type: "disconnected"; readonly error: LecternError }
  | { readonly type: "reconnected" };

/** Cost of an item beside its bytes. */
const ITEM_BYTES = 64;

export class ItemQueue {
  #items: AttachmentItem[] = [];
  /** Items before this one were read. `shift` on a long array would take time in proportion to its length. */
  #taken = 0;
  #bytes = 0;
  #waiting: (() => void) | undefined;
  #draining: (() => void) | undefined;

  get bytes(): number {
    return this.#bytes;
  }

  push(item: AttachmentItem): void {
    this.#items.push(item);
    this.#bytes += sizeOf(item);
    this.wake();
  }

  take(): AttachmentItem | undefined {
    const item = this.#items[this.#taken];
    if (item === undefined) return undefined;
    this.#taken += 1;
    this.#bytes -= sizeOf(item);
    if (this.#taken === this.#items.length) {
      this.#items = [];
      this.#taken = 0;
      this.#draining?.();
      this.#draining = undefined;
    }
    return item;
  }

  /** Resolves when there may be an item. One waiter at a time. */
  arrival(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting = resolve;
    return promise;
  }

  wake(): void {
    this.#waiting?.();
    this.#waiting = undefined;
  }

  /** Resolves when all items were read. */
  drained(): Promise<void> {
    if (this.#items.length === 0) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#draining = resolve;
    return promise;
  }
}

function sizeOf(item: AttachmentItem): number {
  if (item.type === "output") return ITEM_BYTES + item.bytes.length;
  return item.type === "snapshot" ? ITEM_BYTES + item.text.length * 2 : ITEM_BYTES;
}
