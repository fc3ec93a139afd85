/** An open question as the fold keeps it, and the sightings of dialogs that it is compared with. */
import type { Approval } from "../dialogs/approval.ts";
import type { Dialog } from "../dialogs/dialog.ts";
import type { QuestionReading } from "../dialogs/fullest-reading.ts";
import type { Frame } from "../screen/frame.ts";
import type { JudgedQuestion } from "./hint.ts";
import { cursorLineRow } from "./line-echo.ts";
import { noKeys } from "./typed-answer.ts";

/** A dialog, and where a frame showed it. */
export interface Sighting {
  readonly dialog: Dialog;
  /** Of its question, of a line question that of the cursor's line, counted since the beginning of the session. */
  readonly row: number;
  readonly offset: number;
  readonly timeUs: number;
}

export interface OpenApproval extends JudgedQuestion {
  /** Set from a change of size until the dialog is seen as it was kept. `paintedUs`: when the program drew for the first time since. */
  readonly resized: { readonly paintedUs: number | null } | null;
  /** Offset of the last frame. */
  readonly seenTo: number;
  /**
   * What was read soon after the size has changed: a torn picture of this dialog, or another one; or what was read after the key that
   * answered it: a part of this dialog, or of the next one. If it stays, it is another dialog.
   */
  readonly other: Sighting | null;
  /** Whose keys come now, where a mark of the daemon said so. */
  readonly by: string | null;
  readonly row: number;
  /** When the daemon pressed keys that answer it: it takes no second answer. */
  readonly spentUs: number | null;
  /** What was typed behind a line question, and whether the terminal may have echoed it. */
  readonly typed: string;
  readonly canEcho: boolean;
}

/** Of an approval that has just opened. */
export const untouched = {
  absentUs: null,
  unreadUs: null,
  isReported: false,
  isWhyKnown: false,
  resized: null,
  other: null,
  keys: noKeys,
  answer: null,
  key: null,
  by: null,
  spentUs: null,
  typed: "",
} as const;

/** It has to be reported: it opened, or it is not as it was before the step. */
export const isNews = ({ approval, isReported }: OpenApproval, before: OpenApproval | null): boolean =>
  isReported && !(before?.isReported === true && before.approval === approval);

/** `approval` itself if it has all of this reading: one that is another object is reported. */
export function withReading(approval: Approval, reading: QuestionReading): Approval {
  const next = { ...approval, ...reading };
  return JSON.stringify(next) === JSON.stringify(approval) ? approval : next;
}

/** In another row after an answer: the same words, another question. An agent's dialog moves with what is drawn above it. */
export function isAskedAgain({ approval, layout, answer, row }: OpenApproval, seen: Sighting, frame: Frame): boolean {
  if (answer === null || frame.isResized || seen.row === row) return false;
  return layout === "line" || (approval.agent === null && seen.row > row);
}

export function sightingOf(dialog: Dialog, frame: Frame): Sighting {
  const row = dialog.layout === "line" ? cursorLineRow(frame) : questionRow(dialog, frame);
  return { dialog, row, offset: frame.offset, timeUs: frame.timeUs };
}

/** The answer to the same question may stand above it. */
function questionRow({ question }: Dialog, frame: Frame): number {
  const [first = ""] = question.split("\n");
  const index = first === "" ? -1 : frame.lines.findLastIndex(({ text }) => text.includes(first));
  return index === -1 ? cursorLineRow(frame) : frame.topLine + index;
}

/** Nobody can tell which keys answer what is shown. */
export const isUnknown = (seen: Sighting | null): boolean => seen?.dialog.layout === "unknown";
