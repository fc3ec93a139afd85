/**
 * What a session is doing, reduced from its observations: every signal is kept, the most trusted that is possible decides, and the
 * evidence has them all.
 *
 * Laws: no words of an agent make a state (rules read fixed places); readiness is a positive sign, so an agent is `waiting` only if
 * its prompt was seen or it reports so itself; if signals leave both a prompt and a dialog possible, the state is `unknown`.
 * The approvals that an observation brings come before it: see `SessionReducers`.
 */
import type { Approval } from "../dialogs/approval.ts";
import { questionLine } from "../dialogs/question-line.ts";
import type { Cause, ForegroundState, Observation, TimedReducer } from "../observe/observation.ts";
import type { ScreenFacts } from "../observe/screen-facts.ts";
import { awaitsInput } from "../records.ts";
import type { Frame } from "../screen/frame.ts";
import type { ShellMark } from "../shell-marks/shell-mark.ts";
import { unansweredAfter, type Unanswered } from "../typing/unanswered.ts";
import { screenTimes } from "../screen/times.ts";
import { statusTimes } from "./times.ts";
import { fileSignal, STATUS_SOURCE } from "./file-signal.ts";
import { foregroundSignal } from "./foreground-signal.ts";
import {
  programSignal,
  progressSignal,
  shellSignal,
  tabSignal,
  titleSignal,
  weakened,
  type SignalPlace,
} from "./osc-signals.ts";
import { protocolSignal } from "./protocol-signal.ts";
import { ProgramRecords, type ProgramRecord } from "./program-records.ts";
import { activityOf, quietSignal, quietWakeUs, type Activity } from "./quiet-signal.ts";
import { agentScreenSignal, approvalSignal, promptSignal } from "./screen-signal.ts";
import { weigh, type StatusDecision, type Signal } from "./signal.ts";
import type { SessionStatus, StatusState } from "./status.ts";
import { discounted, isForgotten, unansweredSignal, unansweredWakesUs } from "./unanswered-signal.ts";
import { currentLimit, limitAfter, limitSummary, limitWakeUs, type LimitState } from "./usage-limit.ts";
import { noWire, wireAfter, wireSignal, wireWakeUs, type WireState } from "./wire-signal.ts";

const SUMMARY_CHARS_MAX = 300;

export interface StatusFoldState {
  readonly records: readonly ProgramRecord[];
  readonly inputs: Inputs;
  readonly status: SessionStatus | null;
}

/** The last signal of each kind, and what decides between them; null if there is none. */
interface Inputs {
  /** The agent in the foreground; null without one. */
  readonly agent: string | null;
  /** Its screen can be read: else it is treated as a program of which nothing is known. */
  readonly hasRules: boolean;
  /** Silence and output say something: not of an agent with an input box, whose screen shows whether it works. */
  readonly usesQuiet: boolean;
  readonly progress: Signal | null;
  readonly tab: Signal | null;
  readonly title: Signal | null;
  /** Of the file in which the agent says so itself. */
  readonly file: Signal | null;
  /** Of the session's shell, and of anything else that prints marks since the shell's last one. */
  readonly marks: Signal | null;
  readonly untrustedMarks: Signal | null;
  readonly foreground: ForegroundState | null;
  /** Of the protocol that the agent speaks. */
  readonly protocol: Signal | null;
  readonly wire: WireState;
  readonly screen: Signal | null;
  /** Since when no rule fits the screen; null while one does. */
  readonly unreadableUs: number | null;
  readonly approval: Approval | null;
  readonly limit: LimitState;
  readonly activity: Activity;
  readonly unanswered: Unanswered | null;
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

const nothing: Inputs = {
  agent: null,
  hasRules: false,
  usesQuiet: true,
  progress: null,
  tab: null,
  title: null,
  file: null,
  marks: null,
  untrustedMarks: null,
  foreground: null,
  protocol: null,
  wire: noWire,
  screen: null,
  unreadableUs: null,
  approval: null,
  limit: null,
  activity: { outputUs: null, ownUs: null, inputUs: null, line: "" },
  unanswered: null,
  row: 0,
  sentRow: 0,
  unclearUs: null,
  startingUs: null,
  exit: null,
  offset: 0,
  timeUs: 0,
};

export class StatusFold implements TimedReducer<SessionStatus, StatusFoldState> {
  readonly #program: ProgramRecords;
  /** Patched in place: it changes several times at each step. */
  #inputs: Inputs = { ...nothing };
  #status: SessionStatus | null = null;

