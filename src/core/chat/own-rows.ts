/** Which rows of the normal screen are an agent's: those below the command that started it, or all once it has erased the screen. */
import type { Frame } from "../screen/frame.ts";

export interface OwnRowsState {
  /** Number of the first row that is the agent's. */
  readonly firstLine: number;
  /** The row above it; null before it was shown, empty where it cannot be told. */
  readonly above: string | null;
}

export class OwnRows {
  #firstLine: number;
  #above: string | null;

  constructor({ firstLine, above }: OwnRowsState) {
    this.#firstLine = firstLine;
    this.#above = above;
  }

  get firstLine(): number {
    return this.#firstLine;
  }

  /** Once for each frame of the normal screen. */
  see({ lines, topLine, isResized }: Pick<Frame, "lines" | "topLine" | "isResized">): void {
    const above = lines[this.#firstLine - 1 - topLine]?.text ?? "";
    // A resize wraps rows anew: where the row above is then cannot be told.
    if (isResized) this.#above = "";
    if (this.#above !== null && this.#above !== "" && above !== this.#above && this.#firstLine > topLine)
      this.#firstLine = topLine;
    this.#above ??= above;
  }

  save(): OwnRowsState {
    return { firstLine: this.#firstLine, above: this.#above };
  }
}
