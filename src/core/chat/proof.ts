/**
 * Evidence that nothing was missed between what is known and a window of the alternate screen, where rows have no numbers: from its first
 * row on, the window has the known rows, with the same rows between them, up to the last one, which may have grown.
 */
import { isSaid, weightOf } from "./align-rows.ts";
import type { MergePlace } from "./merge.ts";
import type { Row } from "./row.ts";

/** Rows of less weight may be the same by chance. */
const WEIGHT_MIN = 0.05;
/** Agents draw so many of the last rows anew, if so many above them agree. */
const REDRAWN_ROWS_MAX = 2;
const ABOVE_ROWS_MIN = 3;

interface Proof {
  /** Index of the known row with which the window begins; null if nothing proves one. */
  readonly top: number | null;
  /** Another place would explain the window as well. */
  readonly hasRival: boolean;
}

/** What the known rows and those of a window have in common if it begins at one of them. */
interface Agreement {
  readonly same: number;
  readonly weight: number;
  /** From the first known row on that is not shown. */
  readonly different: number;
}

/**
 * Where a window begins. The rows before `final` never change. A small step is likelier than a window of older rows, and that is likelier
 * than a large step, which must be one from rows of the same width. A large step is not proven if a small one with the last rows drawn
 * anew explains the window as well.
 */
export function provenTop(
  known: readonly Row[],
  window: readonly Row[],
  { final, otherWidthTo, isBelowBlank }: Omit<MergePlace, "likely">,
): Proof {
  const last = known.findLastIndex(isSaid);
  const end = last + 1 - window.length;
  const [oldest, small] = [Math.max(0, final + 1 - window.length), Math.max(0, end)];
  const large = Math.max(0, Math.ceil(end + window.length / 2));
  const [first] = window;
  const isSame = (top: number): boolean => {
    const row = known[top];
    // Most places are none, and found to be none by their first row.
    if (row === undefined || (first !== undefined && isSaid(first) && !showsRow(row, first, top === last)))
      return false;
    const { weight, different } = agreement(known, window, { top, last });
    return different === 0 && weight >= WEIGHT_MIN && !(isBelowBlank && isKnown(known[top - 1]));
  };
  const near = firstBetween(small, large, isSame);
  const old = firstBetween(oldest, end, isSame) ?? firstBetween(0, Math.min(oldest, end), isSame);
  if (near !== null) return { top: near, hasRival: old !== null };
  const far = firstBetween(Math.max(large, otherWidthTo), last + 1, isSame);
  if (old !== null && old >= Math.max(oldest, otherWidthTo)) return { top: old, hasRival: far !== null };
  const isAnew = far !== null && firstBetween(oldest, large, (top) => isRedrawn(known, window, top)) !== null;
  return { top: isAnew ? null : far, hasRival: isAnew || old !== null };
}

/** The row is there, and says something. */
export const isKnown = (row: Row | undefined): boolean => row !== undefined && isSaid(row);

function firstBetween(from: number, to: number, test: (index: number) => boolean): number | null {
  for (let index = from; index < to; index += 1) if (test(index)) return index;
  return null;
}

/** If the window begins at `top`, only some of the last known rows were drawn anew. */
export function isRedrawn(known: readonly Row[], window: readonly Row[], top: number): boolean {
  const { same, different } = agreement(known, window, { top, last: known.findLastIndex(isSaid) });
  return different <= REDRAWN_ROWS_MAX && same >= ABOVE_ROWS_MIN;
}

/** The row says the same, whatever stands right of it, such as a scrollbar; the last one may have grown. */
export const showsRow = (known: Row, shown: Row, isLast: boolean): boolean =>
  known.key === shown.key ||
  (known.role === shown.role && (isLast ? shown.text.startsWith(known.text) : shown.text === known.text));

function agreement(
  known: readonly Row[],
  window: readonly Row[],
  { top, last }: { readonly top: number; readonly last: number },
): Agreement {
  let [same, weight] = [0, 0];
  for (let index = 0; index < window.length && top + index <= last; index += 1) {
    const [before, now] = [known[top + index], window[index]];
    if (before === undefined || now === undefined || before.role === "gap")
      return { same, weight, different: Infinity };
    if (now.role === "covered" || (!isSaid(before) && !isSaid(now))) continue;
    if (showsRow(before, now, false)) {
      weight += weightOf(before);
      same += 1;
    } else if (top + index < last || !showsRow(before, now, true))
      return { same, weight, different: known.slice(top + index, last + 1).filter(isSaid).length };
  }
  return { same, weight, different: 0 };
}