  constructor(state?: StatusFoldState) {
    this.#program = new ProgramRecords(state?.records);
    if (state === undefined) return;
    this.#inputs = { ...state.inputs };
    this.#status = state.status;
  }

  /** Null before the first step. */
  get status(): SessionStatus | null {
    return this.#status;
  }

  get wakeUs(): number | null {
    const { unreadableUs, screen, startingUs, exit, activity, unanswered, unclearUs, timeUs } = this.#inputs;
    if (exit !== null) return null;
    const times = [
      screen !== null && unreadableUs !== null ? unreadableUs + statusTimes.unreadableMs * 1000 : null,
      startingUs === null ? null : startingUs + statusTimes.silentMs * 1000,
      unclearUs === null ? null : unclearUs + statusTimes.unclearMs * 1000,
      this.#reportDueUs,
      wireWakeUs(this.#inputs.wire),
      limitWakeUs(this.#inputs.limit),
      ...(unanswered === null ? [] : unansweredWakesUs(unanswered, this.#isAgent)),
      this.#inputs.usesQuiet ? quietWakeUs(activity, timeUs) : null,
    ].filter((time) => time !== null && time > timeUs);
    return times.length === 0 ? null : Math.min(...(times as number[]));
  }

  /** An approval has changed; called before the step of the observation that changed it. */
  approve(approval: Approval, { offset, timeUs }: SignalPlace): readonly SessionStatus[] {
    this.#moveTo(offset, timeUs);
    const open = this.#inputs.approval;
    this.#patch({ approval: approval.state === "open" ? approval : open?.id === approval.id ? null : open });
    return this.#decide();
  }

  step(observation: Observation): readonly SessionStatus[] {
    const { profile, foreground } = observation;
    this.#moveTo(observation.offset, observation.timeUs);
    if (observation.hasAgentChanged) this.#enter(observation);
    const usesQuiet = profile === undefined || profile.boxes.length === 0;
    this.#patch({ agent: observation.agent.agent, hasRules: profile !== undefined, usesQuiet, foreground });
    this.#patch({ limit: limitAfter(this.#inputs.limit, observation) });
    this.#apply(observation.cause, observation);
    return this.#decide();
  }

  save(): StatusFoldState {
    return { records: this.#program.save(), inputs: { ...this.#inputs }, status: this.#status };
  }

  #moveTo(offset: number, timeUs: number): void {
    this.#patch(this.#status === null ? { offset, timeUs, startingUs: timeUs } : { offset, timeUs });
  }

  /** State from the previous program is discarded. */
  #enter({ agent: { agent, timeUs: startedUs } }: Observation): void {
    const { exit, offset, timeUs, activity, approval } = this.#inputs;
    this.#program.clear();
    this.#inputs = {
      ...nothing,
      exit,
      offset,
      timeUs,
      activity,
      // It was read from the same screen as the agent itself.
      approval: approval?.agent === agent ? approval : null,
      startingUs: agent === null ? null : startedUs,
    };
  }

  #apply(cause: Cause, observation: Observation): void {
    const { offset, timeUs, screen } = observation;
    const at = { offset, timeUs };
    switch (cause.type) {
      case "start":
        this.#patch({ startingUs: timeUs });
        break;
      case "title":
        this.#readTitle(cause.text, observation);
        break;
      case "program-status":
        if (cause.change !== null) this.#program.apply(cause.change, at);
        break;
      case "progress":
        this.#patch({ progress: progressSignal(cause, at) });
        break;
      case "tab-status":
        this.#patch({ tab: tabSignal(cause.status, at) });
        break;
      case "shell-mark":
        this.#shellMark(cause.mark, at);
        break;
      case "frame":
        if (cause.hasNewRules === true) this.#readTitle(screen?.frame.title ?? "", observation);
        if (screen !== null) this.#frame(screen, observation);
        break;
      case "input":
        this.#input(cause, observation.hasAgentChanged);
        break;
      case "foreground":
        this.#dropAtPrompt();
        break;
      case "mark":
        this.#patch({ wire: wireAfter(this.#inputs.wire, cause.mark, at) });
        this.#protocol(observation, at);
        break;
      case "exit":
        this.#program.dropActivity();
        this.#patch({ exit: exitSignal(cause, at), approval: null });
        break;
      case "gap":
        // What was reported may have been taken back in the bytes that are missing.
        this.#program.clear();
        this.#patch({
          progress: null,
          tab: null,
          title: null,
          wire: noWire,
          screen: null,
          marks: null,
          untrustedMarks: null,
        });
        break;
      case "fact":
        if (cause.source === STATUS_SOURCE) this.#patch({ file: fileSignal(cause.payload, at) });
        this.#protocol(observation, at);
        break;
      case "tick":
        break;
    }
  }

