/**
 * Dialogs on the screen become approvals: opened when one stands there, answered or gone when it does not any more.
 *
 * Laws: a dialog has one id as long as it stands, also while it is painted piece by piece; the next one has another, also where it has
 * the same words and no frame shows the screen between them, as long as a key answered the first. A dialog that vanishes without a key
 * is gone only when it has stayed away for `goneMs`: a repaint is not an answer.
 */
import { cursorLine } from "../agents/cursor-line.ts";
import { findInputBox } from "../agents/input-box.ts";
import { AgentTracker, type AgentTrackerState } from "../agents/tracker.ts";
import type { DraftContext } from "../prompts/draft.ts";
import type { Frame } from "../screen/frame.ts";
import type { Fold, Step } from "../views/fold.ts";
import { isDialogOf } from "./answer-keys.ts";
import type { Approval } from "./approval.ts";
import { readDialog, type Dialog, type DialogContext } from "./dialog.ts";
import { noKeys, readAnswer, type AnswerState } from "./typed-answer.ts";

export interface ApprovalFoldState {
  readonly tracker: AgentTrackerState;
  readonly count: number;
  readonly open: OpenApproval | null;
  readonly verdict: string | null;
  readonly answered: Answered | null;
}

/** The one that was answered last; what looks the same right after the key is a repaint of it. */
interface Answered {
  readonly approval: Approval;
  readonly untilUs: number;
  /** The same dialog stands again since then: where it stays it is another one. */
  readonly again: { readonly dialog: Dialog; readonly offset: number; readonly timeUs: number } | null;
}

interface OpenApproval {
  readonly approval: Approval;
  readonly layout: Dialog["layout"];
  /** Since when the dialog is not on the screen; null while it is. */
  readonly absentUs: number | null;
  readonly keys: AnswerState;
  /** A key that answers came; the dialog is expected to go. */
  readonly answer: Approval["answer"];
  /** Whose keys come now, where a mark of the daemon said so. */
  readonly by: string | null;
}

/** A dialog that is still being painted changes its words; after this it is another one. */
const paintingMs = 400;
/** Without a key. */
const goneMs = 400;
/** A key that changed nothing for so long was no answer. */
const answerMs = 1500;
/** So long after a key some agents paint the dialog once more that it answered. */
const repaintMs = 150;

export class ApprovalFold implements Fold<Approval, ApprovalFoldState> {
  readonly #tracker: AgentTracker;
  #count = 0;
  #open: OpenApproval | null = null;
  #verdict: string | null = null;
  #answered: Answered | null = null;

  constructor(state?: ApprovalFoldState) {
    this.#tracker = new AgentTracker(state?.tracker);
    if (state === undefined) return;
    this.#count = state.count;
    this.#open = state.open;
    this.#verdict = state.verdict;
    this.#answered = state.answered;
  }

  /** The one that stands now; null where none does. */
  get open(): Approval | null {
    return this.#open?.approval ?? null;
  }

  /** What `keysFor` and `standsOn` need beside the frame. */
  get context(): DialogContext {
    const { profile, prompt } = this.#tracker;
    return { profile, verdict: this.#verdict, prompt: profile === undefined ? prompt : null };
  }

  /** What `draftOf` needs beside the frame. */
  get draftContext(): DraftContext {
    const { profile, prompt, typed } = this.#tracker;
    return { profile, prompt, typed };
  }

  get wakeUs(): number | null {
    const absentUs = this.#open?.absentUs ?? null;
    if (absentUs !== null) return absentUs + goneMs * 1000;
    return this.#open === null && this.#answered?.again ? this.#answered.untilUs : null;
  }

  step(step: Step): readonly Approval[] {
    this.#tracker.step(step);
    switch (step.type) {
      case "frame":
        return this.#frame(step.frame);
      case "input":
        this.#input(step);
        return [];
      case "foreground":
        this.#verdict = step.verdict;
        return step.frame === undefined || this.#open !== null ? [] : this.#appeared(step.frame);
      case "exit":
        return this.#close(step.timeUs);
      case "tick":
        if (this.#open === null) return this.#stands(step.timeUs);
        return this.#isGone(step.timeUs) ? this.#close(step.timeUs) : [];
      case "mark":
        this.#mark(step.event);
        return [];
      case "start":
      case "osc":
      case "approval":
      case "gap":
        return [];
    }
  }

  save(): ApprovalFoldState {
    return {
      tracker: this.#tracker.save(),
      count: this.#count,
      open: this.#open,
      verdict: this.#verdict,
      answered: this.#answered,
    };
  }

  #frame(frame: Frame): readonly Approval[] {
    const dialog = readDialog(frame, this.context);
    const open = this.#open;
    if (dialog === null) return open !== null && isBeingTyped(open, frame) ? [] : this.#without(frame);
    if (open === null) return this.#appeared(frame, dialog);
    if (isDialogOf(open.approval, dialog)) return this.#still(open, dialog, frame);
    // Without a key, other words about the same question are the same dialog: it is painted, or a clock turns in it.
    const isPainting =
      open.answer === null &&
      (frame.timeUs - open.approval.timeUs < paintingMs * 1000 || isSameQuestion(open.approval, dialog));
    if (isTypedOn(open, dialog)) return [];
    if (isPainting) return this.#change(open, dialog);
    return [...this.#close(frame.timeUs), this.#show(dialog, frame)];
  }

  #appeared(frame: Frame, dialog: Dialog | null = readDialog(frame, this.context)): readonly Approval[] {
    return dialog === null || this.#isRepaint(dialog, frame) ? [] : [this.#show(dialog, frame)];
  }

  #without(frame: Frame): readonly Approval[] {
    const changes = this.#absent(frame.timeUs);
    // Where people can type again the key was taken: a dialog behind that is another one.
    const { profile } = this.#tracker;
    if (profile !== undefined && findInputBox(frame.lines, profile.boxes) !== null) this.#answered = null;
    return changes;
  }

