/** Tokens and cost by hour, agent and model: what totals by day, session or label are added up from. */
import type { UsageExchange } from "./usage-fold.ts";

const HOUR_US = 3_600_000_000;
/** Models of one hour; any further one is counted as `other`. */
const MODELS_MAX = 50;
const OTHER = "other";

/** Tokens and cost of some answered requests. */
export interface UsageSum {
  readonly requests: number;
  /** Tokens; those from a cache and reasoning included. */
  readonly input: number;
  readonly output: number;
  readonly cachedInput: number;
  readonly reasoning: number;
  /** US dollars, of the requests with a known price. */
  readonly costUsd: number;
  /** Requests whose price is not known; they are not in `costUsd`. */
  readonly unpriced: number;
}

/** What one session used within one hour with one model. */
export interface UsageHour extends UsageSum {
  /** Its start, microseconds since the Unix epoch. */
  readonly hourUs: number;
  /** The agent in the foreground; null if none was recognised. */
  readonly agent: string | null;
  readonly model: string | null;
}

export const noSum: UsageSum = {
  requests: 0,
  input: 0,
  output: 0,
  cachedInput: 0,
  reasoning: 0,
  costUsd: 0,
  unpriced: 0,
};

/** Unique within a session. */
export const keyOfHour = ({ agent, hourUs, model }: UsageHour): string => `${hourUs} ${agent ?? ""} ${model ?? ""}`;

export const addSums = (one: UsageSum, other: UsageSum): UsageSum => ({
  requests: one.requests + other.requests,
  input: one.input + other.input,
  output: one.output + other.output,
  cachedInput: one.cachedInput + other.cachedInput,
  reasoning: one.reasoning + other.reasoning,
  costUsd: one.costUsd + other.costUsd,
  unpriced: one.unpriced + other.unpriced,
});

const sumOf = ({ costUsd, usage }: UsageExchange): UsageSum => ({
  requests: 1,
  input: usage?.inputTokens ?? 0,
  output: usage?.outputTokens ?? 0,
  cachedInput: usage?.cachedInputTokens ?? 0,
  reasoning: usage?.reasoningTokens ?? 0,
  costUsd: costUsd ?? 0,
  // An answer without usage, such as an error, has used nothing that is known.
  unpriced: costUsd === null && usage !== null ? 1 : 0,
});

/** The hours after an answer, of which only those of the current hour are kept, and the one that has changed. */
export function addToHours(
  hours: readonly UsageHour[],
  exchange: UsageExchange & { readonly model: string | null; readonly agent: string | null; readonly timeUs: number },
): { readonly hours: readonly UsageHour[]; readonly changed: UsageHour } {
  const hourUs = Math.floor(exchange.timeUs / HOUR_US) * HOUR_US;
  const current = hours.filter((hour) => hour.hourUs === hourUs);
  const find = (model: string | null) => current.find((hour) => hour.agent === exchange.agent && hour.model === model);
  const model = find(exchange.model) !== undefined || current.length < MODELS_MAX ? exchange.model : OTHER;
  const known = find(model);
  const changed = { ...addSums(known ?? noSum, sumOf(exchange)), hourUs, agent: exchange.agent, model };
  return { hours: [...current.filter((hour) => hour !== known), changed], changed };
}
