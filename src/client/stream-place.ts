/**
 * Where a reader is in a session, across reconnects. Ordering law: what comes out has rising offsets, no byte twice,
 * and nothing missing without a `gap`.
 */
import type { BinaryFrame, ServerMessage } from "../protocol/attach-frames.ts";
import type { ExitStatus } from "../protocol/records.ts";
import type { SessionEvent } from "../core/records.ts";

/** What an attachment gives. `next` is where a reader resumes after the item. */
export type StreamItem =
  | { readonly type: "output"; readonly offset: number; readonly next: number; readonly bytes: Uint8Array }
  | {
      /** The screen as it is at `offset`, as escape sequences: draw it in place of what was there. */
      readonly type: "snapshot";
      readonly offset: number;
      readonly next: number;
      readonly columns: number;
      readonly rows: number;
      readonly text: string;
    }
  | {
      /** Nothing between `offset` and `next` is given. */
      readonly type: "gap";
      readonly offset: number;
      readonly next: number;
      readonly reason: string;
    }
  | {
      readonly type: "resize";
      readonly offset: number;
      readonly next: number;
      readonly timeUs: number;
      readonly columns: number;
      readonly rows: number;
    }
  | {
      /** Somebody typed: this many bytes. */
      readonly type: "input";
      readonly offset: number;
      readonly next: number;
      readonly timeUs: number;
      readonly bytes: number;
      readonly secret: boolean;
    }
  | {
      readonly type: "mark";
      readonly offset: number;
      readonly next: number;
      readonly timeUs: number;
      readonly event: SessionEvent;
    }
  | {
      readonly type: "exit";
      readonly offset: number;
      readonly next: number;
      readonly timeUs: number;
      readonly exit: ExitStatus;
    };

type PlacedMessage = Exclude<ServerMessage, { readonly type: "attached" | "error" | "taken" | "writer" }>;

/**
 * Turns what the server sends into items.
 *
 * @example
 * ```ts
 * const place = new StreamPosition(10);
 * place.take({ type: "output", offset: 8, bytes: Uint8Array.of(1, 2, 3) });
 * // [{ type: "output", offset: 10, next: 11, bytes: Uint8Array.of(3) }]
 * ```
 */
export class StreamPosition {
  /** Undefined until the server has said where the reader starts. */
  #next: number | undefined;

  constructor(from: number | undefined) {
    this.#next = from;
  }

  /** Where to resume. */
  get next(): number | undefined {
    return this.#next;
  }

  /** The server's word on where it starts, used once: later it may only repeat what was asked. */
  startAt(offset: number): void {
    this.#next ??= offset;
  }

  take(frame: BinaryFrame | PlacedMessage): StreamItem[] {
    // A snapshot stands for all before it; whatever was between is on the screen that it draws.
    if (frame.type === "snapshot") return this.#advance({ ...frame, next: frame.offset });
    const items = frame.type === "gap" ? [] : this.#missingBefore(frame.offset);
    const item = this.#cut(toItem(frame));
    return item === undefined ? items : [...items, ...this.#advance(item)];
  }

  #advance(item: StreamItem): StreamItem[] {
    this.#next = item.next;
    return [item];
  }

  /** A server that leaves something out without saying so: the reader is told all the same. */
  #missingBefore(offset: number): StreamItem[] {
    if (this.#next === undefined || offset <= this.#next) return [];
    return this.#advance({ type: "gap", offset: this.#next, next: offset, reason: "missing" });
  }

  /** What of an item was not given before. */
  #cut(item: StreamItem): StreamItem | undefined {
    const from = this.#next ?? item.offset;
    if (item.offset >= from) return item;
    if (item.next <= from) return undefined;
    if (item.type === "output") return { ...item, offset: from, bytes: item.bytes.subarray(from - item.offset) };
    return { ...item, offset: from };
  }
}

function toItem(frame: Exclude<BinaryFrame, { readonly type: "snapshot" }> | PlacedMessage): StreamItem {
  switch (frame.type) {
    case "output":
      return { ...frame, next: frame.offset + frame.bytes.length };
    case "gap":
      if ("gap" in frame) return { type: "gap", offset: frame.offset, next: frame.next, reason: frame.gap.reason };
      return { type: "gap", offset: frame.offset, next: frame.to, reason: frame.reason };
    default:
      return frame;
  }
}
