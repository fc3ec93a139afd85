/**
 * Dialogs on the screen become approvals: opened when one stands there, answered or gone when it does not any more.
 *
 * Laws: a dialog has one id as long as it stands, also while it is painted piece by piece, folded, or drawn in another size, and the
 * fullest reading of it is kept; one that asks the same about another matter has another id; the next one has another, also where it has
 * the same words and no frame shows the screen between them, as long as a key answered the first. A dialog that vanishes without a key
 * is gone only when it has stayed away for `paintMs`: a repaint is not an answer.
 * A question that no program is known to read (`whyUnread`) is a hint: it becomes an approval with the same id when a program begins to
 * read, and a hint again when none does. A hint is reported when it has been on the screen for `paintMs`.
 * A line question is answered when the program has read the line or has written something itself, never by the terminal's echo.
 * Ids come from journal offsets and only grow, so a journal that is read again gives no id to another question.
 */
import { isDialogOf, keysFor, type AnswerKeys } from "../dialogs/answer-keys.ts";
import type { Approval } from "../dialogs/approval.ts";
import type { Dialog } from "../dialogs/dialog.ts";
import { fullestReading, type QuestionReading } from "../dialogs/fullest-reading.ts";
import { whyUnread } from "../dialogs/reader.ts";
import { type ForegroundVerdict, type Mark, awaitsInput, mayRead } from "../records.ts";
import type { Observation, TimedReducer } from "../observe/observation.ts";
import type { ScreenFacts } from "../observe/screen-facts.ts";
import type { Frame } from "../screen/frame.ts";
import { echoAfter } from "../typing/echo.ts";
import { screenTimes } from "../screen/times.ts";
import { cursorLineRow, showsOnlyEcho, showsTyped } from "./line-echo.ts";
import { noKeys, readTypedAnswer, type AnswerState } from "./typed-answer.ts";

export interface ApprovalFoldState {
  /** Number of the last id. */
  readonly count: number;
  readonly open: OpenApproval | null;
  readonly answered: Answered | null;
}

/** The one that was answered last; what looks the same right after the key is a repaint of it. */
interface Answered {
  readonly approval: Approval;
  /** Of a line question: in another row it is no repaint. */
  readonly row: number | null;
  readonly untilUs: number;
  /** The same dialog stands again since then: where it stays it is another one. */
  readonly again: { readonly dialog: Dialog; readonly place: Place } | null;
}

/** Where a dialog is shown. */
interface Place {
  /** Of the cursor's line, counted since the beginning of the session. */
  readonly row: number;
  readonly offset: number;
  readonly timeUs: number;
}

interface OpenApproval {
  readonly approval: Approval;
  readonly layout: Dialog["layout"];
  /** Since when the dialog is not on the screen; null while it is. */
  readonly absentUs: number | null;
  /** Since when the kernel reports that nobody reads; null while somebody does, or nobody knows. */
  readonly unreadUs: number | null;
  /** Set from a change of size until the dialog is seen as it was kept. `paintedUs`: when the program drew for the first time since. */
  readonly resized: { readonly paintedUs: number | null } | null;
  /** Offset of the last frame. */
  readonly seenTo: number;
  /**
   * What was read soon after the size has changed: a torn picture of this dialog, or another one; or what was read after the key that
   * answered it: a part of this dialog, or of the next one. If it stays, it is another dialog.
   */
  readonly other: { readonly dialog: Dialog; readonly place: Place } | null;
  /** False for a hint that has not been on the screen for long enough. */
  readonly isReported: boolean;
  readonly keys: AnswerState;
  /** A key that answers came; the dialog is expected to go. */
  readonly answer: Approval["answer"];
  /** Whose keys come now, where a mark of the daemon said so. */
  readonly by: string | null;
  /** Where the line of a line question begins. */
  readonly row: number;
  /** What was typed behind a line question, and whether the terminal may have echoed it. */
  readonly typed: string;
  readonly canEcho: boolean;
  /** One key that names an option, typed to a program that reads keys: the answer, unless the program wants a line. */
  readonly key: Approval["answer"];
}

/** What a program draws soon after a change of size may be torn. */
const resizeMs = 1500;
/** A key that changed nothing for so long was no answer. */
const answerMs = 1500;

export class ApprovalFold implements TimedReducer<Approval, ApprovalFoldState> {
  #count = 0;
  #open: OpenApproval | null = null;
  #answered: Answered | null = null;

