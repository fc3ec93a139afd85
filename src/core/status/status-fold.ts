/**
 * What a session is doing, folded over its journal: every signal is kept, the most trusted that is possible decides, and what it was
 * decided by stands in the evidence.
 *
 * Laws: no word that an agent says makes a state (rules look at fixed places); readiness is a positive sign, so an agent is `waiting`
 * only where its prompt was seen or it says so itself; where signals leave a prompt and a dialog open, the answer is `unknown`.
 * The approvals that a frame shows must come before the frame: see `Watch`.
 */
import { builtInAgents } from "../agents/built-in-agents.ts";
import type { AgentRegistry } from "../agents/registry.ts";
import { AgentTracker, type AgentPresence, type AgentTrackerState } from "../observe/agent-tracker.ts";
import { findInputBox } from "../agents/input-box.ts";
import type { Agent } from "../agents/agent.ts";
import { looksLikePrompt } from "../agents/cursor-line.ts";
import type { Approval } from "../dialogs/approval.ts";
import type { Frame } from "../screen/frame.ts";
import type { Fold, Step } from "../observe/step.ts";
import { foregroundSignal, type ForegroundWord } from "./foreground-signal.ts";
import { programSignal, progressSignal, shellSignal, tabSignal, titleSignal, weakened } from "./osc-signals.ts";
import { ProgramStatus, type ProgramRecord } from "./program-status.ts";
import { quietSignal, quietTimesMs, type Activity } from "./quiet-signal.ts";
import { agentScreenSignal, approvalSignal, promptSignal } from "./screen-signal.ts";
import {
  discounted,
  noSubmission,
  submissionSignal,
  typedInto,
  agentAnswerMs,
  commandAnswerMs,
  type Submission,
} from "./submission.ts";
import { weigh, type Decision, type Signal } from "./signal.ts";
import type { SessionStatus, StatusState } from "./status.ts";
import { hearWire, noWire, wireSignal, type WireWords } from "./wire-signal.ts";

export interface StatusFoldState {
  readonly tracker: AgentTrackerState;
  readonly records: readonly ProgramRecord[];
  readonly kept: Kept;
  readonly status: SessionStatus | null;
}

/** The last word of each kind; null where there is none. */
interface Kept {
  readonly progress: Signal | null;
  readonly tab: Signal | null;
  readonly title: { readonly text: string; readonly offset: number; readonly timeUs: number } | null;
  /** Of the session's shell, and of anything else that prints marks since the shell's last one. */
  readonly marks: Signal | null;
  readonly untrustedMarks: Signal | null;
  readonly foreground: ForegroundWord | null;
  readonly wire: WireWords;
  readonly screen: Signal | null;
  /** Since when the screen says nothing; null while it does. */
  readonly unreadableUs: number | null;
  readonly approval: Approval | null;
  readonly activity: Activity;
  readonly submission: Submission;
  /** Row of the cursor, counted since the beginning: in the last frame, and when a line was sent. */
  readonly row: number;
  readonly sentRow: number;
  /** Since when nothing decides; null while something does. */
  readonly unclearUs: number | null;
  /** Since when a program is starting; null where it has shown what it does. */
  readonly startingUs: number | null;
  readonly exit: Signal | null;
  readonly offset: number;
  readonly timeUs: number;
}

/** While a screen is painted its last word holds for so long. */
const unreadableMs = 1000;
/** Between two words of a program its last state holds for so long. */
const unclearMs = 500;
/** A program that shows nothing for so long is not starting any more. */
const startingMs = 30_000;

const nothing: Kept = {
  progress: null,
  tab: null,
  title: null,
  marks: null,
  untrustedMarks: null,
  foreground: null,
  wire: noWire,
  screen: null,
  unreadableUs: null,
  approval: null,
  activity: { outputUs: null, ownUs: null, inputUs: null, line: "" },
  submission: noSubmission,
  row: 0,
  sentRow: 0,
  unclearUs: null,
  startingUs: null,
  exit: null,
  offset: 0,
  timeUs: 0,
};

export class StatusFold implements Fold<SessionStatus, StatusFoldState> {
  readonly #tracker: AgentTracker;
  readonly #program: ProgramStatus;
  #kept: Kept = nothing;
  #status: SessionStatus | null = null;

  constructor(state?: StatusFoldState, agents: AgentRegistry = builtInAgents) {
    this.#tracker = new AgentTracker(state?.tracker, agents);
    this.#program = new ProgramStatus(state?.records);
    if (state === undefined) return;
    this.#kept = { ...nothing, ...state.kept };
    // An older version did not tell whose marks it kept.
    if (!("untrustedMarks" in state.kept)) this.#keep({ marks: null, untrustedMarks: this.#kept.marks });
    this.#status = state.status;
  }

  /** Null before the first step. */
  get status(): SessionStatus | null {
    return this.#status;
  }

