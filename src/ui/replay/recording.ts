/** A recording in memory: its frames in the order of their offsets, and where something happened. Pure: records in, answers out. */
import type { SessionRecord } from "../../client.ts";
import type { ViewChange } from "../../core/views/change.ts";

/** What changes the screen. */
export type Frame =
  | { readonly type: "output"; readonly offset: number; readonly timeUs: number; readonly bytes: Uint8Array }
  | {
      readonly type: "resize";
      readonly offset: number;
      readonly timeUs: number;
      readonly columns: number;
      readonly rows: number;
    };

export interface TimelineMark {
  readonly kind: "input" | "gap" | "marker" | "exit" | "message" | "question" | "event";
  readonly atMs: number;
  readonly offset: number;
  readonly text: string;
  /** For what is told more than once. */
  readonly key?: string;
}

const WORDS_CHARS_MAX = 80;

/** Undefined for what is no news on a time line. */
function markOf(change: ViewChange): Pick<TimelineMark, "kind" | "text" | "key"> | undefined {
  switch (change.kind) {
    case "approval":
      return { kind: "question", key: change.approval.id, text: change.approval.question };
    case "event":
      return { kind: "event", key: change.event.id, text: change.event.name };
    case "message": {
      const { id, role, text } = change.message;
      const isTold = role === "user" || role === "assistant" || role === "shell" || role === "tool-call";
      return isTold ? { kind: "message", key: id, text: `${role}: ${text.slice(0, WORDS_CHARS_MAX)}` } : undefined;
    }
    case "status":
    case "usage":
      return undefined;
  }
}

export class Recording {
  readonly frames: Frame[] = [];
  readonly marks: TimelineMark[] = [];
  #startUs: number | undefined;
  #endUs = 0;
  #lastInputMs = -Infinity;

  /** What the views of the session tell, at the times of its records. */
  feedChanges(changes: readonly ViewChange[]): void {
    for (const change of changes) {
      const mark = markOf(change);
      if (mark === undefined || this.marks.some(({ key }) => key === mark.key)) continue;
      this.marks.push({ ...mark, atMs: Math.max(0, this.atMs(change.timeUs)), offset: change.offset });
    }
  }

  feed(records: readonly SessionRecord[]): void {
    for (const record of records) this.#take(record);
  }

  get durationMs(): number {
    return this.#startUs === undefined ? 0 : (this.#endUs - this.#startUs) / 1000;
  }

  /** When the recording starts, milliseconds since 1970. */
  get startedAtMs(): number {
    return (this.#startUs ?? 0) / 1000;
  }

  atMs(timeUs: number): number {
    return (timeUs - (this.#startUs ?? timeUs)) / 1000;
  }

  /** How many frames are at or before a time. */
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

  /** The time of the frame that holds an offset, or of the next one. */
  timeOfOffset(offset: number): number {
    const found = this.frames.findLast((frame) => frame.offset <= offset);
    return found === undefined ? 0 : this.atMs(found.timeUs);
  }

  /** Bytes of output in each of `count` equal stretches of the time. */
  volume(count: number): number[] {
    const sums = Array.from({ length: count }, () => 0);
    const length = Math.max(1, this.durationMs);
    for (const frame of this.frames) {
      if (frame.type !== "output") continue;
      const index = Math.min(count - 1, Math.floor((this.atMs(frame.timeUs) / length) * count));
      sums[index] = (sums[index] ?? 0) + frame.bytes.length;
    }
    return sums;
  }

  #take(record: SessionRecord): void {
    this.#startUs ??= record.timeUs;
    this.#endUs = Math.max(this.#endUs, record.timeUs);
    const { offset, timeUs } = record;
    const atMs = this.atMs(timeUs);
    switch (record.type) {
      case "output":
        this.frames.push({ type: "output", offset, timeUs, bytes: record.bytes });
        return;
      case "resize":
        this.frames.push({ type: "resize", offset, timeUs, columns: record.columns, rows: record.rows });
        return;
      case "input":
        // One mark for a word, not one for each key.
        if (atMs - this.#lastInputMs > 1000) this.marks.push({ kind: "input", atMs, offset, text: "Typed" });
        this.#lastInputMs = atMs;
        return;
      case "gap":
        this.marks.push({ kind: "gap", atMs, offset, text: `Something is missing (${record.gap.reason})` });
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
