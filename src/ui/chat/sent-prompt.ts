/**
 * Prompts as the page follows them: the daemon's receipts, and before there is one what the page knows itself. Pure.
 *
 * - `sending`: on its way to the daemon
 * - `refused`: the daemon did not take it; nothing was typed
 * - `unanswered`: nobody knows whether the daemon has it; sent again with its key it is typed once
 */
import { isFinal, RECEIPT_STATES, type Receipt, type ReceiptState } from "../../core/prompts/receipt.ts";

export interface SentPrompt {
  readonly key: string;
  readonly text: string;
  readonly state: ReceiptState | "sending" | "refused" | "unanswered";
  /** Why it is where it is; null where there is nothing to say. */
  readonly reason: string | null;
}

/** What is kept over a reload. */
export type KeptPrompt = Pick<SentPrompt, "key" | "text">;

/** Older ones that never got an answer are let go. */
const KEPT_MAX = 20;

/** What a prompt goes through where all is well, in words for people. */
export const PROMPT_STEPS = [
  ["accepted", "Accepted"],
  ["echoed", "On its screen"],
  ["submitted", "Submitted"],
  ["working", "It works"],
  ["done", "Done"],
] as const satisfies readonly (readonly [ReceiptState, string])[];

/** How many of the steps were reached. */
export const stepsReached = ({ state }: Pick<SentPrompt, "state">): number =>
  PROMPT_STEPS.findIndex(([step]) => step === state) + 1;

/** True while the daemon has it and may still tell more. */
const isFollowed = ({ state }: SentPrompt): boolean =>
  state !== "sending" && state !== "refused" && state !== "unanswered" && !isFinal({ state });

/** True where it may still become something: these are kept over a reload. */
const isOpen = (prompt: SentPrompt): boolean =>
  prompt.state === "sending" || prompt.state === "unanswered" || isFollowed(prompt);

const promptOf = ({ key, text, state, reason }: Receipt): SentPrompt => ({ key, text, state, reason });

/** The list with one that is new, or as it is now. */
export function withPrompt(prompts: readonly SentPrompt[], prompt: SentPrompt): readonly SentPrompt[] {
  const index = prompts.findIndex(({ key }) => key === prompt.key);
  return index === -1 ? [...prompts, prompt] : prompts.with(index, prompt);
}

/** The list with what the daemon says of one. What it said before may come later; of one that is over, only who sent it is told. */
export function withReceipt(prompts: readonly SentPrompt[], receipt: Receipt): readonly SentPrompt[] {
  const known = prompts.find(({ key }) => key === receipt.key);
  if (known === undefined) return isFinal(receipt) ? prompts : [...prompts, promptOf(receipt)];
  const isSame = known.state === receipt.state && known.reason === receipt.reason;
  return isSame || rankOf(receipt) < rankOf(known) ? prompts : withPrompt(prompts, promptOf(receipt));
}

/** What only the page knows is less than any word of the daemon. */
const rankOf = ({ state }: Pick<SentPrompt, "state">): number => (RECEIPT_STATES as readonly string[]).indexOf(state);

/** After a load: what this page sent before, as the daemon knows it, and what others have sent that is not over. */
export function promptsAfterLoad(kept: readonly KeptPrompt[], receipts: readonly Receipt[]): readonly SentPrompt[] {
  const keys = new Set(kept.map(({ key }) => key));
  const known = receipts.filter((receipt) => keys.has(receipt.key) || !isFinal(receipt));
  const answered = new Set(known.map(({ key }) => key));
  const unanswered = kept
    .filter(({ key }) => !answered.has(key))
    .map((prompt) => ({ ...prompt, state: "unanswered", reason: null }) as const);
  return [...known.map(promptOf), ...unanswered];
}

/** Those that are not over; one that is, until the next one is sent. */
export const shownPrompts = (prompts: readonly SentPrompt[]): readonly SentPrompt[] =>
  prompts.filter((prompt, index) => isOpen(prompt) || index === prompts.length - 1);

export const keptPrompts = (prompts: readonly SentPrompt[]): readonly KeptPrompt[] =>
  prompts
    .filter(isOpen)
    .slice(-KEPT_MAX)
    .map(({ key, text }) => ({ key, text }));
