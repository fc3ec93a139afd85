/** What it means that a line or prompt was sent and is unanswered: an old prompt on the screen says nothing. */
import type { Unanswered } from "../typing/unanswered.ts";
import type { Signal } from "./signal.ts";
import { statusTimes } from "./times.ts";

/** Without a reaction for this long, an agent did not take its prompt, and a command may be anything. */
export const answerMs = (isAgent: boolean): number => (isAgent ? statusTimes.agentAnswerMs : statusTimes.silentMs);

/** Null if nothing is unanswered, or it was sent so long ago that it says nothing. */
export function unansweredSignal(unanswered: Unanswered | null, timeUs: number, isAgent: boolean): Signal | null {
  if (unanswered === null || timeUs - unanswered.timeUs >= answerMs(isAgent) * 1000) return null;
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
