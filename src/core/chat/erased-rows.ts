/**
 * Rows of an answer that a redraw erased by mistake: some agents move up by the rows that they believe to have drawn, and after a resize
 * that is too many.
 */
import type { Row } from "./row.ts";

/** So many rows can be erased at a time. */
const ERASED_ROWS_MAX = 24;
/** A shorter row may be the same by chance. */
const CHARS_MIN = 4;

/**
 * What replaces `gone`: `rows`, and between them those rows of an answer in `gone` that are missing although what followed them is still
 * shown.
 */
export function withErased(gone: readonly Row[], rows: readonly Row[]): readonly Row[] {
  const same = rows.findIndex((row, index) => gone[index]?.key !== row.key);
  if (same < 1) return rows;
  const next = rows.findIndex(({ key }, index) => index >= same && key !== "");
  const first = rows[next];
  if (first === undefined) return rows;
  const end = gone.findIndex(
    (row, index) => index > same && index <= same + ERASED_ROWS_MAX && isSameOrGrown(row, first),
  );
  const erased = end === -1 ? [] : gone.slice(same, end);
  if (!erased.some(({ key }) => key !== "") || !erased.every(isOfAnswer)) return rows;
  return [...rows.slice(0, same), ...erased.map((row) => ({ ...row, line: -1 })), ...rows.slice(next)];
}

const isOfAnswer = ({ role, isStart }: Row): boolean => (role === null || role === "blank") && !isStart;

const isSameOrGrown = (before: Row, now: Row): boolean =>
  before.role === now.role && before.key.trim().length >= CHARS_MIN && now.key.startsWith(before.key);
