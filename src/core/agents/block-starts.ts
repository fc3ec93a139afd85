/** Blocks of rows that have a background, whichever it is: agents draw prompts and calls of tools as such. */
import type { ScreenLine } from "../screen/screen-lines.ts";
import { backgroundAt, firstSpan } from "./row-parts.ts";

/**
 * For each of `lines`, whether it is the first row with a text of its block. A block whose beginning is above the rows `above`, which
 * are directly over `lines`, is not known to begin anywhere.
 */
export function blockStarts(lines: readonly ScreenLine[], above: readonly ScreenLine[] = []): boolean[] {
  let isOpen = false;
  const starts = [...above, ...lines].map((line) => {
    if (backgroundAt(line, 0) === -1) {
      isOpen = true;
      return false;
    }
    const isStart = isOpen && firstSpan(line) !== undefined;
    if (isStart) isOpen = false;
    return isStart;
  });
  return starts.slice(above.length);
}
