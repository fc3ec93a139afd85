/** What a live view is given, and what it says of itself. */
import type { ViewChange } from "../core/views/change.ts";
import type { ViewCheckpoint } from "../core/views/session-view.ts";
import type { JournalRecord } from "../protocol/records.ts";

/** Where the records come from: the journal. An empty result is the tail; `wake` says that there is more. */
export interface ViewSource {
  /** Whole records from `from`, which starts a record, `bytesMax` or one record; the first is behind `from` after a trim. */
  read(from: number, bytesMax: number): readonly JournalRecord[] | Promise<readonly JournalRecord[]>;
  /** Where the journal ends now; a view that is far behind it skims. */
  readonly end?: number;
  /** The journal's directory, from which the worker reads a flood itself, so that it costs the main thread nothing. */
  readonly directory?: string;
}

/**
 * - `live`: what is acknowledged is on the screen
 * - `rebuilding`: the thread was lost; questions wait
 * - `failed`: the source failed, or the emulator broke `strikesMax` times; questions are refused
 */
export interface ViewStatus {
  readonly state: "live" | "rebuilding" | "failed" | "closed";
  /** Everything before it is on the screen. */
  readonly offset: number;
  /** Output that was not drawn, because it broke the emulator or the view was far behind; more than 0 is a degraded screen. */
  readonly bytesSkipped: number;
  /** A flood is read and not drawn: the screen is that of before it. */
  readonly isFlooded: boolean;
  readonly rebuilds: number;
  /** Why the last rebuild or failure was; empty where there was none. */
  readonly message: string;
}

export interface LiveViewOptions {
  readonly source: ViewSource;
  /** Size at the start; `resize` records change it. */
  readonly columns: number;
  readonly rows: number;
  /** Where to read from without a snapshot. Default 0. */
  readonly from?: number;
  /** The nonce of the session's shell marks. Default null: no mark is trusted. */
  readonly markNonce?: string | null;
  /** The agent that the program is. Default null: the command shows it. */
  readonly agent?: string | null;
  /** Plain tags in the output have the trust `text`. Default false. */
  readonly trustsText?: boolean;
  /** Go on from it, at its offset. */
  readonly checkpoint?: ViewCheckpoint;
  /** What was kept when the view was put away; undefined where that is lost. */
  readonly restore?: () => Promise<ViewCheckpoint | undefined>;
  /** False for a screen without anything that is read off it. Default true. */
  readonly isFolded?: boolean;
  readonly scrollbackLinesMax?: number;
  /** Whether this emulator answers the program's questions; there must be only one that does. Default false. */
  readonly answer?: boolean;
  /** Questions before this offset are never answered: the tail at the time of opening, so that a replay answers nothing. Default: where it starts. */
  readonly answerFrom?: number;
  /** Answers that are later than this are not given: another program may read them. Default 10,000, as a busy machine may need. */
  readonly replyAgeMsMax?: number;
  /** To be written to the pty. */
  readonly onReply?: (bytes: Uint8Array) => void;
  /** What the view tells. After a rebuild some of it comes again: a change replaces the one before under its id. */
  readonly onChanges?: (changes: readonly ViewChange[]) => void;
}

/** Limits that all views of a pool share. */
export interface ViewLimits {
  /** What one read asks for. Default 65536. */
  readonly batchBytesMax: number;
  /** On its way to the worker for one session. Default 262144. */
  readonly inFlightBytesMax: number;
  /** A checkpoint is taken after so much output, or after `checkpointMs` where there was any. Default 4 MiB. */
  readonly checkpointBytes: number;
  /** Default 2000. */
  readonly checkpointMs: number;
  /** Breaks without a checkpoint in between, after which a screen is given up. Default 16. */
  readonly strikesMax: number;
  /** A view that is further behind skims: it looks for events and marks and draws nothing, until it is near the end. Default 8 MiB. */
  readonly behindBytesMax: number;
}
