/**
 * The position of a reader in a session, across reconnects. Ordering law: items have rising offsets, no byte comes twice, and what is
 * missing is a `gap`.
 */
import type { BinaryFrame, ServerMessage } from "../protocol/attach-frames.ts";
import type { ExitStatus } from "../protocol/records.ts";
import type { SessionEvent } from "../core/records.ts";

/** An item of a session. `next` is the offset to resume at after it; times are in microseconds since the Unix epoch. */
export type StreamItem =
  | { readonly type: "output"; readonly offset: number; readonly next: number; readonly bytes: Uint8Array }
  | {
      /** The screen as it is at `offset`, as escape sequences: draw it in place of the current one. */
      readonly type: "snapshot";
      readonly offset: number;
      readonly next: number;
      readonly columns: number;
      readonly rows: number;
      readonly text: string;
    }
  | {
      /** The data between `offset` and `next` is missing. */
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
      /** Input of so many bytes. */
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

type PlacedMessage = Exclude<ServerMessage, { readonly type: "attached" | "error" | "notice" | "taken" | "writer" }>;

/** Converts messages of the server to items. */
export class StreamPosition {
  /** Undefined until the server has reported the first offset. */
  #next: number | undefined;

  constructor(from: number | undefined) {
    this.#next = from;
  }

  /** The offset to resume at. */
  get next(): number | undefined {
    return this.#next;
  }

  /** The first offset as the server reports it, used once: later it only repeats the requested one. */
  startAt(offset: number): void {
    this.#next ??= offset;
  }

  take(frame: BinaryFrame | PlacedMessage): StreamItem[] {
    // A snapshot replaces all items before it.
    if (frame.type === "snapshot") return this.#advance({ ...frame, next: frame.offset });
    const items = frame.type === "gap" ? [] : this.#missingBefore(frame.offset);
    const item = this.#cut(toItem(frame));
    return item === undefined ? items : [...items, ...this.#advance(item)];
  }

  #advance(item: StreamItem): StreamItem[] {
    this.#next = item.next;
    return [item];
  }

  /** The gap for data that the server left out without reporting it. */
  #missingBefore(offset: number): StreamItem[] {
    if (this.#next === undefined || offset <= this.#next) return [];
    return this.#advance({ type: "gap", offset: this.#next, next: offset, reason: "missing" });
  }

  /** The part of an item that was not returned before. */
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
