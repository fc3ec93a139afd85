/** Time since the last output: the weakest signal. It knows when something writes, not what it waits for. */
import { looksLikePrompt } from "../agents/cursor-line.ts";
import type { ForegroundState } from "../observe/observation.ts";
import type { Frame } from "../screen/frame.ts";
import { screenTimes } from "../screen/times.ts";
import { statusTimes } from "./times.ts";
import type { Signal } from "./signal.ts";

export interface Activity {
  /** Last output; null before the first. */
  readonly outputUs: number | null;
  /** Last output that is no echo of keys. */
  readonly ownUs: number | null;
  readonly inputUs: number | null;
  /** The cursor's line where it looks like a prompt, else empty. */
  readonly line: string;
}

/** After so much silence the signal changes. */
const quietTimesMs: readonly number[] = [statusTimes.quietMs, statusTimes.silentMs];

export interface QuietContext {
  readonly timeUs: number;
  readonly offset: number;
  readonly foreground: Pick<ForegroundState, "verdict"> | null;
  readonly isAgent: boolean;
}

export function quietSignal(activity: Activity, context: QuietContext): Signal | null {
  const { outputUs, ownUs, line } = activity;
  const { timeUs, offset, foreground, isAgent } = context;
  if (outputUs === null) return null;
  const silentMs = (timeUs - outputUs) / 1000;
  const at = { kind: "quiet", rule: null, offset, timeUs } as const;
  if (silentMs < statusTimes.quietMs) {
    if (ownUs === null || (timeUs - ownUs) / 1000 >= statusTimes.quietMs) return null;
    return { ...at, says: "working", allows: ["working"], isFirm: true, text: "output less than 2 s ago" };
  }
  if (isAgent) return null;
  if (foreground?.verdict === "busy" && silentMs >= statusTimes.silentMs)
    return { ...at, says: "idle", allows: ["idle"], isFirm: true, text: "busy without output for 30 s" };
  if (foreground?.verdict === "busy" || line === "") return null;
  return { ...at, says: "waiting", allows: ["waiting"], isFirm: true, text: `quiet for 2 s behind: ${line.trim()}` };
}

/** After another frame. */
export function activityOf(before: Activity, frame: Frame): Activity {
  const isEcho = before.inputUs !== null && frame.timeUs - before.inputUs < screenTimes.echoMs * 1000;
  const row = frame.lines[frame.cursor.row]?.text ?? "";
  const line = frame.cursor.isVisible && !frame.isAlternate && looksLikePrompt(row) ? row.slice(0, 200) : "";
  return { ...before, line, outputUs: frame.timeUs, ownUs: isEcho ? before.ownUs : frame.timeUs };
}

/** When the signal changes by time alone; null if it does not. */
export function quietWakeUs({ outputUs }: Activity, timeUs: number): number | null {
  if (outputUs === null) return null;
  const due = quietTimesMs.map((milliseconds) => outputUs + milliseconds * 1000).find((time) => time > timeUs);
  return due ?? null;
}