  #protocol({ protocol }: Observation, at: SignalPlace): void {
    if (protocol !== null) this.#patch({ protocol: protocolSignal(this.#inputs.protocol, protocol, at) });
  }

  #readTitle(text: string, { offset, timeUs, profile }: Observation): void {
    this.#patch({ title: profile === undefined ? null : titleSignal({ text, offset, timeUs }, profile) });
  }

  #input({ lines, isSecret }: Extract<Cause, { type: "input" }>, startsAgent: boolean): void {
    const { activity, unanswered: before, row, sentRow, offset, timeUs } = this.#inputs;
    // Keys for a dialog are not a prompt, and the command that starts an agent is not one for it.
    const isPrompt = !isSecret && !startsAgent && this.#status?.state !== "blocked";
    const unanswered = isPrompt ? unansweredAfter(before, { lines, offset, timeUs }, this.#isAgent) : null;
    const hasSent = unanswered !== before;
    this.#patch({ activity: { ...activity, inputUs: timeUs }, unanswered, sentRow: hasSent ? row : sentRow });
  }

  #shellMark(mark: ShellMark, at: SignalPlace): void {
    // Those of an agent are about its messages.
    if (this.#isAgent) return;
    const signal = shellSignal(mark, at);
    if (signal === undefined) return;
    this.#patch(mark.isTrusted ? { marks: signal, untrustedMarks: null } : { untrustedMarks: signal });
    this.#dropAtPrompt();
  }

  /** What ran before a prompt is over. A prompt that any program can have printed counts where the kernel sees that the terminal is read. */
  #dropAtPrompt(): void {
    const { marks, untrustedMarks, foreground } = this.#inputs;
    if (marks?.says === "waiting") this.#program.dropActivity(marks.offset);
    const isRead = this.#isUnprobed || (foreground !== null && awaitsInput(foreground.verdict));
    if (untrustedMarks?.says === "waiting" && isRead) this.#program.dropActivity(untrustedMarks.offset);
  }

  #frame(shown: ScreenFacts, { profile, prompt }: Observation): void {
    const { frame } = shown;
    const found = profile === undefined ? promptSignal(shown, prompt) : agentScreenSignal(shown, profile);
    // Before its first prompt an agent that reads lines is starting.
    const isBeforeFirst = profile?.line != null && this.#inputs.startingUs !== null && found?.says === "working";
    const screen = isBeforeFirst ? null : found;
    const activity = activityOf(this.#inputs.activity, frame);
    const row = frame.topLine + frame.cursor.row;
    this.#patch({ row, activity });
    const isPrompt = screen?.says === "waiting" && (profile === undefined || profile.line !== null);
    if (isPrompt ? isNewPrompt(this.#inputs, frame) : isUntaken(this.#inputs, shown)) this.#patch({ unanswered: null });
    if (screen !== null) return this.#patch({ screen, unreadableUs: null });
    const { unreadableUs, screen: last } = this.#inputs;
    const since = unreadableUs ?? frame.timeUs;
    // A shell's prompt that is not there any more is gone at once; an agent paints its screen piece by piece.
    const isOver = profile === undefined || frame.timeUs - since >= statusTimes.unreadableMs * 1000;
    this.#patch({ screen: isOver ? null : last, unreadableUs: since });
  }

  #patch(change: Partial<Inputs>): void {
    Object.assign(this.#inputs, change);
  }

  get #isAgent(): boolean {
    return this.#inputs.hasRules;
  }

  #decide(): readonly SessionStatus[] {
    const status = this.#statusOf(this.#held(this.#weigh()));
    const before = this.#status;
    if (before !== null && isSame(before, status)) return [];
    this.#status = status;
    return [status];
  }

  /** Between two signals the state of a program holds; only what stays unclear is unknown. */
  #held(decision: StatusDecision): StatusDecision {
    const before = this.#status;
    const { unclearUs, timeUs, agent } = this.#inputs;
    if (decision.state !== "unknown" || before === null || before.agent !== agent) {
      if (unclearUs !== null) this.#patch({ unclearUs: null });
      return decision;
    }
    const since = unclearUs ?? timeUs;
    this.#patch({ unclearUs: since });
    const isOver = timeUs - since >= statusTimes.unclearMs * 1000;
    return isOver || before.state === "blocked" ? decision : { ...decision, state: before.state };
  }

  #weigh(): StatusDecision {
    const { exit } = this.#inputs;
    if (exit !== null) return weigh([exit]);
    const decision = this.#afterSending(this.#signals());
    return this.#isStarting(decision) ? { ...decision, state: "starting", by: null } : decision;
  }

  /** A prompt that was there when a line was sent does not mean that it was answered. */
  #afterSending(signals: readonly Signal[]): StatusDecision {
    const { unanswered, timeUs } = this.#inputs;
    const plain = weigh(signals);
    if (unanswered === null || isForgotten(unanswered, timeUs)) return plain;
    const sent = unansweredSignal(unanswered, timeUs, this.#isAgent);
    const isAnswer = plain.state === "working" || plain.state === "blocked";
    if (this.#isAgent && isAnswer && plain.by !== null && plain.by.timeUs > unanswered.timeUs) {
      this.#patch({ unanswered: null });
      return plain;
    }
    return weigh([...signals.map((signal) => discounted(signal, unanswered)), ...(sent === null ? [] : [sent])]);
  }

  #signals(): Signal[] {
    const { unreadableUs, timeUs, offset, approval, title, foreground, activity, wire, usesQuiet } = this.#inputs;
    const { progress, protocol, tab, file, marks, untrustedMarks, screen } = this.#inputs;
    const isAgent = this.#isAgent;
    const kernel = foreground === null ? null : this.#afterReport(foregroundSignal(foreground, isAgent));
    const isStale = unreadableUs !== null && timeUs - unreadableUs >= statusTimes.unreadableMs * 1000;
    const record = this.#program.strongest;
    return [
      protocol,
      wireSignal(wire, timeUs),
      record === null ? null : programSignal(record),
      progress,
      tab,
      title,
      file,
      marks,
      untrustedMarks === null || this.#isUnprobed ? untrustedMarks : weakened(untrustedMarks),
      kernel,
      approval === null ? null : approvalSignal(approval),
      approval !== null || isStale || screen === null ? null : this.#afterReport(screen),
      usesQuiet ? quietSignal(activity, { timeUs, offset, foreground, isAgent }) : null,
    ].filter((signal) => signal !== null);
  }

  /**
   * Nothing contradicts a mark that any program can print. A kernel that can be asked and does not know at this moment is no such case: a
   * prompt would be typed in that moment.
   */
  get #isUnprobed(): boolean {
    const { foreground, marks } = this.#inputs;
    if (foreground === null) return marks === null;
    return foreground.verdict === "not-available" || foreground.verdict === "listening";
  }

  /** What a program can print says nothing against a command that has just started, and neither does the kernel's report from before. */
  #afterReport(signal: Signal | null): Signal | null {
    const dueUs = this.#reportDueUs;
    return signal === null || dueUs === null || this.#inputs.timeUs >= dueUs ? signal : weakened(signal);
  }

  /** When the kernel's report, which is from before a command started, counts again; null if it is newer. */
  get #reportDueUs(): number | null {
    const { foreground, marks } = this.#inputs;
    if (foreground === null || marks?.says !== "working" || foreground.timeUs >= marks.timeUs) return null;
    return marks.timeUs + statusTimes.reportMs * 1000;
  }

  /** A program is starting until it shows its prompt or a dialog, or reports that it works. */
  #isStarting({ state, by }: StatusDecision): boolean {
    const { startingUs, timeUs, screen } = this.#inputs;
    if (startingUs === null) return false;
    // A question at its start, such as one of trust: it goes on starting after the answer.
    if (state === "blocked") {
      this.#patch({ startingUs: timeUs });
      return false;
    }
    const hasShown =
      by?.kind === "protocol" ||
      (state === "working" && by?.kind !== "quiet") ||
      (state === "waiting" && (!this.#isAgent || screen !== null));
    if (!hasShown && timeUs - startingUs < statusTimes.silentMs * 1000) return true;
    this.#patch({ startingUs: null });
    return false;
  }

  #statusOf({ state, by, evidence }: StatusDecision): SessionStatus {
    const { agent, approval, offset, timeUs } = this.#inputs;
    const before = this.#status;
    const limit = currentLimit(this.#inputs.limit, state, timeUs);
    const blocking = state === "blocked" ? (approval?.id ?? null) : null;
    const isSameState = before !== null && before.state === state && before.approval === blocking;
    return {
      state,
      summary: limit !== null && state === "waiting" ? limitSummary(limit, timeUs) : summaryOf(state, by, approval),
      sinceUs: isSameState ? before.sinceUs : timeUs,
      offset: isSameState ? before.offset : offset,
      agent,
      approval: blocking,
      evidence,
      ...(limit !== null && { limit }),
    };
  }
}

