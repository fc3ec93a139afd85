/** Messages between a live view and its worker thread. Those of one session are handled in order. */
import type { AgentFile } from "../core/agents/agent-file.ts";
import type { AnswerKeys } from "../core/dialogs/answer-keys.ts";
import type { SessionEventsOptions } from "../core/events/session-events.ts";
import type { Draft, Reader } from "../core/acting/draft.ts";
import type { ScreenSnapshot } from "../core/screen/snapshot.ts";
import type { ViewChange } from "../core/views/change.ts";
import type { ViewCheckpoint } from "../core/views/session-view.ts";

/**
 * A piece of a batch. The bytes of all pieces follow each other in the batch's `bytes`.
 * - `output`: `length` bytes of the program
 * - `resize`: the new size
 * - `gap`: part of the journal is missing, the screen starts empty
 * - `skip`: output that is not drawn, because it broke the emulator before or because the view is far behind
 * - `input`, `secret`: what was typed; `mark`, `exit`: JSON
 */
export interface BatchPiece {
  readonly type: "output" | "resize" | "gap" | "skip" | "input" | "secret" | "mark" | "exit";
  /** Offset of its first byte. */
  readonly offset: number;
  /** How many of the batch's bytes are its own: 0 for a resize and a gap. */
  readonly length: number;
  readonly timeUs: number;
  /** For `resize`. */
  readonly columns: number;
  readonly rows: number;
}

export type ToWorker =
  /** Users' own agent files, for the views of all sessions. */
  | { readonly type: "agents"; readonly id: 0; readonly files: readonly AgentFile[] }
  | {
      readonly type: "open";
      readonly id: number;
      readonly columns: number;
      readonly rows: number;
      readonly scrollbackLinesMax: number;
      readonly isFolded: boolean;
      readonly markNonce: string | null;
      readonly agent: string | null;
      readonly events: SessionEventsOptions;
      /** Offset of the first record that will be fed without a checkpoint. */
      readonly from: number;
      readonly checkpoint: ViewCheckpoint | null;
    }
  | {
      readonly type: "feed";
      readonly id: number;
      /** Where the batch starts. One that does not start where the view is was sent before its sender knew of a cut: it is dropped. */
      readonly from: number;
      readonly pieces: readonly BatchPiece[];
      readonly bytes: Uint8Array;
      /** Where the next batch starts. */
      readonly next: number;
    }
  /** The worker reads the journal itself and draws nothing; for a flood. */
  | {
      readonly type: "skim";
      readonly id: number;
      readonly directory: string;
      readonly from: number;
      /** The journal is whole up to it. */
      readonly end: number;
      /** Not skimmed: so much before `end`. */
      readonly leftBytes: number;
      /** The flood seems to be over: `leftBytes` counts output only, and not what was typed behind it, which costs a read of the end. */
      readonly isLast: boolean;
    }
  /** Everything written so far has been fed: from here on the clock gives the time. */
  | { readonly type: "tail"; readonly id: number }
  /** The answer to `due`: everything that was written before `nowUs` has been fed. */
  | { readonly type: "tick"; readonly id: number; readonly nowUs: number }
  | { readonly type: "snapshot"; readonly id: number; readonly request: number }
  | { readonly type: "checkpoint"; readonly id: number; readonly request: number }
  | { readonly type: "text"; readonly id: number; readonly request: number; readonly scrollback: boolean }
  | { readonly type: "draft"; readonly id: number; readonly request: number }
  | {
      readonly type: "keys";
      readonly id: number;
      readonly request: number;
      readonly approval: string;
      readonly option: string;
    }
  | { readonly type: "close"; readonly id: number };

export interface Reply {
  /** End of the output that asked. */
  readonly offset: number;
  readonly timeUs: number;
  readonly bytes: Uint8Array;
}

