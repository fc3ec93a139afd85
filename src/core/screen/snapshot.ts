/** Snapshots: a screen at one offset as plain data, from which a new viewer or worker starts. */
import type { CursorState, EmulatorModes } from "../emulator/emulator.ts";

export interface ScreenModes extends EmulatorModes {
  /** Flags of the kitty keyboard protocol; 0 is off. */
  readonly kittyKeyboard: number;
  readonly modifyOtherKeys: number;
  /** Private modes that are set and that the emulator does not track. */
  readonly others: readonly number[];
}

/** A screen at one offset as plain data, safe for JSON. */
export interface ScreenSnapshot {
  readonly version: 1;
  /** The offset of the first record that is not in the snapshot. */
  readonly offset: number;
  readonly columns: number;
  readonly rows: number;
  /** At most 1024 characters, without control characters. */
  readonly title: string;
  readonly cursor: CursorState;
  readonly modes: ScreenModes;
  /** The alternate screen is shown; the normal one is in `ansi` below it. */
  readonly isAlternate: boolean;
  readonly scrollbackLines: number;
  /** For a terminal of this size that was just reset: contents, modes, margins, tab stops, saved cursors, title. */
  readonly ansi: string;
  /** Bytes of a sequence that ends after `offset`; they follow `ansi`. */
  readonly pending: readonly number[];
}

/**
 * Returns the bytes that draw a snapshot on a terminal of the same size that was just reset. The output from `snapshot.offset` on follows
 * them.
 *
 * @example
 * ```ts
 * const screen = new Screen({ columns: 80, rows: 24 });
 * screen.feed(new TextEncoder().encode("hello"));
 * new TextDecoder().decode(snapshotBytes(screen.snapshot(5))); // ends in "hello" and what puts the cursor behind it
 * ```
 */
export function snapshotBytes(snapshot: ScreenSnapshot): Uint8Array {
  const text = new TextEncoder().encode(snapshot.ansi);
  const bytes = new Uint8Array(text.length + snapshot.pending.length);
  bytes.set(text);
  bytes.set(snapshot.pending, text.length);
  return bytes;
}
