/**
 * One wait until a program is ready, as a pure state machine over output, marks, probe results and time. The marks of the shell decide
 * before the kernel's probe, the probe before a marker in the text, and a marker before silence; a marker never counts while the kernel
 * reports that the program computes. The open line distinguishes the prompt of a program that reads from its pager and its questions.
 */
import { sameTimer, type ForegroundLook } from "../events/foreground.ts";
import type { ShellStep } from "./command-tracker.ts";
import {
  asked,
  isBusy,
  kernelDueMs,
  kernelReadiness,
  probeOf,
  moved,
  newEvidence,
  probed,
  probeDueMs,
  silentDueMs,
  standing,
  started,
  type KernelAnswer,
  type KernelContext,
  type KernelEvidence,
  type ProbeSource,
} from "./kernel-evidence.ts";
import { pollsKeys, readOpenLine, type PromptRules, type OpenLine } from "./learned-prompts.ts";
import { asksForPassword } from "./password-prompt.ts";
import type { Asks, Readiness } from "./readiness.ts";
import { hasPromptBefore, shellAfter, shellAtStart, type ShellPlace, type ShellWait } from "./shell-wait.ts";
import { readinessTimes as times } from "./times.ts";

/** How a wait recognizes that the program is ready. `auto`: by the best evidence that there is. Each other one: only by that. */
export type ReadyStrategy = (typeof READY_STRATEGIES)[number];

export const READY_STRATEGIES = ["auto", "mark", "foreground", "marker", "quiet"] as const;

export interface ReadyWaitOptions {
  readonly strategy: ReadyStrategy;
  /** How probe results come; null if there is no probe. */
  readonly foreground: ProbeSource | null;
  readonly markers: readonly string[];
  readonly timeoutMs: number;
  readonly settleMs: number;
  readonly quietMs: number;
  /**
   * `own`: only the marks of the session's shell are given to the wait. `any`: each program can print them, and a prompt counts only if
   * the kernel reports the same, or does not know. Default `any`.
   */
  readonly marks?: "own" | "any";
  /** Where the shell is when the wait begins. Default `none`. */
  readonly place?: ShellPlace;
  /** Where the shell was when a line was typed right before the wait. Default null: none was. */
  readonly typedAt?: ShellPlace | null;
  /** Something was typed, and nothing has come since, not even an echo. Default false. */
  readonly isUnanswered?: boolean;
  /** The program has asked the terminal something that is not answered. Default false. */
  readonly awaitsReply?: boolean;
  /** The last probe result from before the wait. Default null. */
  readonly standing?: ForegroundLook | null;
  /** The open line when the wait begins: a prompt may be there already. Default empty. */
  readonly lastLine?: string;
  /** What distinguishes a prompt from a pager and a question. Default null: a program that reads is ready, whatever its line shows. */
  readonly prompts?: PromptRules | null;
}

/**
 * - `output`: `lastLine` is the open line of the sanitized text now, empty unless `wantsText`; `steps` what the shell reported in it
 *   `awaitsReply`: the program has asked the terminal something that is not answered
 * - `replied`: the terminal has answered it
 * - `probed`: a probe result, polled or reported
 * - `standing`: one that is older than the last input
 * - `end`: the program ended, or more came than was wanted
 * - `asked`: a result was asked for, and will be reported
 * - `tick`: time has passed
 */
export type WaitEvent =
  | {
      readonly type: "output";
      readonly lastLine: string;
      readonly awaitsReply?: boolean;
      readonly steps: readonly ShellStep[];
    }
  | { readonly type: "replied" }
  | { readonly type: "probed" | "standing"; readonly probe: ForegroundLook }
  | { readonly type: "end"; readonly reason: "exit" | "limit" }
  | { readonly type: "asked"; readonly isComing: boolean }
  | { readonly type: "tick" };

/**
 * What is to be done now.
 * - `probe`: take a probe and give the result as `probed`, or ask for a report and give `asked`
 * - `wake`: give a `tick` at this time if nothing comes before
 * - `settle`: the wait is over; `probe` is the last probe result
 */
export type WaitEffect =
  | { readonly type: "probe" }
  | { readonly type: "wake"; readonly atMs: number }
  | { readonly type: "settle"; readonly readiness: Readiness; readonly probe: ForegroundLook | null };

