/**
 * Everything that is read off one session, from the records of its journal: the screen, and what the folds make of it.
 *
 * Law: the same records give the same changes at any chunking, live or from a recording. Time is that of the records; between two
 * of them the folds are woken at the times they asked for, so a live session, whose clock calls `advance`, sees what a replay sees.
 */
import type { AnswerKeys } from "../dialogs/answer-keys.ts";
import type { Step } from "../observe/step.ts";
import { mayRead } from "../records.ts";
import type { Draft, Reader } from "../acting/draft.ts";
import { FrameReader, type Frame, type FrameReaderState } from "../screen/frame.ts";
import { Screen } from "../screen/screen.ts";
import type { ScreenSnapshot } from "../screen/snapshot.ts";
import { OscReader, type OscReaderState, type OscSequence } from "../text/osc-reader.ts";
import { withoutRest } from "../vt/sequence-rest.ts";
import type { ViewChange } from "./change.ts";
import { CHECKPOINT_VERSION } from "./checkpoint-version.ts";
import { SessionReducers, type SessionReducersOptions, type SessionReducersState } from "./session-reducers.ts";

/** Size of the screen, the agents that are known, and where to continue. */
export interface SessionViewOptions extends SessionReducersOptions {
  readonly columns: number;
  readonly rows: number;
  /** Default 1000. */
  readonly scrollbackLinesMax?: number;
  /** Default true; false gives a screen and nothing else, at less cost. */
  readonly isFolded?: boolean;
  /** Go on where another view stood. Throws a `RangeError` for one of another version. */
  readonly checkpoint?: ViewCheckpoint;
}

/** A view at one offset as plain data. A checkpoint of another version is refused: rebuild the view from the journal. */
export interface ViewCheckpoint {
  readonly version: typeof CHECKPOINT_VERSION;
  /** Where the records go on. */
  readonly offset: number;
  /** When the clock alone changes something, microseconds since the Unix epoch; null if it never does. */
  readonly wakeUs: number | null;
  readonly screen: ScreenSnapshot;
  /** The next output is from an unknown place on. */
  readonly isBehindGap: boolean;
  /** Null for a view that is only a screen. */
  readonly folds: {
    readonly frames: FrameReaderState;
    readonly osc: OscReaderState;
    readonly state: SessionReducersState;
  } | null;
}

/** The result of one record. */
export interface ViewReading {
  readonly changes: readonly ViewChange[];
  /** To be written to the program, where this view is the one that answers. */
  readonly replies: readonly Uint8Array[];
}

type ForegroundStep = Extract<Step, { readonly type: "foreground" }>;

const nothing: ViewReading = { changes: [], replies: [] };

/**
 * The views of one session: feed it the records of a journal, it returns the changes of status, messages, approvals and events.
 * Times are in microseconds since the Unix epoch; call `advance` when `wakeUs` is reached. `dispose` frees the screen.
 *
 * @example
 * ```ts
 * const view = new SessionView({ columns: 80, rows: 24 });
 * view.step({ type: "start", command: ["codex"], offset: 0, timeUs: 0 });
 * const { changes } = view.output(bytes, 0, 1_000);
 * ```
 */
export class SessionView {
  readonly screen: Screen;
  readonly #frames: FrameReader | null;
  readonly #osc = new OscReader();
  #isBehindGap: boolean;
  readonly #reducers: SessionReducers;
  /** The next frame is the first that is read by other rules. */
  #hasNewRules = false;

  constructor(options: SessionViewOptions) {
    const { checkpoint, scrollbackLinesMax = 1000, isFolded = true, markNonce = null } = options;
    const version: number = checkpoint?.version ?? CHECKPOINT_VERSION;
    if (version !== CHECKPOINT_VERSION)
      throw new RangeError(`Cannot read a checkpoint of version ${version}: wanted ${CHECKPOINT_VERSION}`);
    const { frames, osc, state } = checkpoint?.folds ?? {};
    this.screen =
      checkpoint === undefined
        ? new Screen({ columns: options.columns, rows: options.rows, scrollbackLinesMax })
        : Screen.restore(checkpoint.screen, {
            scrollbackLinesMax,
            ...(frames === undefined ? {} : { topLine: frames.topLine }),
          });
    this.#frames = isFolded ? new FrameReader(this.screen, { markNonce }) : null;
    if (frames !== undefined) this.#frames?.restore(frames);
    if (osc !== undefined) this.#osc.restore(osc);
    this.#isBehindGap = checkpoint?.isBehindGap ?? false;
    this.#reducers = new SessionReducers(options, state);
  }

