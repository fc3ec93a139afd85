/** Tokens and cost of the answers of models in a session, from the marks of the gateway. */
import type { WireEvent } from "../records.ts";
import type { Observation, Reducer } from "../observe/observation.ts";
import { addToHours, type UsageHour, type UsageSum } from "./usage-hours.ts";

/** The sum over all answered requests. */
export interface SessionUsage extends Omit<UsageSum, "costUsd" | "unpriced"> {
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

/** The new sum, and the hour that an answer belongs to. */
export interface UsageChange {
  readonly usage: SessionUsage;
  readonly hour: UsageHour;
}

/** Plain data. */
export interface UsageFoldState {
  readonly total: SessionUsage | null;
  /** Of the current hour. */
  readonly hours: readonly UsageHour[];
}

export class UsageFold implements Reducer<UsageChange, UsageFoldState> {
  #total: SessionUsage | null;
  #hours: readonly UsageHour[];

  constructor(state: UsageFoldState = { total: null, hours: [] }) {
    this.#total = state.total;
    this.#hours = state.hours;
  }

  step({ agent: { agent }, cause, timeUs }: Observation): readonly UsageChange[] {
    if (cause.type !== "mark" || cause.mark.type !== "wire-turn") return [];
    const { costUsd, model, usage } = cause.mark;
    this.#total = addExchange(this.#total ?? noUsage, cause.mark);
    const { changed, hours } = addToHours(this.#hours, { costUsd, usage, model, agent, timeUs });
    this.#hours = hours;
    return [{ usage: this.#total, hour: changed }];
  }

  save(): UsageFoldState {
    return { total: this.#total, hours: this.#hours };
  }
}
