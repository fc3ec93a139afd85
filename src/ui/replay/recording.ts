/** A recording in memory: its frames by offset, and marks for the timeline. Pure. */
import type { SessionRecord } from "../../client.ts";
import { isWithdrawn } from "../../core/chat/withdrawn.ts";
import type { ViewChange } from "../../core/views/change.ts";
import { SequenceRest } from "../../core/vt/sequence-rest.ts";

/** A record that changes the screen. */
export type ReplayFrame =
  | { readonly type: "output"; readonly offset: number; readonly timeUs: number; readonly bytes: Uint8Array }
  | {
      readonly type: "resize";
      readonly offset: number;
      readonly timeUs: number;
      readonly columns: number;
      readonly rows: number;
    };

export interface TimelineMark {
  readonly kind: "input" | "gap" | "marker" | "exit" | "message" | "question" | "event" | "status";
  readonly atMs: number;
  readonly offset: number;
  readonly text: string;
  /** Its key in the conversation, see `anchorOf`; undefined if it is not part of it. */
  readonly key?: string;
}

type ChangeMark = Pick<TimelineMark, "kind" | "text" | "offset" | "key"> & { readonly timeUs: number };

/** A time of a recording that an address can name: an offset and the microseconds after it. */
export interface ReplayPlace {
  readonly offset: number;
  readonly plusUs: number;
}

/** Of marks at the same time, the one that is last in this list is shown. */
const MARK_ORDER: readonly TimelineMark["kind"][] = [
  "input",
  "status",
  "gap",
  "marker",
  "event",
  "message",
  "exit",
  "question",
];
const WORDS_CHARS_MAX = 80;

/** States that the timeline shows, most urgent first. */
const NOTED_STATES = ["blocked", "waiting", "working"] as const;
export type NotedState = (typeof NOTED_STATES)[number];
const notedState = (state: string): NotedState | undefined => NOTED_STATES.find((noted) => noted === state);

/** The mark of a change, at the beginning of what has changed. Undefined if the timeline does not show it. */
function markOf(change: ViewChange): ChangeMark | undefined {
  switch (change.kind) {
    case "approval": {
      const { id, question, offset, timeUs } = change.approval;
      return { kind: "question", key: `approval ${id}`, text: question, offset, timeUs };
    }
    case "event": {
      const { id, name, offset } = change.event;
      return { kind: "event", key: `event ${id}`, text: name, offset, timeUs: change.timeUs };
    }
    case "message": {
      const { id, role, text, shell, offset, timeUs } = change.message;
      const isShown = role === "user" || role === "assistant" || role === "shell" || role === "tool-call";
      if (!isShown || isWithdrawn(change.message)) return undefined;
      const words = `${role}: ${(shell?.command ?? text).slice(0, WORDS_CHARS_MAX)}`;
      return { kind: "message", key: `message ${id}`, text: words, offset, timeUs };
    }
    case "status": {
      const { state, summary, offset, sinceUs } = change.status;
      if (notedState(state) === undefined) return undefined;
      return { kind: "status", text: summary === "" ? state : `${state}: ${summary}`, offset, timeUs: sinceUs };
    }
    case "usage":
    case "intents":
    case "conversation":
      return undefined;
  }
}

export class Recording {
  readonly frames: ReplayFrame[] = [];
  readonly marks: TimelineMark[] = [];
  readonly #states: { readonly atMs: number; readonly state: NotedState | undefined }[] = [];
  readonly #rest = new SequenceRest();
  #startUs: number | undefined;
  #endUs = 0;
  #lastInputMs = -Infinity;

  /** Adds the changes of the session's views, of which only the last per id is given. */
  feedChanges(changes: readonly ViewChange[]): void {
    for (const change of changes) {
      if (change.kind === "status") {
        const { state, sinceUs } = change.status;
        this.#states.push({ atMs: Math.max(0, this.atMs(sinceUs)), state: notedState(state) });
      }
      const mark = markOf(change);
      if (mark === undefined) continue;
      const { timeUs, ...rest } = mark;
      this.marks.push({ ...rest, atMs: Math.max(0, this.atMs(timeUs)) });
    }
    this.marks.sort(
      (first, second) => first.atMs - second.atMs || MARK_ORDER.indexOf(first.kind) - MARK_ORDER.indexOf(second.kind),
    );
    this.#states.sort((first, second) => first.atMs - second.atMs);
  }

  /** The last mark at or before a time. */
  markAt(timeMs: number): TimelineMark | undefined {
    return this.marks.findLast(({ atMs }) => atMs <= timeMs);
  }

  /** The mark before the one at `timeMs`, or the last mark if `timeMs` is between two marks. */
  markBefore(timeMs: number): TimelineMark | undefined {
    const current = this.markAt(timeMs);
    if (current === undefined || timeMs > current.atMs) return current;
    return this.markAt(this.marks.findLast(({ atMs }) => atMs < current.atMs)?.atMs ?? -1);
  }