  constructor(state?: ApprovalFoldState) {
    if (state === undefined) return;
    this.#count = state.count;
    this.#open = state.open;
    this.#answered = state.answered;
  }

  /** The approval that waits for an answer; null if there is none. */
  get open(): Approval | null {
    return this.#open?.approval.state === "open" ? this.#open.approval : null;
  }

  /** The keys that make `option` the answer of the open question now, like `keysFor` of `answer-keys.ts`. */
  keysFor(option: string, screen: ScreenFacts): AnswerKeys | null {
    const open = this.#open;
    if (open === null || open.approval.state === "hint") return null;
    const { approval, layout, typed } = open;
    const isKey = layout === "line" && screen.context.verdict === "raw" && option.length === 1;
    // Some programs take the key alone, and Enter would answer the next question: it is pressed only if the program, and not the
    // terminal, has shown the key behind its question, so that it has read it and wants more.
    if (isKey && typed === option)
      return !open.canEcho && showsTyped(screen.frame, approval.question, option)
        ? { keys: ["Enter"], isComplete: true }
        : null;
    const keys = keysFor(approval, option, screen);
    return isKey && keys !== null ? { keys: [option], isComplete: false } : keys;
  }

  get wakeUs(): number | null {
    const open = this.#open;
    if (open === null) return this.#answered?.again ? this.#answered.untilUs : null;
    if (open.other !== null) {
      const sinceUs = open.resized?.paintedUs ?? open.other.place.timeUs;
      return Math.max(sinceUs, open.answer?.timeUs ?? 0) + resizeMs * 1000;
    }
    const sinceUs = open.absentUs ?? open.unreadUs ?? (open.isReported ? null : open.approval.timeUs);
    return sinceUs === null ? null : sinceUs + screenTimes.paintMs * 1000;
  }

  step(observation: Observation): readonly Approval[] {
    const { cause, timeUs, screen } = observation;
    switch (cause.type) {
      case "frame":
        return screen === null ? [] : this.#frame(screen, observation);
      case "input":
        this.#input(cause, observation);
        return [];
      case "foreground":
        return this.#probed(cause.before ?? "unknown", observation);
      case "exit":
        return this.#close(timeUs);
      case "tick":
        if (this.#open === null) return this.#stands(observation);
        return this.#isDue(timeUs) ? this.#over(observation) : [];
      case "mark":
        this.#mark(cause.mark);
        return [];
      case "start":
      case "title":
      case "program-status":
      case "progress":
      case "tab-status":
      case "shell-mark":
      case "gap":
        return [];
    }
  }

  save(): ApprovalFoldState {
    return {
      count: this.#count,
      open: this.#open,
      answered: this.#answered,
    };
  }

  #frame(screen: ScreenFacts, observation: Observation): readonly Approval[] {
    const { frame, dialog } = screen;
    if (this.#isOldPicture(frame)) return this.#open?.approval.state === "hint" ? this.#follow(observation) : [];
    const asked = this.#open;
    if (asked?.layout === "line" && showsOnlyEcho(frame, { ...asked, question: asked.approval.question }))
      return dialog === null || asked.answer !== null ? [] : this.#still(asked, { dialog, frame }, observation);
    // The program has drawn its line again, with the key in it: the answer is not complete.
    const wantsKey = asked !== null && asked.answer === null && asked.key !== null;
    if (wantsKey && showsTyped(frame, asked.approval.question, asked.typed)) {
      this.#open = { ...asked, absentUs: null, row: cursorLineRow(frame) };
      return [];
    }
    // It has drawn something else: the key was all that it wanted.
    const open = wantsKey ? { ...asked, answer: asked.key } : asked;
    this.#open = open;
    if (dialog === null) return screen.isPartlyDrawn ? [] : this.#without(screen);
    if (open === null) return this.#appeared(screen, observation);
    if (isDialogOf(open.approval, dialog) && !isAskedAgain(open, frame))
      return this.#still({ ...open, resized: null, other: null }, { dialog, frame }, observation);
    const isPainting = open.answer === null && frame.timeUs - open.approval.timeUs < screenTimes.paintMs * 1000;
    if (isPainting) return this.#change({ ...open, row: cursorLineRow(frame) }, dialog, observation);
    const { resized } = open;
    const isKept = open.answer === null || resized !== null;
    const fullest = isKept ? fullestReading(open.approval, dialog) : null;
    if (fullest !== null && open.answer !== null && frame.timeUs >= open.answer.timeUs) {
      this.#open = { ...open, absentUs: null, other: { dialog, place: placeOf(frame) } };
      return [];
    }
    if (fullest !== null) return this.#fuller({ ...open, other: null }, { dialog, frame, fullest }, observation);
    if (resized !== null && frame.timeUs - (resized.paintedUs ?? frame.timeUs) < resizeMs * 1000) {
      this.#open = { ...open, absentUs: null, other: { dialog, place: placeOf(frame) } };
      return [];
    }
    return [...this.#close(frame.timeUs), ...this.#show(dialog, placeOf(frame), observation)];
  }

  /** Nothing was drawn since the size has changed: what the frame shows was cut or wrapped by the terminal. */
  #isOldPicture(frame: Frame): boolean {
    const open = this.#open;
    if (open === null) return false;
    const resized = frame.isResized ? { paintedUs: null } : open.resized;
    const isNew = frame.offset > open.seenTo;
    const painted = resized !== null && resized.paintedUs === null && isNew ? { paintedUs: frame.timeUs } : resized;
    this.#open = { ...open, resized: painted, seenTo: frame.offset };
    return painted !== null && painted.paintedUs === null;
  }

  #appeared({ frame, dialog }: ScreenFacts, observation: Observation): readonly Approval[] {
    return dialog === null || this.#isRepaint(dialog, frame) ? [] : this.#show(dialog, placeOf(frame), observation);
  }