  /** Kept for the time when it is none any more. */
  #isRepaint(dialog: Dialog, { offset, timeUs }: Frame): boolean {
    const answered = this.#answered;
    if (answered === null || timeUs >= answered.untilUs || !isDialogOf(answered.approval, dialog)) return false;
    this.#answered = { ...answered, again: answered.again ?? { dialog, offset, timeUs } };
    return true;
  }

  /** The same dialog as before the key is still there. */
  #stands(timeUs: number): readonly Approval[] {
    const { again, untilUs } = this.#answered ?? { again: null, untilUs: 0 };
    return again === null || timeUs < untilUs ? [] : [this.#show(again.dialog, again)];
  }

  #still(open: OpenApproval, dialog: Dialog, frame: Frame): readonly Approval[] {
    const { answer } = open;
    // It came back after a key answered it: the same words, another dialog.
    if (answer !== null && open.absentUs !== null) return [...this.#close(frame.timeUs), this.#show(dialog, frame)];
    const isVain = answer !== null && frame.timeUs - answer.timeUs > answerMs * 1000;
    const moved = dialog.selected !== open.approval.selected;
    this.#open = {
      ...open,
      absentUs: null,
      answer: isVain ? null : answer,
      keys: moved ? { ...open.keys, moved: 0 } : open.keys,
      approval: { ...open.approval, selected: dialog.selected },
    };
    return moved ? [this.#open.approval] : [];
  }

  #change(open: OpenApproval, dialog: Dialog): readonly Approval[] {
    const { layout, ...shown } = dialog;
    const approval = { ...open.approval, ...shown };
    this.#open = { ...open, layout, approval, absentUs: null };
    return [approval];
  }

  #show(dialog: Dialog, { offset, timeUs }: Pick<Frame, "offset" | "timeUs">): Approval {
    const { layout, ...shown } = dialog;
    this.#answered = null;
    this.#count += 1;
    const approval: Approval = {
      id: `a${this.#count}`,
      source: "screen",
      agent: this.#tracker.presence.agent,
      ...shown,
      offset,
      timeUs,
      state: "open",
      answer: null,
    };
    this.#open = { approval, layout, absentUs: null, keys: noKeys, answer: null, by: null };
    return approval;
  }

  #absent(timeUs: number): readonly Approval[] {
    const open = this.#open;
    if (open === null) {
      if (this.#answered !== null) this.#answered = { ...this.#answered, again: null };
      return [];
    }
    if (open.absentUs === null) this.#open = { ...open, absentUs: timeUs };
    return open.answer !== null || this.#isGone(timeUs) ? this.#close(timeUs) : [];
  }

  #isGone(timeUs: number): boolean {
    const wakeUs = this.wakeUs;
    return wakeUs !== null && timeUs >= wakeUs;
  }

  #close(timeUs: number): readonly Approval[] {
    const open = this.#open;
    if (open === null) return [];
    this.#open = null;
    const { answer, approval } = open;
    if (answer !== null) this.#answered = { approval, untilUs: answer.timeUs + repaintMs * 1000, again: null };
    return [{ ...approval, state: answer === null || timeUs < answer.timeUs ? "gone" : "answered", answer }];
  }

  /** Before it presses keys for somebody, the daemon says for whom. */
  #mark(event: { readonly type: string }): void {
    const open = this.#open;
    if (open !== null && isAnswerMark(event) && event.approval === open.approval.id)
      this.#open = { ...open, by: event.by };
  }

  #input(step: Extract<Step, { type: "input" }>): void {
    const open = this.#open;
    if (open === null || open.answer !== null) return;
    const { timeUs } = step;
    if (step.isSecret) {
      // Masked: what was typed is nobody's business, that it was typed is.
      this.#open = { ...open, answer: { option: null, by: open.by ?? "input", timeUs } };
      return;
    }
    const { state, answer } = readAnswer(step.bytes, open.approval, open.layout, open.keys);
    this.#open = {
      ...open,
      keys: state,
      answer: answer === null ? null : { option: answer.option, by: open.by ?? "input", timeUs },
    };
  }
}

/** A line question whose answer is being typed: the line goes on behind it. */
function isTypedOn(open: OpenApproval, dialog: Dialog): boolean {
  return open.layout === "line" && dialog.layout === "line" && dialog.question.startsWith(open.approval.question);
}

function isSameQuestion(approval: Approval, dialog: Dialog): boolean {
  const words = ({ question, options }: Approval | Dialog): string =>
    JSON.stringify([question, options.map(({ id, label }) => [id, label])]);
  return words(approval) === words(dialog);
}

function isBeingTyped({ layout, approval }: OpenApproval, frame: Frame): boolean {
  return layout === "line" && !frame.isAlternate && cursorLine(frame).before.trim().startsWith(approval.question);
}

/** The mark `approval-answer` of the journal; `protocol/records.ts` has it too. */
interface AnswerMark {
  readonly type: "approval-answer";
  readonly approval: string;
  readonly by: string;
}

const isAnswerMark = (event: { readonly type: string }): event is AnswerMark => event.type === "approval-answer";
