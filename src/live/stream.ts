/**
 * How readers follow a session. A reader is a cursor on the journal, never a queue: it asks for what comes next
 * when it can use it, and readers at the same place share the same frames.
 */
import type { JournalRecord } from "../protocol/records.ts";

/**
 * One record, and the same as it goes over an attach WebSocket: bytes for a binary frame, text for a text frame.
 * Payload and frame are good until the cursor is read again or disposed; who needs them longer copies them or holds the lease.
 */
export interface FeedItem {
  readonly record: JournalRecord;
  /** Where to resume after it. */
  readonly next: number;
  readonly frame: Uint8Array | string;
  /** Set where the memory of the frame is used again. */
  readonly lease?: FrameLease | undefined;
}

export interface FrameLease {
  retain(): void;
  release(): void;
}

export interface SessionCursor extends Disposable {
  /** Where the next read starts. */
  readonly offset: number;
  /** The end of the journal as it is known now. */
  readonly end: number;
  /** True after the `exit` record was read: nothing follows. */
  readonly done: boolean;
  /**
   * What comes next, at most about `bytesMax` (default 65,536) of payload and at least one item where there is one.
   * Empty at the end of the journal. Never waits for new output, only for the disk and for its turn. One read at a time.
   */
  read(bytesMax?: number): Promise<readonly FeedItem[]> | readonly FeedItem[];
  /** Skips forward to an offset between `offset` and `end`, but never over the `exit` record: each reader is told of that. */
  skipTo(offset: number): void;
  /** Calls back (once per change, synchronously, cheap) whenever `end` has moved or is final; undefined takes it off. */
  onAdvance: (() => void) | undefined;
}