  get wakeUs(): number | null {
    const { unreadableUs, screen, startingUs, exit, activity, submission, unclearUs } = this.#kept;
    if (exit !== null) return null;
    const times = [
      screen !== null && unreadableUs !== null ? unreadableUs + unreadableMs * 1000 : null,
      startingUs === null ? null : startingUs + startingMs * 1000,
      unclearUs === null ? null : unclearUs + unclearMs * 1000,
      submission.sentUs === null ? null : submission.sentUs + this.#answerMs * 1000,
      this.#hearsQuiet ? quietWakeUs(activity, this.#kept.timeUs) : null,
    ].filter((time) => time !== null && time > this.#kept.timeUs);
    return times.length === 0 ? null : Math.min(...(times as number[]));
  }

  step(step: Step): readonly SessionStatus[] {
    const presence = this.#tracker.step(step);
    this.#keep(placeOf(step, this.#kept));
    if (this.#status === null) this.#keep({ startingUs: this.#kept.timeUs });
    if (presence !== null) this.#enter(presence);
    this.#hear(step);
    return this.#decide();
  }

  save(): StatusFoldState {
    return {
      tracker: this.#tracker.save(),
      records: this.#program.save(),
      kept: this.#kept,
      status: this.#status,
    };
  }

  /** What one program said is nothing to the next. */
  #enter({ agent, timeUs }: AgentPresence): void {
    const { foreground, exit, offset, timeUs: now, activity } = this.#kept;
    this.#program.clear();
    this.#kept = {
      ...nothing,
      foreground,
      exit,
      offset,
      timeUs: now,
      activity,
      startingUs: agent === null ? null : timeUs,
    };
  }