export interface WaitState {
  readonly options: ReadyWaitOptions;
  readonly endMs: number;
  /** Silence that ends the wait; infinite while there is better evidence to wait for. */
  readonly quietMs: number;
  readonly movedAtMs: number;
  readonly lastLine: string;
  readonly shell: ShellWait;
  /** Prompts that belong to what was before. */
  readonly promptsBefore: number;
  readonly answer: KernelAnswer;
  /** Null without probes. */
  readonly kernel: KernelEvidence | null;
  /** When the marker at the end of the text counts; infinite if none is there. */
  readonly markerDueMs: number;
  readonly end: "exit" | "limit" | null;
}

const NEVER = Number.POSITIVE_INFINITY;

export function beginWait(options: ReadyWaitOptions, nowMs: number): WaitState {
  const { strategy, place = "none", typedAt = null, lastLine = "", isUnanswered = false } = options;
  const shell: ShellWait = takesMarks(options) ? shellAtStart({ place, typedAt }, nowMs) : { state: "silent" };
  const answer = answerAtStart(options);
  const kernel = kernelAtStart(options, answer, nowMs);
  const hasBetter = kernel !== null || options.markers.length > 0 || shell.state !== "silent";
  const takesQuiet = strategy === "quiet" || (strategy === "auto" && !hasBetter);
  return {
    options,
    endMs: nowMs + options.timeoutMs,
    quietMs: takesQuiet ? options.quietMs : NEVER,
    movedAtMs: nowMs,
    lastLine,
    shell,
    promptsBefore: hasPromptBefore(typedAt) && place !== "prompt" ? 1 : 0,
    answer,
    kernel,
    // What was typed has not come back: the marker is of the prompt before it.
    markerDueMs: markerDueMs(lastLine, options, nowMs + (isUnanswered ? times.unstarted.ms : 0)),
    end: null,
  };
}

/** The next state, and what is to be done now. */
export function stepWait(
  before: WaitState,
  event: WaitEvent,
  nowMs: number,
): { readonly state: WaitState; readonly effect: WaitEffect } {
  const state = after(before, event, nowMs);
  const readiness = readinessOf(state, nowMs);
  const dueMs = state.kernel === null ? NEVER : probeDueMs(state.kernel);
  // After a stall several things are due at once: the kernel is probed before weaker evidence counts.
  if (event.type !== "probed" && event.type !== "asked" && dueMs <= nowMs && isWeak(readiness, state.kernel))
    return { state, effect: { type: "probe" } };
  if (readiness === undefined) return { state, effect: { type: "wake", atMs: wakeMs(state, nowMs) } };
  return { state, effect: { type: "settle", readiness, probe: state.kernel === null ? null : probeOf(state.kernel) } };
}

/** False if neither a marker nor a prompt is waited for: then the open line may be left out. */
export const wantsText = ({ options }: WaitState): boolean => takesMarkers(options) || options.prompts != null;

function after(state: WaitState, event: WaitEvent, nowMs: number): WaitState {
  switch (event.type) {
    case "output":
      return afterOutput(state, event, nowMs);
    case "replied": {
      const kernel = state.kernel === null ? null : moved(state.kernel, nowMs);
      return state.answer === "no-reply" ? { ...state, movedAtMs: nowMs, answer: "settled", kernel } : state;
    }
    case "probed":
      return state.kernel === null ? state : { ...state, kernel: probed(state.kernel, event.probe, nowMs) };
    case "standing":
      return state.kernel === null ? state : { ...state, kernel: standing(state.kernel, event.probe) };
    case "end":
      return { ...state, end: state.end ?? event.reason };
    case "asked":
      return state.kernel === null ? state : { ...state, kernel: asked(state.kernel, event.isComing) };
    case "tick":
      return state;
  }
}

function afterOutput(
  before: WaitState,
  { lastLine, awaitsReply = false, steps }: Extract<WaitEvent, { type: "output" }>,
  nowMs: number,
): WaitState {
  const state: WaitState = {
    ...before,
    movedAtMs: nowMs,
    lastLine,
    answer: before.answer === "no-mark" || before.answer === "no-start" ? before.answer : replyOf(awaitsReply),
    kernel: before.kernel === null ? null : moved(before.kernel, nowMs),
    markerDueMs: markerDueMs(lastLine, before.options, nowMs),
  };
  return takesMarks(before.options) ? steps.reduce((last, step) => afterStep(last, step, nowMs), state) : state;
}

