/**
 * What an open question is, from what is known now: asked, a hint that nobody is known to read, or none, because the answer was taken.
 * Only this file decides it, and it is asked at the end of each step, whatever the step brought.
 *
 * Laws: a new question is a hint exactly if no program is known to read it. A hint is asked as soon as a program is known to read, on a
 * screen that shows all output: the question that is read may be another one. What is asked is a hint when it was unread for `paintMs`,
 * or at once if it was opened within that time. While the question is not on the screen as it was kept, it stays what it is.
 */
import type { Approval } from "../dialogs/approval.ts";
import type { Dialog } from "../dialogs/dialog.ts";
import { whyUnread } from "../dialogs/reader.ts";
import type { Observation } from "../observe/observation.ts";
import { awaitsInput, mayRead } from "../records.ts";
import { screenTimes } from "../screen/times.ts";
import { noKeys, type AnswerState } from "./typed-answer.ts";

/** The part of an open question that is judged. A new one is a hint without a reason. */
export interface JudgedQuestion {
  readonly approval: Approval;
  readonly layout: Dialog["layout"];
  /** Since when the dialog is not on the screen; null while it is. */
  readonly absentUs: number | null;
  /** Something else is shown in its place; null if not. */
  readonly other: object | null;
  /** Since when nobody is known to read what is asked; null while somebody does, and for a hint. */
  readonly unreadUs: number | null;
  /** False for a hint that has not been on the screen for long enough. */
  readonly isReported: boolean;
  /** The kernel had reported on the program in the foreground when the reason of the hint was given: it is kept. */
  readonly isWhyKnown: boolean;
  readonly keys: AnswerState;
  /** A key that answers came; the dialog is expected to go. */
  readonly answer: Approval["answer"];
  /** One key that names an option, typed to a program that reads keys: the answer, unless the program wants a line. */
  readonly key: Approval["answer"];
}

const PAINT_US = screenTimes.paintMs * 1000;

/** The question as it is now; null if its answer was taken. */
export function judgeQuestion<Question extends JudgedQuestion>(question: Question, now: Observation): Question | null {
  const { absentUs, other } = question;
  if (isAtNextPrompt(question, now)) return null;
  const read = absentUs === null && other === null ? judgedShown(question, now) : question;
  return read === null || isLineTaken(read, now) ? null : read;
}

/** The shell is seen to read its next command: the program that asked has taken what was pressed, and has ended. */
function isAtNextPrompt({ answer, key }: JudgedQuestion, { cause, reader }: Observation): boolean {
  const isNewReader = cause.type === "foreground" || cause.type === "shell-mark";
  return isNewReader && reader.isAtShellPrompt && (answer ?? key) !== null;
}

/** The kernel reports that the line was read: the program waits for something again, or waits no more. A key alone may be an echo only. */
function isLineTaken({ layout, answer }: JudgedQuestion, { cause, foreground }: Observation): boolean {
  if (cause.type !== "foreground" || layout !== "line" || answer === null) return false;
  const verdict = foreground?.verdict ?? "unknown";
  return awaitsInput(verdict) || (verdict === "busy" && awaitsInput(cause.before ?? "unknown"));
}

function judgedShown<Question extends JudgedQuestion>(question: Question, now: Observation): Question | null {
  const why = whyUnread(question.layout, now.reader);
  if (question.approval.state === "hint") return judgedHint(question, why, now);
  if (why !== null) return judgedUnread(question, why, now);
  return question.unreadUs === null ? question : { ...question, unreadUs: null };
}

function judgedHint<Question extends JudgedQuestion>(
  question: Question,
  why: string | null,
  now: Observation,
): Question {
  const { reader, screen, timeUs } = now;
  const { approval } = question;
  // Output may have come that no frame shows yet.
  const isAllShown = screen !== null || !mayRead(reader.verdict ?? "unknown");
  if (why === null && (approval.whyHint === null || isAllShown)) return turned(question, null, now);
  const isReported = question.isReported || timeUs - approval.timeUs >= PAINT_US;
  // The first reason that is more than "not known" is kept: which of its processes is in the foreground changes often.
  const whyHint = question.isWhyKnown ? approval.whyHint : (why ?? approval.whyHint);
  const isWhyKnown = question.isWhyKnown || (why !== null && isKnown(reader));
  if (isReported === question.isReported && whyHint === approval.whyHint && isWhyKnown === question.isWhyKnown)
    return question;
  return { ...question, isReported, isWhyKnown, approval: { ...approval, whyHint } };
}

function judgedUnread<Question extends JudgedQuestion>(
  question: Question,
  why: string,
  now: Observation,
): Question | null {
  const { foreground, timeUs } = now;
  const { answer, approval, key, layout, unreadUs } = question;
  // What was opened just now was opened by an older probe: nobody has read it.
  if (timeUs - approval.timeUs < PAINT_US) return turned(question, why, now);
  if (unreadUs === null) return { ...question, unreadUs: timeUs };
  if (timeUs - unreadUs < PAINT_US) return question;
  // A key was pressed, and its program has gone to work with it. A line is reported as read by its own rule.
  const pressed = layout === "line" ? (answer === null ? key : null) : answer;
  return foreground?.verdict === "busy" && pressed !== null ? null : turned(question, why, now);
}

/** Makes it asked or a hint. Keys that were pressed before are forgotten: nobody read them. */
function turned<Question extends JudgedQuestion>(
  question: Question,
  whyHint: string | null,
  { reader }: Observation,
): Question {
  const approval: Approval = { ...question.approval, state: whyHint === null ? "open" : "hint", whyHint };
  const isReported = question.isReported || whyHint === null;
  const isWhyKnown = whyHint !== null && isKnown(reader);
  return { ...question, approval, isReported, isWhyKnown, unreadUs: null, keys: noKeys, answer: null, key: null };
}

const isKnown = ({ verdict }: Observation["reader"]): boolean => verdict !== null && verdict !== "unknown";