  #hear(step: Step): void {
    switch (step.type) {
      case "start":
        this.#keep({ startingUs: step.timeUs });
        break;
      case "osc":
        this.#command(step);
        break;
      case "shell-mark":
        this.#shellMark(step);
        break;
      case "frame":
        this.#frame(step.frame);
        break;
      case "input":
        this.#input(step);
        break;
      case "foreground": {
        const { verdict, program, offset, timeUs } = step;
        this.#keep({ foreground: { verdict, program, offset, timeUs } });
        this.#dropAtPrompt();
        break;
      }
      case "approval":
        this.#keep({ approval: step.approval.state === "open" ? step.approval : this.#without(step.approval) });
        break;
      case "mark":
        this.#keep({ wire: hearWire(this.#kept.wire, step) });
        break;
      case "exit":
        this.#program.dropActivity();
        this.#keep({ exit: exitSignal(step), approval: null });
        break;
      case "gap":
        // What was said may have been taken back where nobody saw it.
        this.#program.clear();
        this.#keep({ progress: null, tab: null, title: null, wire: noWire, screen: null });
        this.#keep({ marks: null, untrustedMarks: null });
        break;
      case "tick":
        break;
    }
  }

  #input(step: Extract<Step, { type: "input" }>): void {
    const { activity, submission: before, row, sentRow } = this.#kept;
    // Keys for a dialog are no prompt.
    const isPrompt = !step.isSecret && this.#status?.state !== "blocked";
    const submission = isPrompt ? typedInto(before, step, this.#isAgent) : noSubmission;
    const hasSent = submission.sentUs !== before.sentUs;
    this.#keep({
      activity: { ...activity, inputUs: step.timeUs },
      submission,
      sentRow: hasSent ? row : sentRow,
    });
  }

  #command({ sequence, timeUs }: Extract<Step, { type: "osc" }>): void {
    const { offset, command, data } = sequence;
    if (command === 7501) this.#program.apply(data, { offset, timeUs });
    if (command === 0 || command === 2) this.#keep({ title: { text: data, offset, timeUs } });
    const progress = progressSignal(sequence, timeUs);
    if (progress !== null) this.#keep({ progress });
    const tab = tabSignal(sequence, timeUs);
    if (tab !== undefined) this.#keep({ tab });
  }

  #shellMark({ mark, offset, timeUs }: Extract<Step, { type: "shell-mark" }>): void {
    // Of an agent they are about its messages.
    if (this.#isAgent) return;
    const signal = shellSignal(mark, { offset, timeUs });
    if (signal === undefined) return;
    if (mark.isTrusted) this.#keep({ marks: signal, untrustedMarks: null });
    else this.#keep({ untrustedMarks: signal });
    this.#dropAtPrompt();
  }

  /** What ran before a prompt is over. A prompt that any program can have printed counts only while the kernel does not report a busy one. */
  #dropAtPrompt(): void {
    const { marks, untrustedMarks, foreground } = this.#kept;
    if (marks?.says === "waiting") this.#program.dropActivity(marks.offset);
    if (untrustedMarks?.says === "waiting" && foreground?.verdict !== "busy")
      this.#program.dropActivity(untrustedMarks.offset);
  }

  #frame(frame: Frame): void {
    const { profile, prompt } = this.#tracker;
    const screen = profile === undefined ? promptSignal(frame, prompt) : agentScreenSignal(frame, profile);
    const activity = activityOf(this.#kept.activity, frame);
    const row = frame.topLine + frame.cursor.row;
    this.#keep({ row });
    if (isAnswered(this.#kept, frame, { screen, profile })) this.#answered();
    if (screen !== null) {
      this.#keep({ screen, unreadableUs: null, activity });
      return;
    }
    const { unreadableUs, screen: last } = this.#kept;
    const since = unreadableUs ?? frame.timeUs;
    // A shell's prompt that is not there any more is gone at once; an agent paints its screen piece by piece.
    const isOver = profile === undefined || frame.timeUs - since >= unreadableMs * 1000;
    this.#keep({ screen: isOver ? null : last, unreadableUs: since, activity });
  }

  #keep(change: Partial<Kept>): void {
    this.#kept = { ...this.#kept, ...change };
  }

  #without(approval: Approval): Approval | null {
    return this.#kept.approval?.id === approval.id ? null : this.#kept.approval;
  }

  get #isAgent(): boolean {
    return this.#tracker.profile !== undefined;
  }

  /** An agent with a box shows on its screen whether it works; that it writes says nothing. */
  get #hearsQuiet(): boolean {
    const { profile } = this.#tracker;
    return profile === undefined || profile.boxes.length === 0;
  }

  get #answerMs(): number {
    return this.#isAgent ? agentAnswerMs : commandAnswerMs;
  }

  #decide(): readonly SessionStatus[] {
    const status = this.#statusOf(this.#held(this.#weigh()));
    const before = this.#status;
    if (before !== null && isSame(before, status)) return [];
    this.#status = status;
    return [status];
  }

  /** Between two words a program is what it was; only what stays unclear is unknown. */
  #held(decision: Decision): Decision {
    const before = this.#status;
    if (decision.state !== "unknown" || before === null || before.agent !== this.#tracker.presence.agent) {
      if (this.#kept.unclearUs !== null) this.#keep({ unclearUs: null });
      return decision;
    }
    const unclearUs = this.#kept.unclearUs ?? this.#kept.timeUs;
    this.#keep({ unclearUs });
    const isOver = this.#kept.timeUs - unclearUs >= unclearMs * 1000;
    return isOver || before.state === "blocked" ? decision : { ...decision, state: before.state };
  }

  #weigh(): Decision {
    const { exit } = this.#kept;
    if (exit !== null) return weigh([exit]);
    const decision = this.#afterSending(this.#signals());
    return this.#isStarting(decision) ? { ...decision, state: "starting", by: null } : decision;
  }

  /** A prompt that was there when a line was sent does not mean that it was answered. */
  #afterSending(heard: readonly Signal[]): Decision {
    const { submission, timeUs } = this.#kept;
    const plain = weigh(heard);
    const sent = submissionSignal(submission, timeUs, this.#isAgent);
    if (sent === null || submission.sentUs === null) return plain;
    const isAnswer = plain.state === "working" || plain.state === "blocked";
    if (this.#isAgent && isAnswer && plain.by !== null && plain.by.timeUs > submission.sentUs) {
      this.#answered();
      return plain;
    }
    return weigh([...heard.map((signal) => discounted(signal, submission)), sent]);
  }

  #answered(): void {
    this.#keep({ submission: { ...this.#kept.submission, sentUs: null } });
  }

  #signals(): Signal[] {
    const { unreadableUs, timeUs, offset, approval, title, foreground, activity, wire } = this.#kept;
    const { progress, tab, marks, untrustedMarks, screen } = this.#kept;
    const { profile } = this.#tracker;
    const kernel = foreground === null ? null : foregroundSignal(foreground, profile !== undefined);
    const isStale = unreadableUs !== null && timeUs - unreadableUs >= unreadableMs * 1000;
    const record = this.#program.strongest;
    return [
      wireSignal(wire, timeUs),
      record === null ? null : programSignal(record),
      progress,
      tab,
      title === null || profile === undefined ? null : titleSignal(title, profile),
      marks,
      // Not even until the kernel reports what has changed: a prompt would be typed in that moment.
      kernel === null || untrustedMarks === null ? untrustedMarks : weakened(untrustedMarks),
      kernel,
      approval === null ? null : approvalSignal(approval),
      approval !== null || isStale ? null : screen,
      this.#hearsQuiet ? quietSignal(activity, { timeUs, offset, foreground, isAgent: profile !== undefined }) : null,
    ].filter((signal) => signal !== null);
  }

  /** Until a program shows its prompt or a dialog, or says that it works, it starts. */
  #isStarting({ state, by }: Decision): boolean {
    const { startingUs, timeUs, screen } = this.#kept;
    if (startingUs === null) return false;
    // A question at its start, such as one of trust: it starts behind the answer.
    if (state === "blocked") {
      this.#keep({ startingUs: timeUs });
      return false;
    }
    const hasShown =
      (state === "working" && by?.kind !== "quiet") || (state === "waiting" && (!this.#isAgent || screen !== null));
    if (!hasShown && timeUs - startingUs < startingMs * 1000) return true;
    this.#keep({ startingUs: null });
    return false;
  }

  #statusOf({ state, by, evidence }: Decision): SessionStatus {
    const { approval, offset, timeUs } = this.#kept;
    const before = this.#status;
    const blocking = state === "blocked" ? (approval?.id ?? null) : null;
    const isSameState = before !== null && before.state === state && before.approval === blocking;
    return {
      state,
      summary: summaryOf(state, by, approval),
      sinceUs: isSameState ? before.sinceUs : timeUs,
      offset: isSameState ? before.offset : offset,
      agent: this.#tracker.presence.agent,
      approval: blocking,
      evidence,
    };
  }
}