  #probed(before: ForegroundVerdict, observation: Observation): readonly Approval[] {
    const { foreground, profile, screen, timeUs, reader } = observation;
    const verdict = foreground?.verdict ?? "unknown";
    const asked = this.#open;
    // The shell reads its next command: the program that asked has taken the answer, and has ended.
    if (reader.isAtShellPrompt && asked !== null && (asked.answer ?? asked.key) !== null) return this.#close(timeUs);
    const changes = [...this.#follow(observation)];
    if (this.#open !== null && isTaken(this.#open, before, verdict)) changes.push(...this.#close(timeUs));
    if (screen === null || this.#open !== null) return changes;
    const readsLine = verdict === "prompt" || verdict === "password";
    return readsLine || profile === undefined ? [...changes, ...this.#appeared(screen, observation)] : changes;
  }

  /** Makes a hint that is read now an approval, and an approval that is not read for `paintMs` a hint. */
  #follow({ reader, timeUs, screen }: Observation): readonly Approval[] {
    const open = this.#open;
    if (open === null) return [];
    const whyHint = whyUnread(open.layout, reader);
    // Output has come that no frame shows yet: the question that is read may be another one.
    if (open.approval.state === "hint")
      return screen === null && mayRead(reader.verdict ?? "unknown") ? [] : this.#turn(open, whyHint);
    if (whyHint === null) {
      if (open.unreadUs !== null) this.#open = { ...open, unreadUs: null };
      return [];
    }
    // What was opened just now was opened by an older probe: nobody has read it.
    if (timeUs - open.approval.timeUs < screenTimes.paintMs * 1000) return this.#turn(open, whyHint);
    if (open.unreadUs === null) this.#open = { ...open, unreadUs: timeUs };
    return [];
  }

  /** Makes it an approval or a hint. Keys that were pressed before are forgotten: nobody read them. */
  #turn(open: OpenApproval, whyHint: string | null): readonly Approval[] {
    // The first reason is kept: which of its processes is in the foreground changes often.
    if ((open.approval.state === "hint") === (whyHint !== null)) return [];
    const approval: Approval = { ...open.approval, state: whyHint === null ? "open" : "hint", whyHint };
    const isReported = open.isReported || whyHint === null;
    this.#open = { ...open, approval, isReported, unreadUs: null, keys: noKeys, answer: null, key: null };
    return isReported ? [approval] : [];
  }

  /** A time of `wakeUs` has come: it was away or unread for too long, or it is a hint that is to be reported. */
  #over(observation: Observation): readonly Approval[] {
    const { timeUs, foreground, reader } = observation;
    const open = this.#open;
    if (open === null || open.absentUs !== null) return this.#close(timeUs);
    const { other } = open;
    if (other !== null) return [...this.#close(timeUs), ...this.#show(other.dialog, other.place, observation)];
    if (open.unreadUs === null) {
      this.#open = { ...open, isReported: true };
      const changes = this.#follow(observation);
      return changes.length === 0 ? [open.approval] : changes;
    }
    // A key was pressed, and its program has gone to work with it. A line is reported as read by its own rule.
    const pressed = open.layout === "line" ? (open.answer === null ? open.key : null) : open.answer;
    return foreground?.verdict === "busy" && pressed !== null
      ? this.#close(timeUs)
      : this.#turn(open, whyUnread(open.layout, reader));
  }

  #without({ frame, box, context: { profile } }: ScreenFacts): readonly Approval[] {
    // On a screen that is too small for it an agent shows neither its dialog nor its box.
    const { resized = null, answer = null } = this.#open ?? {};
    if (resized !== null && answer === null && profile !== undefined && profile.boxes.length > 0 && box === null)
      return [];
    const changes = this.#absent(frame.timeUs);
    // If people can type again the key was taken: a later dialog is another one.
    if (box !== null) this.#answered = null;
    return changes;
  }