  /** When `advance` has something to do; null where time alone changes nothing. */
  get wakeUs(): number | null {
    if (this.#frames === null) return null;
    return earliest(this.#frames.wakeUs, this.#reducers.wakeUs);
  }

  /** The screen as it is now. */
  get frame(): Frame {
    return (this.#frames ?? new FrameReader(this.screen)).now;
  }

  /** The keys that lead to an answer now; null if the approval is not open, or is not answered by keys. */
  keysFor(approval: string, option: string): AnswerKeys | null {
    return this.#reducers.keysFor(approval, option, this.frame);
  }

  /** Why nobody is known to read the answer to what the screen asks; null if somebody does, and if it asks nothing. */
  get whyUnread(): string | null {
    return this.#reducers.whyUnread(this.frame);
  }

  /** Who takes what is typed. */
  get reader(): Reader {
    return this.#reducers.reader;
  }

  /** What the kernel reported last about the program in the foreground. */
  get foreground(): SessionReducers["foreground"] {
    return this.#reducers.foreground;
  }

  /** An agent's messages are read off the screen: what is not drawn is lost to them. */
  get readsAgent(): boolean {
    return this.#frames !== null && this.#reducers.isAgent;
  }

  /** What was typed and not entered. */
  get draft(): Draft {
    return this.#reducers.draft(this.frame);
  }

  /** Reads the screen again if it is all shown, for example by other rules; what it showed before changes nothing. */
  reread(): ViewChange[] {
    this.#hasNewRules = true;
    return this.#frames === null || this.#frames.isBehind ? [] : this.#stepFrames([this.#frames.now]);
  }

  /** Nothing came until `timeUs`. */
  advance(timeUs: number): ViewChange[] {
    const changes: ViewChange[] = [];
    for (let wakeUs = this.wakeUs; wakeUs !== null && wakeUs <= timeUs; wakeUs = this.#nextWake(wakeUs)) {
      changes.push(...this.#stepFrames(this.#frames?.settle(wakeUs) ?? []));
      if ((this.#reducers.wakeUs ?? Infinity) <= wakeUs)
        changes.push(...this.#reducers.step({ type: "tick", timeUs: wakeUs }));
    }
    return changes;
  }

  output(bytes: Uint8Array, offset: number, timeUs: number): ViewReading {
    const shown = this.#isBehindGap ? withoutRest(bytes) : bytes;
    this.#isBehindGap &&= bytes.length === 0;
    if (this.#frames === null) {
      const reply = this.screen.feed(shown);
      return reply.length === 0 ? nothing : { changes: [], replies: [reply] };
    }
    const changes = this.advance(timeUs);
    const { frames, replies } = this.#frames.output(shown, offset + bytes.length - shown.length, timeUs);
    changes.push(...this.#outputChanges({ bytes, offset, timeUs }, frames));
    return { changes, replies };
  }

  /** Output that is not to be drawn, because it broke the emulator or because the view is far behind. */
  undrawn(bytes: Uint8Array, offset: number, timeUs: number): ViewChange[] {
    if (this.#frames === null) return [];
    const changes = this.advance(timeUs);
    return [...changes, ...this.#outputChanges({ bytes, offset, timeUs }, [])];
  }

  /** What is shown stays, but what was begun is not continued. */
  skip(): void {
    this.screen.skip();
    this.#isBehindGap = true;
  }

  resize(columns: number, rows: number, timeUs: number): ViewChange[] {
    if (this.#frames === null) {
      this.screen.resize(columns, rows);
      return [];
    }
    return [...this.advance(timeUs), ...this.#stepFrames(this.#frames.resize(columns, rows))];
  }

  /** Bytes are missing: the screen starts anew. */
  gap(offset: number, timeUs: number): ViewChange[] {
    this.#isBehindGap = true;
    if (this.#frames === null) {
      this.screen.gap();
      return [];
    }
    const changes = this.advance(timeUs);
    this.#osc.gap();
    return [
      ...changes,
      ...this.#stepFrames(this.#frames.gap()),
      ...this.#reducers.step({ type: "gap", offset, timeUs }),
    ];
  }

  /** A start, an input, a mark or the exit. */
  step(step: Extract<Step, { type: "start" | "input" | "foreground" | "mark" | "exit" }>): ViewChange[] {
    if (this.#frames === null) return [];
    const changes = this.advance(step.timeUs);
    // Nothing follows the exit: what stands there is the last frame.
    if (step.type === "exit") changes.push(...this.#stepFrames(this.#frames.settle(Infinity)));
    changes.push(...this.#reducers.step(step.type === "foreground" ? this.#withFrame(step, this.#frames) : step));
    return changes;
  }

  checkpoint(offset: number): ViewCheckpoint {
    const folds =
      this.#frames === null
        ? null
        : { frames: this.#frames.save(), osc: this.#osc.save(), state: this.#reducers.save() };
    return {
      version: CHECKPOINT_VERSION,
      offset,
      wakeUs: this.wakeUs,
      screen: this.screen.snapshot(offset),
      isBehindGap: this.#isBehindGap,
      folds,
    };
  }

  dispose(): void {
    this.screen.dispose();
  }

  /** A fold that asks for a time that is over has been asked once for it: time goes on. */
  #nextWake(wokenUs: number): number | null {
    const { wakeUs } = this;
    return wakeUs === null || wakeUs > wokenUs ? wakeUs : null;
  }

  /** A program may be seen to read later than what it asks. */
  #withFrame(step: ForegroundStep, frames: FrameReader): ForegroundStep {
    const { verdict, offset, timeUs } = step;
    return mayRead(verdict) && !frames.isBehind ? { ...step, frame: { ...frames.now, offset, timeUs } } : step;
  }

  #stepFrames(frames: readonly Frame[]): ViewChange[] {
    return frames.flatMap((frame) => {
      const hasNewRules = this.#hasNewRules;
      this.#hasNewRules = false;
      return this.#reducers.step({ type: "frame", frame, hasNewRules });
    });
  }

  #outputChanges(
    { bytes, offset, timeUs }: { readonly bytes: Uint8Array; readonly offset: number; readonly timeUs: number },
    frames: readonly Frame[],
  ): ViewChange[] {
    const events = this.#reducers.output(bytes, offset, timeUs);
    return inOrder(events, this.#stepAll(frames, this.#osc.feed(bytes, offset), timeUs));
  }

  /** Sequences and frames in the order of their offsets. */
  #stepAll(frames: readonly Frame[], sequences: readonly OscSequence[], timeUs: number): ViewChange[] {
    const changes: ViewChange[] = [];
    let next = 0;
    for (const frame of frames) {
      for (; (sequences[next]?.end ?? Infinity) <= frame.offset; next += 1)
        changes.push(...this.#stepOsc(sequences[next], timeUs));
      changes.push(...this.#stepFrames([frame]));
    }
    for (; next < sequences.length; next += 1) changes.push(...this.#stepOsc(sequences[next], timeUs));
    return changes;
  }

  #stepOsc(sequence: OscSequence | undefined, timeUs: number): readonly ViewChange[] {
    if (sequence === undefined) return [];
    return this.#reducers.step({ type: "osc", sequence, timeUs });
  }
}

/** Both lists as one, by offset; at the same one the events come first. */
function inOrder(events: readonly ViewChange[], changes: readonly ViewChange[]): ViewChange[] {
  if (events.length === 0) return [...changes];
  const merged: ViewChange[] = [];
  let next = 0;
  for (const change of changes) {
    for (let event = events[next]; event !== undefined && event.offset <= change.offset; event = events[next]) {
      merged.push(event);
      next += 1;
    }
    merged.push(change);
  }
  return [...merged, ...events.slice(next)];
}

function earliest(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}
