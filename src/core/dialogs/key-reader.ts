/**
 * Programs that take keys and show nothing that is known: each key of a text could answer something. They are at least a hint, so that people
 * see that somebody is waited for.
 */
import { cursorLine } from "../agents/cursor-line.ts";
import type { Frame } from "../screen/frame.ts";
import { withoutKeyHints } from "./key-hint.ts";
import type { ReaderContext } from "./reader.ts";

const ROWS_MAX = 20;
/** A fixed text: what such a program shows may change all the time. */
const NO_QUESTION = "(it takes keys, and shows no question that is known)";
/** How many lines of how many a filter leaves, in the row beside the one that is typed in. */
const FILTER_COUNT = /^\s*\d+\/\d+(?:\s|$)/;
/** At the end of a full-screen dialog, which may read pastes for one of its fields. */
const BUTTONS = /<\s*(?:ok|yes|no|cancel|back|finish)\s*>[\s│┃|]*$/i;
/** In front of the questions of the common libraries. */
const FRAME_AND_MARK = /^[\s│┃]*(?:[?◆▲]\s+)?/u;

/**
 * The last row that asks, or a fixed text; null for a program that does not take single keys, and where text is typed: a line editor asks for
 * pastes or shows its cursor.
 */
export function questionOfKeyReader(frame: Frame, context: ReaderContext): string | null {
  const { canonical = null, isAtShellPrompt, profile, verdict } = context;
  if (profile !== undefined || isAtShellPrompt || (verdict !== "raw" && canonical !== false)) return null;
  const { before } = cursorLine(frame);
  const { isVisible, row } = frame.cursor;
  const rows = frame.lines.map(({ text }) => text).filter((text) => text !== "");
  const isFilter = isVisible && [row - 1, row + 1].some((beside) => FILTER_COUNT.test(frame.lines[beside]?.text ?? ""));
  const isBoxed = BUTTONS.test(rows.findLast((text) => /[^\s|\u2500-\u259F]/u.test(text)) ?? "");
  const isMarked = isVisible && /^\?\s+\S/.test(before);
  const takesKeys = verdict === "raw" && !frame.takesPastes && (!isVisible || isMarked);
  if (!takesKeys && !isFilter && !isBoxed) return null;
  if (isMarked) return before.trim();
  const shown = rows
    .slice(-ROWS_MAX)
    .map((text) => withoutKeyHints(text.replace(FRAME_AND_MARK, "").replace(/\s*[│┃|]$/u, "")));
  return shown.findLast((text) => text.endsWith("?")) ?? NO_QUESTION;
}
