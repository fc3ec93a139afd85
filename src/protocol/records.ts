/**
 * What a journal holds. Ordering law: offsets start at 0, never go back, and a record takes exactly
 * `payload.length` of the offset space, so `next = offset + payload.length` is where the next record starts and
 * where a reader resumes. One offset space for bytes and events: an output byte and an event are never at the same offset.
 */
import type { ForegroundVerdict } from "../core/events/foreground.ts";
import type { EventTrust } from "../core/events/tagged-event.ts";
import type { WireToolCallEvent } from "./wire-call.ts";
import type { WireEvent } from "./wire-events.ts";

/**
 * - `output`: bytes as the pty gave them
 * - `input`: bytes as they were written to the pty; masked byte by byte where the flag `secret` is set
 * - `resize`: 4 bytes, columns and rows as u16 big-endian
 * - `mark`: an event about the session, JSON, see `SessionEvent`
 * - `exit`: JSON, see `ExitStatus`; the last record of a journal
 * - `gap`: JSON, see `GapNotice`; stands where something is missing
 */
export type RecordType = "output" | "input" | "resize" | "mark" | "exit" | "gap";

/** One entry of a journal. `payload` is never empty. */
export interface JournalRecord {
  readonly offset: number;
  /** Microseconds since the Unix epoch, never less than the record before. */
  readonly timeUs: number;
  readonly type: RecordType;
  /** Only ever true for `input`: the payload is masked. */
  readonly secret: boolean;
  readonly payload: Uint8Array;
}

/** How a program ended. `lost`: nobody saw it end (the machine or the pty host went away). */
export type ExitStatus =
  | { readonly reason: "exited"; readonly code: number; readonly signal: null }
  | { readonly reason: "signaled"; readonly code: null; readonly signal: string }
  | { readonly reason: "lost"; readonly code: null; readonly signal: null };

/**
 * Why something is missing.
 * - `trimmed`: retention removed the offsets before `to`
 * - `host-lost`: the pty host ended without closing the journal; at most `bytesMax` bytes were read and not recorded
 * - `torn`: `bytesMax` bytes at the end of the file were no whole record and were cut off
 * - `behind`: a reader was too slow and skips to `to`; the journal still holds what it skipped
 */
export type GapNotice =
  | { readonly reason: "trimmed" | "behind"; readonly from: number; readonly to: number }
  | { readonly reason: "host-lost" | "torn"; readonly bytesMax: number };

/** An event about a session, plain data, kept in `mark` records. Later floors add kinds; readers skip kinds they do not know. */
export type SessionEvent =
  | {
      readonly type: "session-start";
      readonly command: readonly string[];
      readonly columns: number;
      readonly rows: number;
      /** What `LECTERN_EVENT_NONCE` says in the session: a plain tag that has it is not an echo of somebody else's text. */
      readonly eventNonce?: string;
    }
  /** What the program in the foreground waits for has changed: the kernel's word. Nulls where it does not tell. */
  | {
      readonly type: "foreground";
      readonly verdict: ForegroundVerdict;
      readonly program: string | null;
      readonly pid: number | null;
      readonly echo: boolean | null;
      readonly canonical: boolean | null;
      /** Of a shell that reads: it runs a script and has no prompt. Absent for others and in what an earlier Lectern has written. */
      readonly runsScript?: boolean;
    }
  /** The next record is the input that was given this idempotency key; where it is not, nothing was typed. */
  | { readonly type: "input-key"; readonly key: string; readonly bytes: number }
  /** A program of the session sent an event over its socket. `pid` is null where the system does not name the sender. */
  | {
      readonly type: "event";
      readonly name: string;
      readonly payload: unknown;
      readonly carrier: "socket";
      readonly trust: EventTrust;
      readonly pid: number | null;
    }
  /** Events of this name are checked against this JSON Schema from here on. */
  | { readonly type: "event-schema"; readonly name: string; readonly schema: unknown }
  /** Somebody answers a question on the screen: the keys that follow are theirs. */
  | { readonly type: "approval-answer"; readonly approval: string; readonly option: string; readonly by: string }
  /** A prompt goes on to its next step; see `Receipt`. */
  | { readonly type: "prompt"; readonly key: string; readonly state: string }
  | { readonly type: "marker"; readonly label: string }
  | { readonly type: "recording-imported"; readonly format: string; readonly title: string | null }
  | WireToolCallEvent
  | WireEvent
  | { readonly type: "journal-degraded"; readonly message: string; readonly bytesLost: number };
