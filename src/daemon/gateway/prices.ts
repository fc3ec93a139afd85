/**
 * What models cost, in US dollars for a million tokens, by the vendors' public price lists of 2025 and early 2026. A model is found
 * by its name, with or without a date; one that is not here has no price. Prices for long prompts, batches and regions are not here.
 */
import type { Usage } from "../../core/wire/turn.ts";

export interface Price {
  readonly input: number;
  readonly output: number;
  /** Input that is read from a cache, and input that is written to one. */
  readonly cached: number;
  readonly cacheWrite: number;
}

const price = (input: number, output: number, cached: number, cacheWrite = input): Price => ({
  input,
  output,
  cached,
  cacheWrite,
});

export const prices: Readonly<Record<string, Price>> = {
  "claude-opus-4": price(15, 75, 1.5, 18.75),
  "claude-opus-4-1": price(15, 75, 1.5, 18.75),
  "claude-opus-4-5": price(5, 25, 0.5, 6.25),
  "claude-opus-4-6": price(5, 25, 0.5, 6.25),
  "claude-sonnet-4": price(3, 15, 0.3, 3.75),
  "claude-sonnet-4-5": price(3, 15, 0.3, 3.75),
  "claude-sonnet-4-6": price(3, 15, 0.3, 3.75),
  "claude-3-7-sonnet": price(3, 15, 0.3, 3.75),
  "claude-3-5-sonnet": price(3, 15, 0.3, 3.75),
  "claude-haiku-4-5": price(1, 5, 0.1, 1.25),
  "claude-3-5-haiku": price(0.8, 4, 0.08, 1),
  "gpt-5": price(1.25, 10, 0.125),
  "gpt-5-codex": price(1.25, 10, 0.125),
  "gpt-5.1": price(1.25, 10, 0.125),
  "gpt-5.1-codex": price(1.25, 10, 0.125),
  "gpt-5-mini": price(0.25, 2, 0.025),
  "gpt-5-nano": price(0.05, 0.4, 0.005),
  "gpt-4.1": price(2, 8, 0.5),
  "gpt-4.1-mini": price(0.4, 1.6, 0.1),
  "gpt-4.1-nano": price(0.1, 0.4, 0.025),
  "gpt-4o": price(2.5, 10, 1.25),
  "gpt-4o-mini": price(0.15, 0.6, 0.075),
  o3: price(2, 8, 0.5),
  "o4-mini": price(1.1, 4.4, 0.275),
  "gemini-2.5-pro": price(1.25, 10, 0.125),
  "gemini-2.5-flash": price(0.3, 2.5, 0.03),
  "gemini-2.5-flash-lite": price(0.1, 0.4, 0.01),
};

/** How vendors write which edition of a model it is. */
const DATE = /[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/;

/** Null for a model that has no price. A provider's prefix (`anthropic/claude-...`) does not matter. */
export function costOf(model: string | null, usage: Usage | null): number | null {
  const name = (model?.split("/").at(-1) ?? "").replace(DATE, "");
  const known = Object.hasOwn(prices, name) ? prices[name] : undefined;
  if (known === undefined || usage === null) return null;
  const { cacheWriteTokens, cachedInputTokens, inputTokens, outputTokens } = usage;
  const fresh = Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens);
  const micro =
    fresh * known.input +
    cachedInputTokens * known.cached +
    cacheWriteTokens * known.cacheWrite +
    outputTokens * known.output;
  return Math.round(micro) / 1_000_000;
}
