import type { ViewChange } from "../core/views/change.ts";
import type { SessionViewOptions, ViewCheckpoint } from "../core/views/session-view.ts";
import type { JournalRecord } from "../protocol/records.ts";

/** Where the records come from: the journal. An empty result is the end; `wake` reports that there is more. */
export interface ViewSource {
  /** Whole records from `from`, which starts a record, `bytesMax` or one record; the first one is after `from` if the journal was trimmed. */
  read(from: number, bytesMax: number): readonly JournalRecord[] | Promise<readonly JournalRecord[]>;
  /** The current end of the journal; a view that is far behind it skims. */
  readonly end?: number;
  /** Moves `end` behind what is written by now, also if nobody has reported it. */
  readonly refresh?: () => void;
  /** The journal's directory, from which the worker reads a flood itself, at no cost for the main thread. */
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
  /** Output that was not drawn, because it broke the emulator or the view was far behind; more than 0 means a degraded screen. */
  readonly bytesSkipped: number;
  /** A flood is read and not drawn: the screen is the one before it. */
  readonly isFlooded: boolean;
  readonly rebuilds: number;
  /** The reason of the last rebuild or failure; empty if there was none. */
  readonly message: string;
}

/** The size is that at the start: `resize` records change it. A view continues from its checkpoint, at the offset of that. */
export interface LiveViewOptions extends Omit<SessionViewOptions, "agents"> {
  readonly source: ViewSource;
  /** Where to read from without a snapshot. Default 0. */
  readonly from?: number;
  /** The agent that the program is. Default null: the command decides. */
  readonly agent?: string | null;
  /** What was saved when the view was put away; undefined if that is lost. */
  readonly restore?: () => Promise<ViewCheckpoint | undefined>;
  /** Whether the view begins away where its checkpoint is as far as the journal: it was read by the same rules. Default false. */
  readonly mayBeginAway?: boolean;
  /** Whether this emulator answers the program's questions; only one emulator may. Default false. */
  readonly answer?: boolean;
  /** Questions before this offset are never answered, so that a replay answers nothing. Default: where it starts. */
  readonly answerFrom?: number;
  /** Later answers are not given: another program might read them. Default 10,000, which a busy machine may need. */
  readonly replyAgeMsMax?: number;
  /** Bytes to write to the pty, for who has output what ends at the offset. */
  readonly onReply?: (bytes: Uint8Array, asked: number) => void;
  /** What the view reports. After a rebuild some of it is repeated: a change replaces the previous one with its id. */
  readonly onChanges?: (changes: readonly ViewChange[]) => void;
}

/** Limits that all views of a pool share. */
export interface ViewLimits {
  /** Requested in one read. Default 65536. */
  readonly batchBytesMax: number;
  /** On its way to the worker for one session. Default 262144. */
  readonly inFlightBytesMax: number;
  /** A checkpoint is taken after this much output; after less when `checkpointMs` are over, after little when 15 times as long is. Default 4 MiB. */
  readonly checkpointBytes: number;
  /** Default 2000. */
  readonly checkpointMs: number;
  /** Breaks without a checkpoint in between after which a view fails. Default 16. */
  readonly strikesMax: number;
  /** A view that is further behind skims: it reads events and marks and draws nothing, until it is near the end. Default 8 MiB. */
  readonly behindBytesMax: number;
}
