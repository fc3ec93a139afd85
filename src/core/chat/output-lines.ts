/** What a command printed, line by line as it stands on the normal screen, of much of it the beginning and the end. */
import type { Frame } from "../screen/frame.ts";
import type { Writable } from "./message-log.ts";

export interface OutputLinesState {
  /** Number of the row that comes next of those that have not left the top. */
  readonly firstLine: number;
  /** Lines that have left the top; of the last one rows may still come. */
  readonly done: readonly string[];
  readonly omitted: number;
  readonly shown: readonly { readonly text: string; readonly isWrapped: boolean }[];
  readonly shownLine: number;
  readonly isIncomplete: boolean;
}

/** Of longer output so many lines are kept of its beginning and of its end. */
const linesKept = 500;
const nothingPrinted = { done: [], omitted: 0, shown: [], isIncomplete: false };

export class OutputLines {
  readonly #state: Writable<Omit<OutputLinesState, "done">>;
  readonly #done: string[];

  /** `state`: what another one saved, or the number of the first row. */
  constructor(state: OutputLinesState | number) {
    const { done, ...rest } =
      typeof state === "number" ? { ...nothingPrinted, firstLine: state, shownLine: state } : state;
    this.#state = rest;
    this.#done = [...done];
  }

  get firstLine(): number {
    return this.#state.firstLine;
  }

  get isIncomplete(): boolean {
    return this.#state.isIncomplete || this.#state.omitted > 0;
  }

  save(): OutputLinesState {
    return { ...this.#state, done: [...this.#done] };
  }

  frame(frame: Frame): void {
    // Rows are numbered anew where the screen was cleared or wrapped anew.
    if (frame.isResized || frame.topLine + frame.cursor.row < this.#state.firstLine) this.#restart(frame);
    const first = frame.topLine - frame.scrolled.length;
    if (frame.scrolledLost > 0 && first >= this.#state.firstLine) this.#state.isIncomplete = true;
    for (const [index, line] of frame.scrolled.entries()) {
      if (first + index < this.#state.firstLine) continue;
      this.#add(line.text, line.isWrapped);
      this.#state.firstLine = first + index + 1;
    }
    this.#state.shownLine = Math.max(this.#state.firstLine, frame.topLine);
    this.#state.shown = frame.lines
      .slice(this.#state.shownLine - frame.topLine)
      .map(({ text, isWrapped }) => ({ text, isWrapped }));
  }

  /** The whole; rows from `endLine` on are not part of it. */
  text(endLine: number | null): string {
    const end = endLine === null ? this.#state.shown.length : Math.max(0, endLine - this.#state.shownLine);
    const lines = [...this.#done];
    for (const { text, isWrapped } of this.#state.shown.slice(0, end))
      if (isWrapped && lines.length > 0) lines[lines.length - 1] += text;
      else lines.push(text);
    if (this.#state.omitted > 0) lines.splice(linesKept, 0, `… ${this.#state.omitted} lines …`);
    return lines.join("\n").trimEnd();
  }

  #restart(frame: Frame): void {
    const cursor = frame.topLine + frame.cursor.row;
    if (cursor < this.#state.firstLine) this.#state.firstLine = frame.topLine;
  }

  #add(text: string, isWrapped: boolean): void {
    const last = this.#done.length - 1;
    if (isWrapped && last >= 0) this.#done[last] += text;
    else this.#done.push(text);
    if (this.#done.length <= 2 * linesKept) return;
    this.#done.splice(linesKept, 1);
    this.#state.omitted += 1;
  }
}
