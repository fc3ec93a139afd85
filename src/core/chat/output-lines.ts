/** What a command printed, line by line as it stands on the normal screen, of much of it the beginning and the end. */
import type { Frame } from "../screen/frame.ts";

export interface OutputLinesState {
  readonly firstLine: number;
  readonly done: readonly string[];
  readonly omitted: number;
  readonly shown: readonly { readonly text: string; readonly isWrapped: boolean }[];
  readonly shownLine: number;
  readonly isIncomplete: boolean;
}

/** Of longer output so many lines are kept of its beginning and of its end. */
const linesKept = 500;

export class OutputLines {
  /** Number of the row that comes next of those that have not left the top. */
  #firstLine: number;
  /** Lines that have left the top; of the last one rows may still come. */
  #done: string[];
  #omitted: number;
  #shown: OutputLinesState["shown"];
  #shownLine: number;
  #isIncomplete: boolean;

  constructor(state: OutputLinesState | number) {
    const known = typeof state === "number" ? undefined : state;
    this.#firstLine = typeof state === "number" ? state : state.firstLine;
    this.#done = [...(known?.done ?? [])];
    this.#omitted = known?.omitted ?? 0;
    this.#shown = known?.shown ?? [];
    this.#shownLine = known?.shownLine ?? this.#firstLine;
    this.#isIncomplete = known?.isIncomplete ?? false;
  }

  get firstLine(): number {
    return this.#firstLine;
  }

  get isIncomplete(): boolean {
    return this.#isIncomplete || this.#omitted > 0;
  }

  save(): OutputLinesState {
    return {
      firstLine: this.#firstLine,
      done: this.#done,
      omitted: this.#omitted,
      shown: this.#shown,
      shownLine: this.#shownLine,
      isIncomplete: this.#isIncomplete,
    };
  }

  frame(frame: Frame): void {
    // Rows are numbered anew where the screen was cleared or wrapped anew.
    if (frame.isResized || frame.topLine + frame.cursor.row < this.#firstLine) this.#restart(frame);
    const first = frame.topLine - frame.scrolled.length;
    if (frame.scrolledLost > 0 && first >= this.#firstLine) this.#isIncomplete = true;
    for (const [index, line] of frame.scrolled.entries()) {
      if (first + index < this.#firstLine) continue;
      this.#add(line.text, line.isWrapped);
      this.#firstLine = first + index + 1;
    }
    this.#shownLine = Math.max(this.#firstLine, frame.topLine);
    this.#shown = frame.lines
      .slice(this.#shownLine - frame.topLine)
      .map(({ text, isWrapped }) => ({ text, isWrapped }));
  }

  /** The whole; rows from `endLine` on are not part of it. */
  text(endLine: number | null): string {
    const end = endLine === null ? this.#shown.length : Math.max(0, endLine - this.#shownLine);
    const lines = [...this.#done];
    for (const { text, isWrapped } of this.#shown.slice(0, end))
      if (isWrapped && lines.length > 0) lines[lines.length - 1] += text;
      else lines.push(text);
    if (this.#omitted > 0) lines.splice(linesKept, 0, `… ${this.#omitted} lines …`);
    return lines.join("\n").trimEnd();
  }

  #restart(frame: Frame): void {
    const cursor = frame.topLine + frame.cursor.row;
    if (cursor < this.#firstLine) this.#firstLine = frame.topLine;
  }

  #add(text: string, isWrapped: boolean): void {
    const last = this.#done.length - 1;
    if (isWrapped && last >= 0) this.#done[last] += text;
    else this.#done.push(text);
    if (this.#done.length <= 2 * linesKept) return;
    this.#done.splice(linesKept, 1);
    this.#omitted += 1;
  }
}
