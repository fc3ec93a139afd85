/**
 * Prompts sent by the page: their receipts, and before the first receipt the states below. Pure.
 *
 * - `sending`: the request is running
 * - `refused`: the daemon refused it; nothing was typed
 * - `unanswered`: unknown whether the daemon received it; sent again with its key, it is typed only once
 */
import { isFinal, RECEIPT_STATES, type Receipt, type ReceiptState } from "../../core/acting/receipt.ts";

export interface SentPrompt {
  readonly key: string;
  readonly text: string;
  readonly state: ReceiptState | "sending" | "refused" | "unanswered";
  /** The reason of the state; null if there is none. */
  readonly reason: string | null;
  /** Of a scheduled one: microseconds since the Unix epoch; absent if it is typed when the limit of usage has ended. */
  readonly dueUs?: number;
}

/** Stored across reloads. */
export type KeptPrompt = Pick<SentPrompt, "key" | "text">;

/** Older ones without an answer are dropped. */
const KEPT_MAX = 20;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The states of a successful prompt with their titles. */
export const PROMPT_STEPS = [
  ["accepted", "Accepted"],
  ["typed", "Typed"],
  ["echoed", "On its screen"],
  ["submitted", "Submitted"],
  ["working", "Working"],
  ["done", "Done"],
] as const satisfies readonly (readonly [ReceiptState, string])[];

/** The number of steps that were reached. */
export const stepsReached = ({ state }: Pick<SentPrompt, "state">): number =>
  PROMPT_STEPS.findIndex(([step]) => step === state) + 1;

/** Whether the daemon has the prompt and may still change its state. */
const isFollowed = ({ state }: SentPrompt): boolean =>
  state !== "sending" && state !== "refused" && state !== "unanswered" && !isFinal({ state });

/** Whether the state may still change; such prompts are stored across reloads. */
const isOpen = (prompt: SentPrompt): boolean =>
  prompt.state === "sending" || prompt.state === "unanswered" || isFollowed(prompt);

const promptOf = ({ key, text, state, reason, dueUs }: Receipt): SentPrompt => ({
  key,
  text,
  state,
  reason,
  ...(dueUs !== undefined && { dueUs }),
});

/** `Scheduled for 14:00`, with the day if it is not within 24 hours. */
export function scheduledText({ dueUs }: Pick<SentPrompt, "dueUs">, nowMs: number): string {
  if (dueUs === undefined) return "Scheduled for the end of the usage limit";
  const time = new Date(dueUs / 1000);
  const two = (value: number): string => String(value).padStart(2, "0");
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}`;
  if (Math.abs(time.getTime() - nowMs) < DAY_MS) return `Scheduled for ${clock}`;
  return `Scheduled for ${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${clock}`;
}

/** Adds or replaces a prompt. */
export function withPrompt(prompts: readonly SentPrompt[], prompt: SentPrompt): readonly SentPrompt[] {
  const index = prompts.findIndex(({ key }) => key === prompt.key);
  return index === -1 ? [...prompts, prompt] : prompts.with(index, prompt);
}

/** Applies a receipt. Ignores late receipts of earlier states, and final ones of prompts that this page did not send. */
export function withReceipt(prompts: readonly SentPrompt[], receipt: Receipt): readonly SentPrompt[] {
  const known = prompts.find(({ key }) => key === receipt.key);
  if (known === undefined) return isFinal(receipt) ? prompts : [...prompts, promptOf(receipt)];
  const isSame = known.state === receipt.state && known.reason === receipt.reason;
  return isSame || rankOf(receipt) < rankOf(known) ? prompts : withPrompt(prompts, promptOf(receipt));
}

/** States of the page rank below all receipts. */
const rankOf = ({ state }: Pick<SentPrompt, "state">): number => (RECEIPT_STATES as readonly string[]).indexOf(state);

/** After a load: the receipts of prompts that this page sent, and unfinished prompts of others. */
export function promptsAfterLoad(kept: readonly KeptPrompt[], receipts: readonly Receipt[]): readonly SentPrompt[] {
  const keys = new Set(kept.map(({ key }) => key));
  const known = receipts.filter((receipt) => keys.has(receipt.key) || !isFinal(receipt));
  const answered = new Set(known.map(({ key }) => key));
  const unanswered = kept
    .filter(({ key }) => !answered.has(key))
    .map((prompt) => ({ ...prompt, state: "unanswered", reason: null }) as const);
  return [...known.map(promptOf), ...unanswered];
}

/** Unfinished prompts, and a finished one until the next is sent. */
export const shownPrompts = (prompts: readonly SentPrompt[]): readonly SentPrompt[] =>
  prompts.filter((prompt, index) => isOpen(prompt) || index === prompts.length - 1);

export const keptPrompts = (prompts: readonly SentPrompt[]): readonly KeptPrompt[] =>
  prompts
    .filter(isOpen)
    .slice(-KEPT_MAX)
    .map(({ key, text }) => ({ key, text }));