  /** Kept for the time when it is none any more. */
  #isRepaint(dialog: Dialog, frame: Frame): boolean {
    const answered = this.#answered;
    if (answered === null || frame.timeUs >= answered.untilUs || !isDialogOf(answered.approval, dialog)) return false;
    const place = placeOf(frame);
    if (answered.row !== null && answered.row !== place.row) return false;
    this.#answered = { ...answered, again: answered.again ?? { dialog, place } };
    return true;
  }

  /** The same dialog as before the key is still there. */
  #stands(observation: Observation): readonly Approval[] {
    const { again, untilUs } = this.#answered ?? { again: null, untilUs: 0 };
    return again === null || observation.timeUs < untilUs ? [] : this.#show(again.dialog, again.place, observation);
  }

  #still(
    open: OpenApproval,
    { dialog, frame }: { readonly dialog: Dialog; readonly frame: Frame },
    observation: Observation,
  ): readonly Approval[] {
    const { answer } = open;
    // It came back after a key answered it: the same words, another dialog. A frame from before the key shows nothing of its effect.
    if (answer !== null && open.absentUs !== null && frame.timeUs >= answer.timeUs)
      return [...this.#close(frame.timeUs), ...this.#show(dialog, placeOf(frame), observation)];
    const isVain = answer !== null && frame.timeUs - answer.timeUs > answerMs * 1000;
    const moved = dialog.selected !== open.approval.selected;
    this.#open = {
      ...open,
      absentUs: null,
      row: cursorLineRow(frame),
      answer: isVain ? null : answer,
      by: isVain ? null : open.by,
      keys: moved ? { ...open.keys, moved: 0 } : open.keys,
      approval: { ...open.approval, selected: dialog.selected },
    };
    const changes = this.#open.approval.state === "hint" ? this.#follow(observation) : [];
    return moved && changes.length === 0 && open.isReported ? [this.#open.approval] : changes;
  }

  /** The same dialog, shown in part or in more of it than before. */
  #fuller(
    open: OpenApproval,
    { dialog, frame, fullest }: { readonly dialog: Dialog; readonly frame: Frame; readonly fullest: QuestionReading },
    observation: Observation,
  ): readonly Approval[] {
    const isNew = !isSameReading(open.approval, fullest);
    const approval = { ...open.approval, ...fullest };
    const changes = this.#still({ ...open, approval }, { dialog, frame }, observation);
    return changes.length > 0 || !isNew || !open.isReported || this.#open === null ? changes : [this.#open.approval];
  }

  #change(open: OpenApproval, dialog: Dialog, observation: Observation): readonly Approval[] {
    const { layout, ...shown } = dialog;
    const approval = { ...open.approval, ...shown };
    this.#open = { ...open, layout, approval, absentUs: null };
    // A probe that came before this frame could not tell who reads it.
    const changes = approval.state === "hint" ? this.#follow(observation) : [];
    return changes.length === 0 && open.isReported ? [approval] : changes;
  }

  #show(dialog: Dialog, { row, offset, timeUs }: Place, observation: Observation): readonly Approval[] {
    const { layout, ...shown } = dialog;
    this.#answered = null;
    const whyHint = whyUnread(layout, observation.reader);
    this.#count = Math.max(offset, this.#count + 1);
    const approval: Approval = {
      id: `a${this.#count}`,
      source: "screen",
      agent: observation.agent.agent,
      ...shown,
      offset,
      timeUs,
      state: whyHint === null ? "open" : "hint",
      whyHint,
      answer: null,
    };
    const isReported = whyHint === null;
    const resized = { resized: null, seenTo: offset, other: null };
    const nothing = {
      ...resized,
      absentUs: null,
      unreadUs: null,
      keys: noKeys,
      answer: null,
      by: null,
      typed: "",
      key: null,
    };
    this.#open = { ...nothing, isReported, approval, layout, row, canEcho: canEcho(observation) };
    return isReported ? [approval] : [];
  }

  #absent(timeUs: number): readonly Approval[] {
    const open = this.#open;
    if (open === null) {
      if (this.#answered !== null) this.#answered = { ...this.#answered, again: null };
      return [];
    }
    if (open.absentUs === null) this.#open = { ...open, absentUs: timeUs };
    return open.answer !== null || this.#isDue(timeUs) ? this.#close(timeUs) : [];
  }

  #isDue(timeUs: number): boolean {
    const wakeUs = this.wakeUs;
    return wakeUs !== null && timeUs >= wakeUs;
  }

  #close(timeUs: number): readonly Approval[] {
    const open = this.#open;
    if (open === null) return [];
    this.#open = null;
    const { approval, isReported, key, layout, row } = open;
    if (!isReported) return [];
    const answer = open.answer ?? key;
    const untilUs = (answer?.timeUs ?? 0) + screenTimes.echoMs * 1000;
    if (answer !== null) this.#answered = { approval, row: layout === "line" ? row : null, untilUs, again: null };
    const state = answer === null || timeUs < answer.timeUs ? "gone" : "answered";
    return [{ ...approval, state, whyHint: null, answer }];
  }

  /** Before it presses keys for somebody, the daemon says for whom. */
  #mark(event: Mark): void {
    const open = this.#open;
    if (open !== null && event.type === "approval-answer" && event.approval === open.approval.id)
      this.#open = { ...open, by: event.by };
  }

  #input({ items, isSecret }: Extract<Observation["cause"], { type: "input" }>, observation: Observation): void {
    if (this.#open === null) return;
    const typed = echoAfter(this.#open.typed, items, isSecret);
    const open = { ...this.#open, typed, canEcho: canEcho(observation) };
    this.#open = open;
    if (open.answer !== null || open.approval.state === "hint") return;
    const by = { by: open.by ?? "input", timeUs: observation.timeUs };
    if (isSecret) {
      // Masked: that something was typed is known, and no more.
      this.#open = { ...open, answer: { option: null, ...by } };
      return;
    }
    const { state, answer } = readTypedAnswer(items, open, open.keys);
    const readsKeys = open.layout === "line" && observation.foreground?.verdict === "raw";
    const key = readsKeys ? open.approval.options.find(({ id }) => id === state.text.toLowerCase()) : undefined;
    this.#open = {
      ...open,
      keys: state,
      key: key === undefined ? null : { option: key.id, ...by },
      answer: answer === null ? null : { option: answer.option, ...by },
    };
  }
}

