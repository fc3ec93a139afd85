/** Rows with which programs mark that they show only a part of a text or of a list. */

/** `↑ 18 more lines`, `[… 34 lines] ^a view all`, `... last 6 lines hidden ...`, `... (1 more lines)`, `+12 lines (ctrl+e to expand)`. */
const countedRows =
  /^\s*\[?\s*(?:…|\.{3}|[↑↓▲▼+])\s*\[?\(?.{0,12}?\d+ (?:more |hidden |other )?(?:lines?|rows?|options?|items?)\b/iu;
/** `Press ctrl-s to show more lines`. */
const showMore = /^\s*\(?press \S+ to (?:show|view|see|expand) (?:more|all)\b/iu;
/** `... 2 hidden (Ctrl+O) ...`, `… first 12 lines hidden`. */
const hidden = /(?:…|\.{3})\s*(?:first |last )?\d+ (?:\w+ )?hidden\b/iu;
/** `↓` alone, or with a number of hidden options. */
const arrowAlone = /^\s*[↑↓▲▼](?:\s+\d+ more)?\s*$/u;

/** The end of a row that was cut. */
export const ELLIPSIS_END = /(?:…|\.{3})$/u;

/** `isFoldMark("[… 34 lines] ^a view all"); // true` */
export const isFoldMark = (row: string): boolean =>
  countedRows.test(row) || hidden.test(row) || showMore.test(row) || arrowAlone.test(row);
