/** Which rows of the normal screen are an agent's: those below the command that started it, or all once it has erased the screen. */
import { isRule } from "../agents/row-parts.ts";
import type { Frame } from "../screen/frame.ts";

const CLOSING_ROWS_MAX = 12;

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

/** The agent's last rows, above the row `prompt` and below any rule. If it drew on the alternate screen, all of them are new. */
export function closingText(
  { lines, topLine }: Pick<Frame, "lines" | "topLine">,
  { prompt, firstLine, hasOwnScreen }: { prompt: number; firstLine: number; hasOwnScreen: boolean },
): string {
  const above = lines.slice(0, Math.max(0, prompt - topLine));
  const last = above.findLastIndex((line, index) => topLine + index < firstLine || isRule(line));
  const texts = above.slice(last + 1).map(({ text }) => text);
  return texts
    .slice(hasOwnScreen ? 0 : -CLOSING_ROWS_MAX)
    .join("\n")
    .trim();
}
