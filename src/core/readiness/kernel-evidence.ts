/** What the kernel's probe contributes to a wait, and how long nothing must have moved before that decides. */
import type { ForegroundLook } from "../events/foreground.ts";
import { awaitsInput } from "../records.ts";
import { afterMovement, afterProbe, idleSchedule, type ProbeSchedule } from "./probe-schedule.ts";
import type { Asks, Readiness } from "./readiness.ts";
import { readinessTimes as times } from "./times.ts";

/**
 * How probe results come.
 * - `polled`: the wait requests each one when it is due
 * - `reported`: they come by themselves, only if something has changed
 */
export type ProbeSource = "polled" | "reported";

/**
 * What came back of what was typed before the wait.
 * - `settled`: nothing was typed, or the program has reacted
 * - `no-reply`: the program has asked the terminal something, and the answer was not typed: it reads that, and nobody's keys
 * - `no-echo`: nothing, not even an echo
 * - `no-mark`: of a line typed at the prompt of a shell with marks, no mark
 * - `no-start`: a mark, but not the start of a command
 */
export type KernelAnswer = "settled" | "no-reply" | "no-echo" | "no-mark" | "no-start";

/** For how long nothing must have moved before a result from after the last movement decides, and before an older one does. */
const trust: Readonly<Record<KernelAnswer, { readonly freshMs: number; readonly staleMs: number }>> = {
  settled: { freshMs: 0, staleMs: times.unchanged.ms },
  "no-reply": { freshMs: times.unstarted.ms, staleMs: times.unstarted.ms },
  "no-echo": { freshMs: times.reaction.ms, staleMs: times.unstarted.ms },
  "no-mark": { freshMs: times.unstarted.ms, staleMs: times.unstarted.ms },
  "no-start": { freshMs: 0, staleMs: times.unstarted.ms },
};

/** The same of a program that reads, and at whose prompt it is not known to be: it may be about to draw it. */
const doubtful = { freshMs: times.reaction.ms, staleMs: times.unstarted.ms } as const;

/** What is known of the program besides. */
export interface KernelContext {
  readonly answer: KernelAnswer;
  /** If it reads, it is not known to be at its prompt. */
  readonly isDoubtful: boolean;
  /** It sleeps until a timer that a command has set, and asks nothing. */
  readonly isAtWork: boolean;
}

/** `stale`: the result is older than the last movement. `listenedMs`: for how long results have seen that the program only listens. */
type ProbeResult =
  | { readonly state: "none" }
  | { readonly state: "stale"; readonly probe: ForegroundLook }
  | { readonly state: "fresh"; readonly probe: ForegroundLook; readonly atMs: number; readonly listenedMs: number };

export interface KernelEvidence {
  readonly source: ProbeSource;
  /** Nothing may have come for this long before a program that also listens to timers or the network counts as ready. */
  readonly listeningQuietMs: number;
  /** No probe before: marks are expected sooner, and reports after a movement come by themselves. */
  readonly firstProbeMs: number;
  readonly schedule: ProbeSchedule;
  readonly movedAtMs: number;
  /** Where results are reported: one was asked for since the last movement, and whether it is to come. */
  readonly asked: "no" | "in-vain" | "comes";
  readonly result: ProbeResult;
}

export function newEvidence(
  options: Pick<KernelEvidence, "source" | "listeningQuietMs" | "firstProbeMs">,
  standing: ForegroundLook | null,
  nowMs: number,
): KernelEvidence {
  const result: ProbeResult = standing === null ? { state: "none" } : { state: "stale", probe: standing };
  return { ...options, schedule: afterMovement(idleSchedule, nowMs), movedAtMs: nowMs, asked: "no", result };
}

/** Output came. */
export function moved(before: KernelEvidence, nowMs: number): KernelEvidence {
  const result = before.result.state === "fresh" ? stale(before.result.probe) : before.result;
  const firstProbeMs = before.source === "reported" ? nowMs + times.unchanged.ms : before.firstProbeMs;
  const schedule = afterMovement(before.schedule, nowMs);
  return { ...before, result, movedAtMs: nowMs, firstProbeMs, asked: "no", schedule };
}

export function probed(before: KernelEvidence, probe: ForegroundLook, nowMs: number): KernelEvidence {
  const { result: last, movedAtMs } = before;
  const sinceMs = nowMs - (last.state === "fresh" ? last.atMs : movedAtMs);
  const trustedMs = (last.state === "fresh" ? last.listenedMs : 0) + Math.min(sinceMs, times.trusted.ms);
  const listenedMs = probe.verdict === "listening" ? trustedMs : 0;
  // What it reads may change with the next timer, without any output.
  const after = afterProbe(before.schedule, probe.timerAtMs !== undefined ? "listening" : probe.verdict, nowMs);
  // Somebody waits for it.
  const dueMs = after.dueMs === undefined ? undefined : Math.min(after.dueMs, nowMs + times.probe.ms);
  return { ...before, schedule: { ...after, dueMs }, result: { state: "fresh", probe, atMs: nowMs, listenedMs } };
}

