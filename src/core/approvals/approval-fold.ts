/**
 * Dialogs on the screen become approvals: opened when one stands there, answered or gone when it does not any more.
 *
 * Laws: a dialog has one id as long as it stands, also while it is painted piece by piece, folded, or drawn in another size, and the
 * fullest reading of it is kept; one that asks the same about another matter has another id; the next one has another, also where it has
 * the same words and no frame shows the screen between them, as long as a key answered the first. A dialog that vanishes without a key
 * is gone only when it has stayed away for `paintMs`: a repaint is not an answer.
 * A question that no program is known to read is a hint (see `hint.ts`): it becomes an approval with the same id when a program begins to
 * read, and a hint again when none does. A hint is reported when it has been on the screen for `paintMs`.
 * A line question is answered when the program has read the line or has written something itself, never by the terminal's echo.
 * While the protocol of a program asks, its screen asks nothing: what it shows is that question, also for a moment before it is asked and after its
 * answer.
 * Ids come from journal offsets and only grow, so a journal that is read again gives no id to another question.
 *
 * Each step has three parts: what it brought is applied, then what time has made due, then the open question is judged. What is reported
 * is the difference.
 */
import { isDialogOf, keysFor, typedFor, type AnswerKeys } from "../dialogs/answer-keys.ts";
import type { Approval } from "../dialogs/approval.ts";
import { withChecks } from "../dialogs/choices.ts";
import { fullestReading } from "../dialogs/fullest-reading.ts";
import { takesKeys, whyUnread } from "../dialogs/reader.ts";
import { scrolledTo } from "../dialogs/scrolled-list.ts";
import type { Mark } from "../records.ts";
import type { Observation, TimedReducer } from "../observe/observation.ts";
import type { ProtocolFacts } from "../observe/protocol-reader.ts";
import type { ScreenFacts } from "../observe/screen-facts.ts";
import type { Frame } from "../screen/frame.ts";
import { waits } from "../waits.ts";
import { echoAfter } from "../typing/echo.ts";
import { screenTimes } from "../screen/times.ts";
import { judgeQuestion } from "./hint.ts";
import {
  isAskedAgain,
  isNews,
  isUnknown,
  sightingOf,
  untouched,
  withReading,
  type OpenApproval,
  type Sighting,
} from "./open-approval.ts";
import { cursorLineRow, mayEcho, showsOnlyEcho, showsTyped } from "./line-echo.ts";
import { readTypedAnswer } from "./typed-answer.ts";

export interface ApprovalFoldState {
  /** Number of the last id. */
  readonly count: number;
  readonly open: OpenApproval | null;
  readonly answered: Answered | null;
  readonly cover: Cover | null;
  readonly isServed: boolean;
}

/** The protocol asks; `approval` is what the screen shows meanwhile, null if it shows no dialog. */
interface Cover {
  readonly approval: Approval | null;
}

/** The one that was answered last; what looks the same right after the key is a repaint of it. */
interface Answered {
  readonly approval: Approval;
  /** Of a line question: in another row it is no repaint. */
  readonly row: number | null;
  readonly untilUs: number;
  /** The same dialog stands again since then: where it stays it is another one. */
  readonly again: Sighting | null;
}

