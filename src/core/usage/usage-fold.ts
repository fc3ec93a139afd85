/** Tokens and cost of the answers of models in a session, from the marks of the gateway. */
import type { WireEvent } from "../records.ts";
import type { Observation, Reducer } from "../observe/observation.ts";

/** The sum over all answered requests. */
export interface SessionUsage {
  readonly requests: number;
  /** Tokens; that from a cache and reasoning included. */
  readonly input: number;
  readonly output: number;
  readonly cachedInput: number;
  readonly reasoning: number;
  /** US dollars; null if a price is unknown. */
  readonly costUsd: number | null;
}

/** One answered request. */
export type UsageExchange = Pick<Extract<WireEvent, { readonly type: "wire-turn" }>, "usage" | "costUsd">;

export const noUsage: SessionUsage = { requests: 0, input: 0, output: 0, cachedInput: 0, reasoning: 0, costUsd: 0 };

/** One price that is not known makes no sum. */
export function addExchange(total: SessionUsage, { usage, costUsd }: UsageExchange): SessionUsage {
  return {
    requests: total.requests + 1,
    input: total.input + (usage?.inputTokens ?? 0),
    output: total.output + (usage?.outputTokens ?? 0),
    cachedInput: total.cachedInput + (usage?.cachedInputTokens ?? 0),
    reasoning: total.reasoning + (usage?.reasoningTokens ?? 0),
    costUsd: total.costUsd === null || costUsd === null ? null : total.costUsd + costUsd,
  };
}

export class UsageFold implements Reducer<SessionUsage, SessionUsage | null> {
  #total: SessionUsage | null;

  constructor(state: SessionUsage | null = null) {
    this.#total = state;
  }

  step({ cause }: Observation): readonly SessionUsage[] {
    if (cause.type !== "mark" || cause.mark.type !== "wire-turn") return [];
    this.#total = addExchange(this.#total ?? noUsage, cause.mark);
    return [this.#total];
  }

  save(): SessionUsage | null {
    return this.#total;
  }
}