function afterStep(state: WaitState, step: ShellStep, nowMs: number): WaitState {
  if (step.type === "output") return state;
  const answer = state.answer === "no-mark" ? "no-start" : state.answer;
  if (step.type === "prompt" && state.promptsBefore > 0)
    return { ...state, answer, shell: { state: "silent" }, promptsBefore: state.promptsBefore - 1 };
  const shell = shellAfter(state.shell, step, nowMs);
  if (step.type !== "command-start") return { ...state, answer, shell };
  const kernel = state.kernel !== null && hasOwnMarks(state.options) ? started(state.kernel) : state.kernel;
  return { ...state, answer: "settled", shell, kernel };
}

function kernelAtStart(options: ReadyWaitOptions, answer: KernelAnswer, nowMs: number): KernelEvidence | null {
  const { strategy, foreground: source, settleMs, quietMs } = options;
  if (source === null || (strategy !== "auto" && strategy !== "foreground")) return null;
  const polledMs = hasOwnMarks(options) ? nowMs + times.firstProbe.ms : nowMs;
  const reportedMs = answer === "settled" ? polledMs : nowMs + times.unchanged.ms;
  const firstProbeMs = source === "polled" ? polledMs : reportedMs;
  const listeningQuietMs = Math.max(settleMs, quietMs);
  return newEvidence({ source, listeningQuietMs, firstProbeMs }, options.standing ?? null, nowMs);
}

const replyOf = (awaitsReply: boolean): KernelAnswer => (awaitsReply ? "no-reply" : "settled");

function answerAtStart({ place, typedAt, isUnanswered, awaitsReply = false }: ReadyWaitOptions): KernelAnswer {
  if (place === "typed") return "no-mark";
  if (place === "prompt" && typedAt === "prompt") return "no-start";
  return isUnanswered === true ? "no-echo" : replyOf(awaitsReply);
}

function readinessOf(state: WaitState, nowMs: number): Readiness | undefined {
  const { shell, kernel, end, options, lastLine } = state;
  const openLine = openLineOf(state);
  const byKernel = kernel === null ? undefined : kernelReadiness(kernel, contextOf(state, openLine), nowMs);
  const isSure = byKernel?.reason === "foreground";
  const isSilent = kernel === null || nowMs >= silentDueMs(kernel);
  const mayTakeMark = hasOwnMarks(options) || isSilent || isSure;
  if (mayTakeMark && shell.state === "prompt") return { reason: "mark", asks: "command" };
  if (mayTakeMark && shell.state === "continuation") return { reason: "mark", asks: "more" };
  if (end !== null) return { reason: end, asks: null };
  const isLate = nowMs >= shellDueMs(shell);
  // A shell that is busy has yet to report that it starts the command.
  if (mayTakeMark && shell.state === "redrawn" && (isSure || (isLate && isSilent)))
    return { reason: "mark", asks: "command" };
  const takesQuiet = options.prompts?.isRequired !== true || openLine === "prompt" || openLine === "more";
  const asksByPolling = byKernel?.reason === "quiet" && !takesQuiet ? pollingOf(state, openLine) : undefined;
  if (asksByPolling !== undefined) return { reason: "quiet", asks: asksByPolling };
  if (byKernel !== undefined && (byKernel.reason !== "quiet" || takesQuiet)) return askedAt(byKernel, openLine);
  // The kernel reports whether the shell still works on its prompt.
  if (shell.state === "ended" && isLate && isSilent) return { reason: "mark", asks: null };
  if (nowMs >= state.markerDueMs && (kernel === null || !isBusy(kernel))) return { reason: "marker", asks: "command" };
  const asks = asksForPassword(lastLine) ? "password" : null;
  const isQuiet = byKernel?.reason === "quiet" || nowMs >= state.movedAtMs + state.quietMs;
  if (isQuiet && (takesQuiet || asks !== null)) return askedAt({ reason: "quiet", asks }, openLine);
  return nowMs >= state.endMs ? { reason: "timeout", asks } : undefined;
}

