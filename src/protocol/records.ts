/**
 * The records of a journal; `core/records.ts` has its marks. Ordering law: offsets start at 0, never decrease, and a record takes exactly
 * `payload.length` of the offset space, so at `next = offset + payload.length` the next record starts and a reader resumes. One offset space for bytes and events: an output byte and an event are never at the same offset.
 */

/**
 * - `output`: bytes as read from the pty
 * - `input`: bytes as written to the pty; masked byte by byte if the flag `secret` is set
 * - `resize`: 4 bytes, columns and rows as u16 big-endian
 * - `mark`: an event about the session, JSON, see `SessionEvent` in `core/records.ts`
 * - `exit`: JSON, see `ExitStatus`; the last record of a journal
 * - `gap`: JSON, see `GapNotice`; in place of missing data
 */
export type RecordType = "output" | "input" | "resize" | "mark" | "exit" | "gap";

/** One entry of a journal. `payload` is never empty. */
export interface JournalRecord {
  readonly offset: number;
  /** Microseconds since the Unix epoch, never less than that of the record before. */
  readonly timeUs: number;
  readonly type: RecordType;
  /** Only ever true for `input`: the payload is masked. */
  readonly secret: boolean;
  readonly payload: Uint8Array;
}

/**
 * Who wanted a program to end, if anybody did. `request`: an operation of the daemon ended it, or sent the signal that did.
 * `keyboard`: the last thing that was typed, such as `exit` or Ctrl-D at its prompt. Missing if it ended by itself.
 */
export type EndCause = "request" | "keyboard";
interface Ended {
  readonly endedBy?: EndCause | undefined;
}

/** How a program ended. `lost`: the exit was not observed, because the machine or the pty host stopped first. */
export type ExitStatus =
  | (Ended & { readonly reason: "exited"; readonly code: number; readonly signal: null })
  | (Ended & { readonly reason: "signaled"; readonly code: null; readonly signal: string })
  | { readonly reason: "lost"; readonly code: null; readonly signal: null };

/**
 * Why something is missing.
 * - `trimmed`: retention removed the offsets before `to`
 * - `host-lost`: the pty host ended without closing the journal; at most `bytesMax` bytes were read and not recorded
 * - `torn`: `bytesMax` bytes at the end of the file were not a complete record and were removed
 * - `behind`: a reader was too slow and skips to `to`; the journal still has the skipped records
 * - `damaged`: the files no longer have these `bytes` = `to - from`: a record does not fit its checksum, or a segment is missing
 */
export type GapNotice =
  | { readonly reason: "trimmed" | "behind"; readonly from: number; readonly to: number }
  | { readonly reason: "damaged"; readonly from: number; readonly to: number; readonly bytes: number }
  | { readonly reason: "host-lost" | "torn"; readonly bytesMax: number };