/** Keys that answer a question now; null if there are none. */
export interface KeysNow {
  readonly keys: AnswerKeys | null;
  /** Why nobody is known to read the answer to what the screen asks; null if somebody does, and if it asks nothing. */
  readonly whyUnread: string | null;
  /** How the program wants its arrows, see `KeyOptions`. */
  readonly applicationCursor: boolean;
  /** Who takes them. */
  readonly reader: Reader;
}

/** Plain text of the screen, and the offset that it belongs to. */
export interface TextNow {
  readonly text: string;
  readonly offset: number;
}

export type FromWorker =
  | {
      readonly type: "fed";
      readonly id: number;
      readonly next: number;
      /** The batch was too expensive: from `next` on it was dropped, with all batches behind it. */
      readonly isCut: boolean;
      /** Processor time of the emulator for what was drawn. */
      readonly spentMs: number;
      /** An agent's messages are read off the screen. */
      readonly readsAgent: boolean;
      readonly replies: readonly Reply[];
      readonly changes: readonly ViewChange[];
    }
  | ({ readonly type: "keys"; readonly id: number; readonly request: number } & KeysNow)
  | { readonly type: "draft"; readonly id: number; readonly request: number; readonly draft: Draft }
  /** The clock has something to do, unless the journal has more: answered by a `tick`, or by what was not fed yet. */
  | { readonly type: "due"; readonly id: number }
  /** Time has passed. */
  | { readonly type: "changed"; readonly id: number; readonly changes: readonly ViewChange[] }
  | {
      readonly type: "checkpoint";
      readonly id: number;
      readonly request: number;
      readonly checkpoint: ViewCheckpoint;
      /** After this time the clock alone changes something; null if it never does. */
      readonly wakeMs: number | null;
    }
  | { readonly type: "snapshot"; readonly id: number; readonly request: number; readonly snapshot: ScreenSnapshot }
  | ({ readonly type: "text"; readonly id: number; readonly request: number } & TextNow)
  /** The emulator threw between the offsets; the session's screen is gone. */
  | {
      readonly type: "broken";
      readonly id: number;
      readonly from: number;
      readonly to: number;
      readonly message: string;
    };

export type AnswerTo<Type extends FromWorker["type"]> = Extract<FromWorker, { readonly type: Type }>;

export const isOfType = <Type extends FromWorker["type"]>(answer: FromWorker, type: Type): answer is AnswerTo<Type> =>
  answer.type === type;

/** Bytes of output between two progress reports: what is skipped if they hang the emulator. */
export const sliceBytes = 4096;

/**
 * What the main thread can see of a worker that does not answer. The worker writes before each slice, the main thread only reads.
 * A worker hangs if it is busy and `count` does not change.
 */
export class Progress {
  readonly buffer: SharedArrayBuffer;
  readonly #integers: Int32Array;
  readonly #offsets: Float64Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(32)) {
    this.buffer = buffer;
    this.#integers = new Int32Array(buffer, 0, 4);
    this.#offsets = new Float64Array(buffer, 16, 2);
  }

  /** The kernel's number of the worker's thread, with which its processor time is read; 0 if unknown. */
  get thread(): number {
    return Atomics.load(this.#integers, 3);
  }

  set thread(number: number) {
    Atomics.store(this.#integers, 3, number);
  }

  /** Work on `from` to `to` of a session starts; equal if it is not on output. */
  start(id: number, from: number, to: number): void {
    this.#offsets[0] = from;
    this.#offsets[1] = to;
    Atomics.store(this.#integers, 2, id);
    Atomics.add(this.#integers, 1, 1);
    Atomics.store(this.#integers, 0, 1);
  }

  end(): void {
    Atomics.store(this.#integers, 0, 0);
  }

  get isBusy(): boolean {
    return Atomics.load(this.#integers, 0) === 1;
  }

  get count(): number {
    return Atomics.load(this.#integers, 1);
  }

  /** What the worker is working on. */
  get at(): { readonly id: number; readonly from: number; readonly to: number } {
    return { id: Atomics.load(this.#integers, 2), from: this.#offsets[0] ?? 0, to: this.#offsets[1] ?? 0 };
  }
}