function placeOf(step: Step, before: Kept): { readonly offset: number; readonly timeUs: number } {
  switch (step.type) {
    case "osc":
      return { offset: step.sequence.offset, timeUs: step.timeUs };
    case "frame":
      return { offset: step.frame.offset, timeUs: step.frame.timeUs };
    case "approval": {
      const { offset, timeUs } = step.approval;
      return { offset: Math.max(offset, before.offset), timeUs: Math.max(timeUs, before.timeUs) };
    }
    case "tick":
      return { offset: before.offset, timeUs: step.timeUs };
    default:
      return { offset: step.offset, timeUs: step.timeUs };
  }
}

/** An echo of what is typed is no activity. */
const echoMs = 150;

function activityOf(before: Activity, frame: Frame): Activity {
  const isEcho = before.inputUs !== null && frame.timeUs - before.inputUs < echoMs * 1000;
  const row = frame.lines[frame.cursor.row]?.text ?? "";
  const line = frame.cursor.isVisible && !frame.isAlternate && looksLikePrompt(row) ? row.slice(0, 200) : "";
  return { ...before, line, outputUs: frame.timeUs, ownUs: isEcho ? before.ownUs : frame.timeUs };
}

/** A shell answers with its prompt; an agent that still shows the text in its box has not taken it. */
function isAnswered(
  { submission: { sentUs, sent }, row, sentRow }: Kept,
  frame: Frame,
  seen: { readonly screen: Signal | null; readonly profile: Agent | undefined },
): boolean {
  if (sentUs === null) return false;
  const isLate = frame.timeUs - sentUs >= echoMs * 1000;
  if (seen.profile === undefined) return seen.screen !== null && (row !== sentRow || isLate);
  if (!isLate) return false;
  const box = findInputBox(frame.lines, seen.profile.boxes);
  const last = sent.split("\n").at(-1)?.trim() ?? "";
  if (box === null || last === "") return false;
  return frame.lines.slice(box.first, box.last + 1).some(({ text }) => text.includes(last));
}

function exitSignal({ code, signal, offset, timeUs }: Extract<Step, { type: "exit" }>): Signal {
  const text = signal === null ? (code === null ? "nobody saw it end" : `exit code ${code}`) : `signal ${signal}`;
  return { kind: "exit", says: "exited", allows: ["exited"], isFirm: true, text, rule: null, offset, timeUs };
}

function summaryOf(state: StatusState, by: Signal | null, approval: Approval | null): string {
  if (state === "blocked" && approval !== null) return approval.question;
  if (state === "starting") return "has not shown its prompt yet";
  if (by === null) return "nothing says what it does";
  return by.kind === "quiet" || by.kind === "exit" ? by.text : `${by.kind}: ${by.text}`;
}

/** Evidence changes with every spinner and key; only another decision, or another conflict, is a change. */
function isSame(one: SessionStatus, two: SessionStatus): boolean {
  return (
    one.state === two.state && one.agent === two.agent && one.approval === two.approval && wordsOf(one) === wordsOf(two)
  );
}

function wordsOf({ evidence }: SessionStatus): string {
  const by = evidence.find(({ isDecisive }) => isDecisive)?.signal ?? "";
  const others = evidence.filter(({ isDecisive, signal }) => !isDecisive && signal !== "quiet" && signal !== "input");
  return [by, ...others.map(({ signal, says }) => `${signal}=${says}`)].join(" ");
}

function quietWakeUs({ outputUs }: Activity, timeUs: number): number | null {
  if (outputUs === null) return null;
  const due = quietTimesMs.map((milliseconds) => outputUs + milliseconds * 1000).find((time) => time > timeUs);
  return due ?? null;
}