  markAfter(timeMs: number): TimelineMark | undefined {
    const next = this.marks.find(({ atMs }) => atMs > timeMs);
    return next === undefined ? undefined : this.markAt(next.atMs);
  }

  feed(records: readonly SessionRecord[]): void {
    for (const record of records) this.#take(record);
  }

  get durationMs(): number {
    return this.#startUs === undefined ? 0 : (this.#endUs - this.#startUs) / 1000;
  }

  /** Start of the recording in milliseconds since 1970. */
  get startedAtMs(): number {
    return (this.#startUs ?? 0) / 1000;
  }

  atMs(timeUs: number): number {
    return (timeUs - (this.#startUs ?? timeUs)) / 1000;
  }

  /** The number of frames at or before a time. */
  indexAt(timeMs: number): number {
    let low = 0;
    let high = this.frames.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const frame = this.frames[middle];
      if (frame !== undefined && this.atMs(frame.timeUs) <= timeMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The time of the frame that contains an offset. */
  timeOfOffset(offset: number): number {
    const found = this.frames.findLast((frame) => frame.offset <= offset);
    return found === undefined ? 0 : this.atMs(found.timeUs);
  }

  /** A time in a form for addresses. `timeOf` returns exactly the same time, so that the same frames are drawn. */
  placeAt(timeMs: number): ReplayPlace {
    const offset = this.frames[this.indexAt(timeMs) - 1]?.offset ?? 0;
    return { offset, plusUs: inUs(timeMs) - inUs(this.timeOfOffset(offset)) };
  }

  timeOf({ offset, plusUs }: ReplayPlace): number {
    return (inUs(this.timeOfOffset(offset)) + plusUs) / 1000;
  }

  /** The marks that can be distinguished: at most one of each kind in each of `count` equal intervals. */
  marksIn(count: number): TimelineMark[] {
    const taken = new Set<string>();
    return this.marks.filter(({ kind, atMs }) => {
      const place = `${kind} ${this.#column(atMs, count)}`;
      return !taken.has(place) && taken.add(place);
    });
  }

  /** The most urgent state in each of `count` equal intervals; undefined if none of the shown ones. */
  states(count: number): (NotedState | undefined)[] {
    const columns: (NotedState | undefined)[] = Array.from({ length: count }, () => undefined);
    for (const [index, { atMs, state }] of this.#states.entries()) {
      if (state === undefined) continue;
      const last = this.#column(this.#states[index + 1]?.atMs ?? this.durationMs, count);
      for (let column = this.#column(atMs, count); column <= last; column += 1) {
        columns[column] = moreUrgent(columns[column], state);
      }
    }
    return columns;
  }

  /** Bytes of output in each of `count` equal intervals. */
  volume(count: number): number[] {
    const sums = Array.from({ length: count }, () => 0);
    for (const frame of this.frames) {
      if (frame.type !== "output") continue;
      const index = this.#column(this.atMs(frame.timeUs), count);
      sums[index] = (sums[index] ?? 0) + frame.bytes.length;
    }
    return sums;
  }

  #column(atMs: number, count: number): number {
    return Math.min(count - 1, Math.floor((atMs / Math.max(1, this.durationMs)) * count));
  }

  #take(record: SessionRecord): void {
    // The beginning was trimmed.
    if (this.#startUs === undefined && record.offset > 0) this.#rest.begin();
    this.#startUs ??= record.timeUs;
    this.#endUs = Math.max(this.#endUs, record.timeUs);
    const { offset, timeUs } = record;
    const atMs = this.atMs(timeUs);
    switch (record.type) {
      case "output":
        this.frames.push({ type: "output", offset, timeUs, bytes: this.#rest.strip(record.bytes) });
        return;
      case "resize":
        this.frames.push({ type: "resize", offset, timeUs, columns: record.columns, rows: record.rows });
        return;
      case "input":
        // One mark for keys in quick succession.
        if (atMs - this.#lastInputMs > 1000) this.marks.push({ kind: "input", atMs, offset, text: "Typed" });
        this.#lastInputMs = atMs;
        return;
      case "gap":
        this.#rest.begin();
        this.marks.push({ kind: "gap", atMs, offset, text: `Records are missing (${record.gap.reason})` });
        return;
      case "exit":
        this.marks.push({ kind: "exit", atMs, offset, text: "The program ended" });
        return;
      case "mark": {
        const { event } = record;
        if (event.type === "session-start") {
          this.frames.push({ type: "resize", offset, timeUs, columns: event.columns, rows: event.rows });
        } else if (event.type === "marker") {
          this.marks.push({ kind: "marker", atMs, offset, text: event.label });
        }
      }
    }
  }
}

const inUs = (timeMs: number): number => Math.round(timeMs * 1000);

const moreUrgent = (one: NotedState | undefined, other: NotedState): NotedState =>
  NOTED_STATES.find((state) => state === one || state === other) ?? other;