/** A result was asked for; it is not to come from who cannot ask the kernel. */
export const asked = (before: KernelEvidence, isComing: boolean): KernelEvidence => ({
  ...before,
  asked: isComing ? "comes" : "in-vain",
});

/** A result from before the last input was reported. */
export const standing = (before: KernelEvidence, probe: ForegroundLook): KernelEvidence => ({
  ...before,
  result: stale(probe),
});

/** A command has started: an older result was about another program. */
export const started = (before: KernelEvidence): KernelEvidence =>
  before.result.state === "stale" ? { ...before, result: { state: "none" } } : before;

const stale = (probe: ForegroundLook): ProbeResult => ({ state: "stale", probe });

export const probeOf = ({ result }: KernelEvidence): ForegroundLook | null =>
  result.state === "none" ? null : result.probe;

/** The program computes or sleeps: no text makes it ready. */
export const isBusy = (evidence: KernelEvidence): boolean => probeOf(evidence)?.verdict === "busy";

/**
 * From when the kernel's silence about the program leaves the decision to a mark that any program can print; infinite while it may still
 * report. A program that has just started is hidden for a moment, so `unknown` is silence only after nothing has moved for a while.
 */
export function silentDueMs({ source, result, movedAtMs }: KernelEvidence): number {
  if (source === "polled" && result.state !== "fresh") return Number.POSITIVE_INFINITY;
  const verdict = result.state === "none" ? "unknown" : result.probe.verdict;
  if (verdict === "unknown") return movedAtMs + times.unstarted.ms;
  return verdict === "not-available" || verdict === "listening" ? movedAtMs : Number.POSITIVE_INFINITY;
}

/** When to probe, or where results are reported to ask for one: a program that works for a moment and reads again is not reported. */
export function probeDueMs(evidence: KernelEvidence): number {
  const { source, result, listeningQuietMs, schedule, firstProbeMs } = evidence;
  if (source === "reported") {
    const mayRead =
      result.state === "stale" && (awaitsInput(result.probe.verdict) || result.probe.verdict === "listening");
    return mayRead && evidence.asked === "no" ? firstProbeMs : Number.POSITIVE_INFINITY;
  }
  const isListener =
    result.state === "fresh" && result.probe.verdict === "listening" && result.listenedMs < listeningQuietMs;
  const quietMs = isListener ? result.atMs + listeningQuietMs - result.listenedMs : Number.POSITIVE_INFINITY;
  return Math.max(firstProbeMs, Math.min(schedule.dueMs ?? Number.POSITIVE_INFINITY, quietMs));
}

/** When the last result decides if nothing moves before; infinite if it never does, or if a probe must end the silence. */
export function kernelDueMs(evidence: KernelEvidence, { answer, isDoubtful }: KernelContext): number {
  const { source, result, movedAtMs } = evidence;
  if (result.state === "none") return Number.POSITIVE_INFINITY;
  const { verdict } = result.probe;
  if (verdict === "listening" && source === "polled") return Number.POSITIVE_INFINITY;
  if (verdict === "listening") return movedAtMs + evidence.listeningQuietMs;
  if (verdict === "stopped") return movedAtMs + times.unchanged.ms;
  if (!awaitsInput(verdict)) return Number.POSITIVE_INFINITY;
  const { freshMs, staleMs } = trust[answer];
  if (result.state === "fresh") return movedAtMs + Math.max(freshMs, isDoubtful ? doubtful.freshMs : 0);
  if (source === "polled") return Number.POSITIVE_INFINITY;
  const comesMs = evidence.asked === "comes" ? times.unstarted.ms : 0;
  return movedAtMs + Math.max(staleMs, comesMs, isDoubtful ? doubtful.staleMs : 0);
}

/** Undefined while the kernel does not report that the program waits. */
export function kernelReadiness(
  evidence: KernelEvidence,
  context: KernelContext,
  nowMs: number,
): Readiness | undefined {
  const { source, result, listeningQuietMs } = evidence;
  if (result.state === "none") return undefined;
  const hasListened =
    source === "polled" &&
    result.state === "fresh" &&
    result.probe.verdict === "listening" &&
    result.listenedMs >= listeningQuietMs;
  if (!hasListened && nowMs < kernelDueMs(evidence, context)) return undefined;
  const { verdict } = result.probe;
  return verdict === "listening" || context.isAtWork
    ? { reason: "quiet", asks: null }
    : { reason: "foreground", asks: asksOf(verdict) };
}

function asksOf(verdict: ForegroundLook["verdict"]): Asks | null {
  switch (verdict) {
    case "prompt":
      return "line";
    case "password":
      return "password";
    case "raw":
      return "keys";
    default:
      return null;
  }
}
