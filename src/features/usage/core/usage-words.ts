/** Tokens and cost in words, as the command line and the page show them. */
import type { UsageSum } from "../../../core/usage/usage-hours.ts";

/** `tokenWords(12_345); // "12.3k"` */
export function tokenWords(tokens: number): string {
  if (tokens < 1000) return String(tokens);
  const [value, unit] = tokens < 999_500 ? [tokens / 1000, "k"] : [tokens / 1e6, "M"];
  return `${value < 99.95 ? value.toFixed(1) : String(Math.round(value))}${unit}`;
}

/** `+ ?`: some answers have no known price, so the cost is more by an unknown amount. */
export function costWords({
  costUsd,
  requests,
  unpriced,
}: Pick<UsageSum, "costUsd" | "requests" | "unpriced">): string {
  if (unpriced > 0 && costUsd === 0) return requests > 0 ? "unknown" : "";
  const digits = costUsd > 0 && costUsd < 1 ? 4 : 2;
  return `$${costUsd.toFixed(digits)}${unpriced > 0 ? " + ?" : ""}`;
}