/** If a program has turned the echo off and reads, nothing but its own output follows a key. */
function canEcho({ profile, foreground }: Observation): boolean {
  if (profile !== undefined) return false;
  const { verdict, echo } = foreground ?? {};
  return !(verdict === "password" || (verdict === "raw" && echo === false));
}

/** In another line after an answer: the same words, another question. */
function isAskedAgain({ layout, answer, row }: OpenApproval, frame: Frame): boolean {
  return layout === "line" && answer !== null && !frame.isResized && cursorLineRow(frame) !== row;
}

/** The kernel reports that the line was read: the program waits for something again, or waits no more. A key alone may be an echo only. */
function isTaken({ layout, answer }: OpenApproval, before: ForegroundVerdict, now: ForegroundVerdict): boolean {
  return layout === "line" && answer !== null && (awaitsInput(now) || (now === "busy" && awaitsInput(before)));
}

function isSameReading(one: QuestionReading, other: QuestionReading): boolean {
  const words = ({ question, details, options, isComplete }: QuestionReading): string =>
    JSON.stringify([question, details, options.map(({ id, label }) => [id, label]), isComplete]);
  return words(one) === words(other);
}

const placeOf = (frame: Frame): Place => ({
  row: cursorLineRow(frame),
  offset: frame.offset,
  timeUs: frame.timeUs,
});