/** What a program draws soon after a change of size may be torn. */
const RESIZE_US = 1_500_000;
/** A key that changed nothing for so long was no answer. */
const ANSWER_US = 1_500_000;
/** Of a program without rules: a question that stands so long behind its answer is the next one, or nobody can tell. */
const SPENT_US = waits.answerMs * 1000;
/** What a terminal answered by itself, as it would be echoed. */
const REPORT = /\^\[\[[\d;?<>=]*[A-Za-z]/g;
/** What a program shows before its protocol asks the same; a dialog that it does not ask is reported after this time. */
const PROTOCOL_US = 1_000_000;
const PAINT_US = screenTimes.paintMs * 1000;

export class ApprovalFold implements TimedReducer<Approval, ApprovalFoldState> {
  #count = 0;
  #open: OpenApproval | null = null;
  #answered: Answered | null = null;
  #cover: Cover | null = null;
  /** A protocol reports what the program asks. */
  #isServed = false;
  /** What ended in the current step. */
  #ended: Approval[] = [];

  constructor(state?: ApprovalFoldState) {
    if (state === undefined) return;
    this.#count = state.count;
    this.#open = state.open;
    this.#answered = state.answered;
    this.#cover = state.cover ?? null;
    this.#isServed = state.isServed ?? false;
  }

  /** The approval that waits for an answer; null if there is none. */
  get open(): Approval | null {
    return this.#open?.approval.state === "open" ? this.#open.approval : null;
  }

  /** The keys that make `option` the answer of the open question now, like `keysFor` of `answer-keys.ts`. */
  keysFor(option: string, screen: ScreenFacts): AnswerKeys | null {
    const open = this.#open;
    if (open === null || open.approval.state === "hint" || open.spentUs !== null) return null;
    const { approval, layout } = open;
    const typed = open.typed.replaceAll(REPORT, "");
    const chosen = approval.options.find(({ id }) => id === option);
    if (layout !== "line" || chosen === undefined) return keysFor(approval, option, screen);
    const word = typedFor(chosen);
    if (!takesKeys(screen.context)) {
      // Somebody has typed it and not entered it, as a daemon that was killed between the two.
      const isThere = typed === word && showsTyped(screen.frame, approval.question, typed);
      return isThere && whyUnread(layout, screen.context) === null
        ? { keys: ["Enter"], isComplete: true }
        : keysFor(approval, option, screen);
    }
    // Some programs take a key alone, and the next one would answer the next question: it is pressed only if the program, and not the
    // terminal, has shown what was pressed behind its question, so that it has read it and wants more.
    const isWanted = typed === "" || (!open.canEcho && showsTyped(screen.frame, approval.question, typed));
    if (!isWanted || !word.startsWith(typed) || (typed === "" && keysFor(approval, option, screen) === null))
      return null;
    return typed === word
      ? { keys: ["Enter"], isComplete: true }
      : { keys: [word.charAt(typed.length)], isComplete: false };
  }

  get wakeUs(): number | null {
    const open = this.#open;
    if (open === null) return this.#answered?.again ? this.#answered.untilUs : null;
    if (open.other !== null) {
      const sinceUs = open.resized?.paintedUs ?? open.other.timeUs;
      return Math.max(sinceUs, open.answer?.timeUs ?? 0) + RESIZE_US;
    }
    const sinceUs = open.absentUs ?? open.unreadUs ?? (open.isReported ? null : open.approval.timeUs);
    return sinceUs === null ? spentUntilUs(open) : sinceUs + PAINT_US;
  }

  step(observation: Observation): readonly Approval[] {
    const before = this.#open;
    if (observation.protocol?.hasScreen === true) this.#follow(observation.protocol, observation.timeUs);
    this.#apply(observation);
    this.#applyDue(observation);
    this.#judge(observation);
    const open = this.#open;
    const ended = this.#ended;
    this.#ended = [];
    return open !== null && isNews(open, before) ? [...ended, open.approval] : ended;
  }

  save(): ApprovalFoldState {
    return {
      count: this.#count,
      open: this.#open,
      answered: this.#answered,
      cover: this.#cover,
      isServed: this.#isServed,
    };
  }

  #follow({ asks, state }: ProtocolFacts, timeUs: number): void {
    this.#isServed = state !== "unknown";
    if (asks === (this.#cover !== null)) return;
    if (asks) {
      const open = this.#open;
      this.#open = null;
      this.#cover = { approval: open?.approval ?? (this.#answered?.again ? this.#answered.approval : null) };
      this.#answered = null;
      if (open?.isReported === true) this.#ended.push({ ...open.approval, state: "gone", whyHint: null, answer: null });
      return;
    }
    const approval = this.#cover?.approval ?? null;
    this.#cover = null;
    if (approval !== null) this.#answered = { approval, row: null, untilUs: timeUs + ANSWER_US, again: null };
  }

  #apply(observation: Observation): void {
    const { cause, screen } = observation;
    switch (cause.type) {
      case "frame":
        if (screen !== null) this.#frame(screen, observation);
        return;
      case "input":
        return this.#input(cause, observation);
      case "foreground":
        return this.#probed(observation);
      case "exit":
        return this.#close(observation.timeUs);
      case "mark":
        return this.#mark(cause.mark);
      case "fact":
      case "tick":
      case "start":
      case "title":
      case "program-status":
      case "progress":
      case "tab-status":
      case "shell-mark":
      case "gap":
    }
  }

  /** What was away or in the place of the dialog for long enough. */
  #applyDue(observation: Observation): void {
    const { wakeUs } = this;
    if (wakeUs === null || observation.timeUs < wakeUs) return;
    const open = this.#open;
    if (open !== null && open.absentUs !== null && !isUnknown(open.other)) return this.#close(observation.timeUs);
    if (open !== null && (spentUntilUs(open) ?? Infinity) <= observation.timeUs) return this.#spent(open, observation);
    const next = open === null ? this.#answered?.again : open.other;
    if (!next) return;
    this.#close(observation.timeUs);
    this.#show(next, observation);
  }

  /** What stands there takes answers under another id. */
  #spent(open: OpenApproval, observation: Observation): void {
    const { screen } = observation;
    this.#open = { ...open, answer: null, key: null };
    this.#close(observation.timeUs);
    if (screen !== null && screen.dialog !== null) this.#show(sightingOf(screen.dialog, screen.frame), observation);
  }

  #judge(observation: Observation): void {
    if (this.#open === null) return;
    const open = judgeQuestion(this.#open, observation);
    if (open === null) this.#close(observation.timeUs);
    else this.#open = open;
  }

  #frame(screen: ScreenFacts, observation: Observation): void {
    const { frame, dialog } = screen;
    if (this.#cover !== null) {
      if (dialog !== null) this.#cover = { approval: this.#approvalOf(sightingOf(dialog, frame), observation) };
      return;
    }
    if (this.#isOldPicture(frame)) return;
    const asked = this.#open;
    // After an answer a list that shares options with it is another one.
    const isScrolled = dialog !== null && asked !== null && asked.answer === null;
    const read = isScrolled ? scrolledTo(asked.approval, dialog) : dialog;
    const seen = read === null ? null : sightingOf(read, frame);
    if (asked?.layout === "line" && showsOnlyEcho(frame, { ...asked, question: asked.approval.question })) {
      const shown = { ...asked, resized: null, other: null };
      if (asked.answer === null && seen !== null) this.#still(shown, seen, observation);
      else if (asked.answer === null) this.#open = { ...shown, absentUs: null };
      return;
    }
    // The program has drawn its line again, with the key in it: the answer is not complete.
    const wantsKey = asked !== null && asked.answer === null && asked.key !== null;
    if (wantsKey && showsTyped(frame, asked.approval.question, asked.typed)) {
      this.#open = { ...asked, absentUs: null, row: cursorLineRow(frame) };
      return;
    }
    // It has drawn something else: the key was all that it wanted.
    const open = wantsKey ? { ...asked, answer: asked.key } : asked;
    this.#open = open;
    if (seen === null) {
      if (!screen.isPartlyDrawn) this.#without(screen);
    } else if (open !== null && open.answer === null && isUnknown(seen) && open.layout !== "unknown") {
      // Half of a dialog that is drawn again shows only that a program takes keys.
      this.#open = { ...open, absentUs: open.absentUs ?? seen.timeUs, other: open.other ?? seen };
    } else if (open === null) this.#appeared(seen, observation);
    else if (isDialogOf(open.approval, seen.dialog) && !isAskedAgain(open, seen, frame))
      this.#still({ ...open, resized: null, other: null }, seen, observation);
    else this.#changed(open, seen, observation);
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

  #appeared(seen: Sighting, observation: Observation): void {
    const answered = this.#answered;
    const isRepaint =
      answered !== null &&
      seen.timeUs < answered.untilUs &&
      isDialogOf(answered.approval, seen.dialog) &&
      (answered.row === null || answered.row === seen.row);
    if (isRepaint) this.#answered = { ...answered, again: answered.again ?? seen };
    else if (this.#isServed) this.#await(seen, observation);
    else this.#show(seen, observation);
  }

  /** The protocol may ask the same in a moment. */
  #await(seen: Sighting, observation: Observation): void {
    const approval = this.#approvalOf(seen, observation);
    this.#answered = { approval, row: null, untilUs: seen.timeUs + PROTOCOL_US, again: seen };
  }

  #probed(observation: Observation): void {
    const { foreground, profile, reader, screen } = observation;
    this.#judge(observation);
    if (
      this.#cover !== null ||
      this.#open !== null ||
      screen === null ||
      screen.dialog === null ||
      reader.isAtShellPrompt
    )
      return;
    const readsLine = foreground?.verdict === "prompt" || foreground?.verdict === "password";
    if (readsLine || profile === undefined) this.#appeared(sightingOf(screen.dialog, screen.frame), observation);
  }

  #without({ frame, box, context: { profile } }: ScreenFacts): void {
    const open = this.#open;
    const hasNothing = profile !== undefined && profile.boxes.length > 0 && box === null;
    if (open === null) {
      if (this.#answered !== null) this.#answered = { ...this.#answered, again: null };
    } else if (open.answer !== null) this.#close(frame.timeUs);
    // On a screen that is too small for it an agent shows neither its dialog nor its box.
    else if (open.resized !== null && hasNothing) return;
    else
      this.#open = {
        ...open,
        absentUs: open.absentUs ?? frame.timeUs,
        other: isUnknown(open.other) ? null : open.other,
      };
    // If people can type again the key was taken: a later dialog is another one.
    if (box !== null) this.#answered = null;
  }

  #still(open: OpenApproval, seen: Sighting, observation: Observation): void {
    const { answer, approval } = open;
    const { selected } = seen.dialog;
    const options = withChecks(approval.options, seen.dialog.options);
    // It came back after a key answered it: the same words, another dialog. A frame from before the key shows nothing of its effect.
    if (answer !== null && open.absentUs !== null && seen.timeUs >= answer.timeUs) {
      this.#close(seen.timeUs);
      this.#show(seen, observation);
      return;
    }
    const isTicked = options !== approval.options;
    // A key that ticked a choice was no answer.
    const isVain = answer !== null && (isTicked || seen.timeUs - answer.timeUs > ANSWER_US);
    const hasMoved = selected !== approval.selected;
    this.#open = {
      ...open,
      absentUs: null,
      row: seen.row,
      answer: isVain ? null : answer,
      by: isVain ? null : open.by,
      spentUs: isTicked ? null : open.spentUs,
      keys: hasMoved ? { ...open.keys, moved: 0 } : open.keys,
      approval: hasMoved || isTicked ? { ...approval, selected, options } : approval,
    };
  }

  /** Another reading than the one that is kept: the same dialog in part, in more of it than before, or torn; else another dialog. */
  #changed(open: OpenApproval, seen: Sighting, observation: Observation): void {
    const { approval, resized } = open;
    const answer = seen.timeUs - (open.answer?.timeUs ?? seen.timeUs) > ANSWER_US ? null : open.answer;
    const { layout, ...shown } = seen.dialog;
    const isPainting = answer === null && seen.timeUs - approval.timeUs < PAINT_US;
    if (isPainting) {
      this.#open = { ...open, row: seen.row, layout, approval: { ...approval, ...shown }, absentUs: null };
      return;
    }
    const fullest = answer === null || resized !== null ? fullestReading(approval, seen.dialog) : null;
    const isBehindKey = answer !== null && seen.timeUs >= answer.timeUs;
    const isTorn = resized !== null && seen.timeUs - (resized.paintedUs ?? seen.timeUs) < RESIZE_US;
    if (fullest === null ? isTorn : isBehindKey) this.#open = { ...open, absentUs: null, other: seen };
    else if (fullest !== null)
      this.#still({ ...open, approval: withReading(approval, fullest), other: null }, seen, observation);
    else {
      this.#close(seen.timeUs);
      this.#show(seen, observation);
    }
  }

  #show(seen: Sighting, observation: Observation): void {
    const { dialog, row, offset } = seen;
    this.#answered = null;
    this.#count = Math.max(offset, this.#count + 1);
    const approval = this.#approvalOf(seen, observation);
    const { layout } = dialog;
    this.#open = { ...untouched, approval, layout, row, seenTo: offset, canEcho: mayEcho(observation) };
  }

  #approvalOf({ dialog, offset, timeUs }: Sighting, observation: Observation): Approval {
    const { layout: _, ...shown } = dialog;
    return {
      id: `a${this.#count}`,
      source: "screen",
      agent: observation.agent.agent,
      ...shown,
      offset,
      timeUs,
      state: "hint",
      whyHint: null,
      answer: null,
    };
  }

  #close(timeUs: number): void {
    const open = this.#open;
    if (open === null) return;
    this.#open = null;
    const { approval, isReported, key, layout, row } = open;
    if (!isReported) return;
    const answer = open.answer ?? key;
    const untilUs = (answer?.timeUs ?? 0) + screenTimes.echoMs * 1000;
    if (answer !== null) this.#answered = { approval, row: layout === "line" ? row : null, untilUs, again: null };
    const state = answer === null || timeUs < answer.timeUs ? "gone" : "answered";
    this.#ended.push({ ...approval, state, whyHint: null, answer });
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
    const open = { ...this.#open, typed, canEcho: mayEcho(observation) };
    this.#open = open;
    if (open.answer !== null || open.approval.state === "hint") return;
    const by = { by: open.by ?? "input", timeUs: observation.timeUs };
    if (isSecret) {
      // Masked: that something was typed is known, and no more.
      this.#open = { ...open, answer: { option: null, ...by } };
      return;
    }
    const { state, answer } = readTypedAnswer(items, open, open.keys);
    const readsKeys = open.layout === "line" && takesKeys(observation.reader);
    const key = readsKeys ? open.approval.options.find(({ id }) => id === state.text.toLowerCase()) : undefined;
    this.#open = {
      ...open,
      keys: state,
      spentUs: answer !== null && open.by !== null && open.approval.agent === null ? observation.timeUs : open.spentUs,
      key: key === undefined ? null : { option: key.id, ...by },
      answer: answer === null ? null : { option: answer.option, ...by },
    };
  }
}

const spentUntilUs = ({ spentUs }: OpenApproval): number | null => (spentUs === null ? null : spentUs + SPENT_US);
