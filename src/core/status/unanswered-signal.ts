/** What it means that a line or prompt was sent and is unanswered: an old prompt on the screen says nothing. */
import type { Unanswered } from "../typing/unanswered.ts";
import type { Signal } from "./signal.ts";
import { statusTimes } from "./times.ts";

/** For so long it says that an answer is due. */
const dueMs = (isAgent: boolean): number => (isAgent ? statusTimes.agentAnswerMs : statusTimes.silentMs);

/** What was sent so long ago says nothing. Between `dueMs` and then it only says that an old prompt is no answer: a busy machine is slow. */
export const isForgotten = ({ timeUs }: Unanswered, nowUs: number): boolean =>
  nowUs - timeUs >= statusTimes.silentMs * 1000;

/** When what was sent says something else, in order. */
export const unansweredWakesUs = ({ timeUs }: Unanswered, isAgent: boolean): readonly number[] =>
  [dueMs(isAgent), statusTimes.silentMs].map((ms) => timeUs + ms * 1000);

/** Null if no answer is due any more. */
export function unansweredSignal(unanswered: Unanswered, timeUs: number, isAgent: boolean): Signal | null {
  if (timeUs - unanswered.timeUs >= dueMs(isAgent) * 1000) return null;
  return {
    kind: "input",
    says: "working",
    allows: isAgent ? ["working", "blocked"] : ["working", "waiting", "blocked", "idle"],
    isFirm: true,
    text: isAgent ? "a prompt was sent, and no answer to it was seen" : "a line was sent, and no prompt came back",
    rule: null,
    offset: unanswered.offset,
    timeUs: unanswered.timeUs,
  };
}

/** A prompt that was there when the line was sent does not mean that it was answered. */
export function discounted(signal: Signal, { timeUs }: Unanswered): Signal {
  const isOld = signal.says === "waiting" && (signal.kind === "screen" || signal.timeUs <= timeUs);
  return isOld ? { ...signal, allows: ["working", "waiting", "blocked", "idle"], isFirm: false } : signal;
}