/** What a program asks that looks for keys now and then, such as the line editor of Python 3.13; undefined for others, and while it may work. */
function pollingOf({ kernel, options }: WaitState, openLine: OpenLine | undefined): Asks | undefined {
  const isAway = openLine === "output" || openLine === "other";
  if (!isAway || kernel?.result.state !== "fresh" || options.prompts == null) return undefined;
  const { probe } = kernel.result;
  if (!pollsKeys(options.prompts, probe)) return undefined;
  return probe.canonical === true ? "line" : "keys";
}

/** Undefined if the open line does not matter: prompts are not distinguished from anything else. */
function openLineOf({ options, kernel, lastLine }: WaitState): OpenLine | undefined {
  if (options.prompts == null) return undefined;
  return readOpenLine(options.prompts, kernel === null ? null : probeOf(kernel), lastLine);
}

const contextOf = ({ answer, kernel, options }: WaitState, openLine: OpenLine | undefined): KernelContext => ({
  answer,
  isDoubtful: openLine !== undefined && openLine !== "prompt" && openLine !== "more",
  isAtWork: openLine === "output" && hasNewTimer(kernel === null ? null : probeOf(kernel), options.prompts),
});

const hasNewTimer = (probe: ForegroundLook | null, prompts: PromptRules | null | undefined): boolean =>
  probe?.timerAtMs !== undefined && !sameTimer(probe.timerAtMs, prompts?.restingTimerMs);

/** The kernel reports that a program reads; the open line shows what it reads. */
function askedAt(readiness: Readiness, openLine: OpenLine | undefined): Readiness {
  const { reason, asks } = readiness;
  if (asks === "password" || (asks === null && reason !== "quiet")) return readiness;
  // Of a line editor it is not known whether it has yet to draw a prompt.
  if (openLine === "prompt" || (openLine === "blank" && asks === "line")) return { reason, asks: "command" };
  return openLine === "more" ? { reason, asks: "more" } : readiness;
}

/** A probe may report more than this, or than an older result of the kernel. */
const isWeak = (readiness: Readiness | undefined, kernel: WaitState["kernel"]): boolean =>
  readiness === undefined ||
  ["marker", "quiet", "timeout"].includes(readiness.reason) ||
  (readiness.reason === "foreground" && kernel?.result.state === "stale");

/** The next time at which the state alone may end the wait, or a probe is due. What is past has not ended it and needs no timer. */
function wakeMs(state: WaitState, nowMs: number): number {
  const { shell, kernel } = state;
  const context = contextOf(state, openLineOf(state));
  const dueMs = [
    state.endMs,
    state.movedAtMs + state.quietMs,
    shellDueMs(shell),
    state.markerDueMs,
    ...(kernel === null ? [] : [probeDueMs(kernel), kernelDueMs(kernel, context), silentDueMs(kernel)]),
  ];
  return Math.min(...dueMs.filter((timeMs) => timeMs > nowMs));
}

/** A prompt that is redrawn is followed by the start of the command before this, and the end of a command by a prompt. */
const shellDueMs = (shell: ShellWait): number =>
  shell.state === "redrawn" || shell.state === "ended" ? shell.atMs + times.reaction.ms : NEVER;

const hasOwnMarks = ({ marks }: ReadyWaitOptions): boolean => marks === "own";

const takesMarks = ({ strategy }: ReadyWaitOptions): boolean => strategy === "auto" || strategy === "mark";

const takesMarkers = ({ strategy, markers }: ReadyWaitOptions): boolean =>
  strategy === "marker" || (strategy === "auto" && markers.length > 0);

const markerDueMs = (lastLine: string, options: ReadyWaitOptions, sinceMs: number): number =>
  endsWithMarker(lastLine, options) ? sinceMs + options.settleMs : NEVER;

/** A marker in the middle of the output, or one that more text follows, does not count. Of a marker with line feeds the last line is compared. */
const endsWithMarker = (lastLine: string, options: ReadyWaitOptions): boolean =>
  lastLine !== "" &&
  takesMarkers(options) &&
  options.markers.some((marker) => marker !== "" && lastLine.endsWith(marker.slice(marker.lastIndexOf("\n") + 1)));
