/** A line or prompt that was sent to a program, as far as its keys tell: until it answers, an old prompt on the screen says nothing. */
import type { Signal } from "./signal.ts";

export interface Submission {
  /** What is being typed; at most 200 characters of its end. */
  readonly text: string;
  readonly isPasting: boolean;
  /** When Enter was pressed on something; null where nothing waits for an answer. */
  readonly sentUs: number | null;
  readonly offset: number;
  /** What was sent. */
  readonly sent: string;
}

export const noSubmission: Submission = { text: "", isPasting: false, sentUs: null, offset: 0, sent: "" };

/** A prompt that an agent did not react to for so long was not taken. */
export const agentAnswerMs = 8000;
/** A command that shows nothing for so long may be anything. */
export const commandAnswerMs = 30_000;

const textCharsMax = 200;
const pieces =
  /\u001B\[20[01]~|\u001B(?:\[[0-?]*[ -/]*[@-~]|O[^]|[\]P_][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[^])|[^]/gu;

/** `isAgent`: what begins with a slash is told to the agent itself, and no answer follows. */
export function typedInto(
  before: Submission,
  step: { readonly bytes: Uint8Array; readonly offset: number; readonly timeUs: number },
  isAgent: boolean,
): Submission {
  let { text, isPasting, sentUs, offset, sent } = before;
  for (const [piece] of new TextDecoder().decode(step.bytes).matchAll(pieces)) {
    if (piece.startsWith("\u001B")) {
      if (piece.startsWith("\u001B[20")) isPasting = piece === "\u001B[200~";
      continue;
    }
    if (piece === "\r" && !isPasting) {
      if (text.trim() !== "" && !(isAgent && text.trimStart().startsWith("/"))) {
        ({ timeUs: sentUs, offset } = step);
        sent = text.trim();
      }
      text = "";
    } else if (piece === "\u0003" || piece === "\u0015") text = "";
    else if (piece === "\u007F") text = text.slice(0, -1);
    else text = (text + piece).slice(-textCharsMax);
  }
  return { text, isPasting, sentUs, offset, sent };
}

/** Null where nothing was sent, or it was so long ago that it says nothing. */
export function submissionSignal({ sentUs, offset }: Submission, timeUs: number, isAgent: boolean): Signal | null {
  const answerMs = isAgent ? agentAnswerMs : commandAnswerMs;
  if (sentUs === null || timeUs - sentUs >= answerMs * 1000) return null;
  return {
    kind: "input",
    says: "working",
    allows: isAgent ? ["working", "blocked"] : ["working", "waiting", "blocked", "idle"],
    isFirm: true,
    text: isAgent ? "a prompt was sent, and no answer to it was seen" : "a line was sent, and no prompt came back",
    rule: null,
    offset,
    timeUs: sentUs,
  };
}

/** A prompt that was there when the line was sent does not mean that it was answered. */
export function discounted(signal: Signal, { sentUs }: Submission): Signal {
  const isOld = signal.says === "waiting" && sentUs !== null && (signal.kind === "screen" || signal.timeUs <= sentUs);
  return isOld ? { ...signal, allows: ["working", "waiting", "blocked", "idle"], isFirm: false } : signal;
}
