/** What became of a prompt: typed once, and each step that was seen. */
import type { ActTarget } from "./target.ts";

/**
 * - `scheduled`: written down; accepted at `dueUs`, or with `afterLimit` when the limit of usage has ended, and checked then
 * - `accepted`: written down; typed when the program is at its prompt
 * - `typed`: the text was typed, or a part of it, and was not seen on the screen yet
 * - `echoed`: the text was typed and stands on the screen
 * - `submitted`: Enter was pressed
 * - `working`: the program has taken it
 * - `done`: it is at its prompt again, or has ended
 * - `failed`: it was not taken, or nobody can tell; `reason` says which
 * - `cancelled`: it was taken back while it waited; nothing of it was typed
 */
export const RECEIPT_STATES = [
  "scheduled",
  "accepted",
  "typed",
  "echoed",
  "submitted",
  "working",
  "done",
  "failed",
  "cancelled",
] as const;
/** The last step of a prompt that was observed. */
export type ReceiptState = (typeof RECEIPT_STATES)[number];

export interface ReceiptStep {
  readonly state: ReceiptState;
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** The journal up to here had it. */
  readonly offset: number;
}

/** The progress of one prompt. */
export interface Receipt {
  /** The caller's idempotency key: the same key in the same session is the same prompt. */
  readonly key: string;
  readonly session: string;
  readonly text: string;
  readonly state: ReceiptState;
  /** Why it failed, or what it waits for; null where there is nothing to say. */
  readonly reason: string | null;
  readonly steps: readonly ReceiptStep[];
  /** Of one that was scheduled for a time: microseconds since the Unix epoch. */
  readonly dueUs?: number;
  /** Of one that was scheduled for the end of the session's limit of usage. */
  readonly afterLimit?: true;
  /** It waits while the input box or the line holds what somebody has begun. */
  readonly whenEmpty?: true;
  /** It is text for the model even if it begins like a command of the agent. */
  readonly isLiteral?: true;
  /** It is typed although the program takes each key and shows no input line. */
  readonly isForced?: true;
  /** It may be typed for a shell, which runs it. */
  readonly isForShell?: true;
  /** For whom it was accepted: it is typed for one of these and for nobody else. Absent if nobody had read yet. */
  readonly targets?: readonly ActTarget[];
  /** The conversation of the agent that it is for, by the agent's id. Absent if that was not certain when it was accepted. */
  readonly conversation?: string;
  /** Of a prompt that has failed: what the input box or the line holds; at most 4096 characters. Absent if nothing does. */
  readonly left?: string;
}

type How = "whenEmpty" | "isLiteral" | "isForced" | "isForShell";

export type HowTyped = Readonly<Record<How, boolean>>;

/** How a prompt is typed, as its receipt keeps it. */
export const howKept = (how: HowTyped): Pick<Receipt, How> => ({
  ...(how.whenEmpty && { whenEmpty: true }),
  ...(how.isLiteral && { isLiteral: true }),
  ...(how.isForced && { isForced: true }),
  ...(how.isForShell && { isForShell: true }),
});

/** What the session of a prompt asks a person. The prompt goes on when it is answered. */
export interface PromptQuestion {
  /** Of the approval; null for a question that the program reports and that was not read off the screen. */
  readonly approval: string | null;
  readonly question: string;
  /** Ids for `approvals.answer`; empty where the answer is typed. */
  readonly options: readonly { readonly id: string; readonly label: string }[];
  /** The next step for whoever can answer. */
  readonly howToAnswer: string;
}

/** A receipt as the caller gets it who waits for the end of the prompt. */
export interface AnsweredReceipt extends Receipt {
  /** Null if nothing is asked. Whoever waits is answered as soon as something is. */
  readonly asks: PromptQuestion | null;
}

/** Nothing follows. */
export const isFinal = ({ state }: Pick<Receipt, "state">): boolean =>
  state === "done" || state === "failed" || state === "cancelled";

const LEFT_CHARS_MAX = 4096;

/** What a step says beside its state. */
export interface StepNote {
  readonly reason: string | null;
  readonly left?: string | undefined;
}

/** The receipt after a step; a step back, or one after the end, changes nothing. */
export function advance(
  receipt: Receipt,
  step: ReceiptStep,
  { reason, left = "" }: StepNote = { reason: null },
): Receipt {
  const order = RECEIPT_STATES.indexOf(step.state) - RECEIPT_STATES.indexOf(receipt.state);
  if (isFinal(receipt) || order < 0) return receipt;
  if (order === 0) return receipt.reason === reason ? receipt : { ...receipt, reason };
  const steps = [...receipt.steps, step];
  return { ...receipt, state: step.state, reason, steps, ...(left !== "" && { left: left.slice(0, LEFT_CHARS_MAX) }) };
}