const isLate = ({ unanswered }: Inputs, { timeUs }: Frame): boolean =>
  unanswered !== null && timeUs - unanswered.timeUs >= screenTimes.echoMs * 1000;

/** What reads lines answers with its prompt. */
const isNewPrompt = (inputs: Inputs, frame: Frame): boolean =>
  inputs.unanswered !== null && (inputs.row !== inputs.sentRow || isLate(inputs, frame));

/** An agent that still shows the text in its box has not taken it. */
function isUntaken(inputs: Inputs, { frame, box }: ScreenFacts): boolean {
  const last = inputs.unanswered?.text.split("\n").at(-1)?.trim() ?? "";
  if (!inputs.hasRules || !isLate(inputs, frame) || box === null || last === "") return false;
  return frame.lines.slice(box.first, box.last + 1).some(({ text }) => text.includes(last));
}

function exitSignal({ code, signal }: Extract<Cause, { type: "exit" }>, at: SignalPlace): Signal {
  const text = signal === null ? (code === null ? "nobody saw it end" : `exit code ${code}`) : `signal ${signal}`;
  return { kind: "exit", says: "exited", allows: ["exited"], isFirm: true, text, rule: null, ...at };
}

function summaryOf(state: StatusState, by: Signal | null, approval: Approval | null): string {
  if (state === "blocked" && approval !== null) return questionLine(approval).slice(0, SUMMARY_CHARS_MAX);
  if (state === "starting") return "has not shown its prompt yet";
  if (by === null) return "nothing says what it does";
  return by.kind === "quiet" || by.kind === "exit" ? by.text : `${by.kind}: ${by.text}`;
}

/** Evidence changes with every spinner and key; only another decision, or another conflict, is a change. */
function isSame(one: SessionStatus, two: SessionStatus): boolean {
  if (one.state !== two.state || one.agent !== two.agent || one.approval !== two.approval) return false;
  if (one.limit?.untilUs !== two.limit?.untilUs || one.limit?.text !== two.limit?.text) return false;
  // More of a dialog was read.
  return (one.approval === null || one.summary === two.summary) && wordsOf(one) === wordsOf(two);
}

function wordsOf({ evidence }: SessionStatus): string {
  const by = evidence.find(({ isDecisive }) => isDecisive)?.signal ?? "";
  const others = evidence.filter(({ isDecisive, signal }) => !isDecisive && signal !== "quiet" && signal !== "input");
  return [by, ...others.map(({ signal, says }) => `${signal}=${says}`)].join(" ");
}
