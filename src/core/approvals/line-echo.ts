/**
 * Tells the terminal's echo of what was typed behind a line question from what the program wrote itself. The echo comes as soon as a
 * key is pressed, also while nobody reads, so it says nothing about an answer.
 */
import { cursorLine } from "../agents/cursor-line.ts";
import type { Observation } from "../observe/observation.ts";
import type { Frame } from "../screen/frame.ts";
import { MASKED } from "../typing/echo.ts";
import { squash } from "../text/squash.ts";

/** Where a line question is shown, and what was typed since. */
export interface AskedLine {
  readonly question: string;
  /** Row in which its line begins, counted since the beginning of the session. */
  readonly row: number;
  /** As the terminal would echo it; see `echoAfter`. */
  readonly typed: string;
  /** False where the program has turned the echo off: then it alone can have moved the cursor. */
  readonly canEcho: boolean;
}

/** If a program has turned the echo off and reads, nothing but its own output follows a key. */
export function mayEcho({ profile, foreground }: Observation): boolean {
  if (profile !== undefined) return false;
  const { verdict, echo } = foreground ?? {};
  return !(verdict === "password" || ((verdict === "raw" || verdict === "listening") && echo === false));
}

/** Row in which the line of the cursor begins, rows that the terminal wrapped joined, counted since the beginning of the session. */
export function cursorLineRow(frame: Frame): number {
  let { row } = frame.cursor;
  while (row > 0 && frame.lines[row]?.isWrapped === true) row -= 1;
  return frame.topLine + row;
}

/** True while a frame shows nothing behind the question but what was typed. */
export function showsOnlyEcho(frame: Frame, { question, row, typed, canEcho }: AskedLine): boolean {
  if (frame.isAlternate) return false;
  const first = cursorLineRow(frame);
  // In its own line a program may complete or replace what was typed.
  if (first === row && cursorLine(frame).before.trim().startsWith(question)) return true;
  if (!canEcho || first < row || row < frame.topLine) return false;
  const rows = frame.lines.slice(row - frame.topLine, frame.cursor.row + 1);
  const shown = squash(rows.map(({ text }) => text).join(""));
  const start = shown.indexOf(squash(question));
  return start !== -1 && isBeginningOf(shown.slice(start + squash(question).length), squash(typed));
}

/** True if the line of the cursor is the question with exactly `typed` behind it. */
export const showsTyped = (frame: Frame, question: string, typed: string): boolean =>
  !frame.isAlternate && squash(cursorLine(frame).before) === squash(question + typed);

const isBeginningOf = (shown: string, typed: string): boolean =>
  shown.length <= typed.length && [...shown].every((one, at) => one === typed[at] || typed[at] === MASKED);
