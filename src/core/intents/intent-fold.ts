/** Tools that a model has named in a turn that is not over, from the marks of the gateway. */
import type { Observation, Reducer } from "../observe/observation.ts";

/** Nothing of the call is executed before it is whole and allowed. */
export interface Intent {
  readonly exchange: string;
  readonly call: string;
  readonly tool: string;
  readonly sinceUs: number;
  /** A person is asked about it. */
  readonly isHeld: boolean;
}

/** A gateway that went away in between leaves no end of a turn: the oldest are forgotten. */
const INTENTS_MAX = 50;

/** Each change is the whole list, the oldest first. */
export class IntentFold implements Reducer<readonly Intent[], readonly Intent[]> {
  #open: readonly Intent[];

  constructor(state: readonly Intent[] = []) {
    this.#open = state;
  }

  step(observation: Observation): readonly (readonly Intent[])[] {
    const next = this.#after(observation);
    const isSame = next === this.#open || (next.length === 0 && this.#open.length === 0);
    this.#open = next;
    return isSame ? [] : [next];
  }

  save(): readonly Intent[] {
    return this.#open;
  }

  #after({ cause, timeUs }: Observation): readonly Intent[] {
    if (cause.type === "exit") return [];
    if (cause.type !== "mark") return this.#open;
    const { mark } = cause;
    switch (mark.type) {
      case "wire-intent": {
        const { exchange, call, tool } = mark;
        const others = this.#open.filter((intent) => intent.call !== call);
        return [...others, { exchange, call, tool, sinceUs: timeUs, isHeld: false }].slice(-INTENTS_MAX);
      }
      case "wire-approval": {
        const isHeld = mark.state === "open";
        const isNews = this.#open.some((intent) => intent.call === mark.call && intent.isHeld !== isHeld);
        if (!isNews) return this.#open;
        return this.#open.map((intent) => (intent.call === mark.call ? { ...intent, isHeld } : intent));
      }
      case "wire-turn":
        return this.#open.filter(({ exchange }) => exchange !== mark.exchange);
      default:
        return this.#open;
    }
  }
}
