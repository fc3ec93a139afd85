/** Reducers that are fed with steps: each has an observer of its own before it. */
import type { Observation } from "../src/core/observe/observation.ts";
import { Observer, type ObserverOptions } from "../src/core/observe/observer.ts";
import type { Step } from "../src/core/observe/step.ts";

export class Observed<Change, Own extends { step(observation: Observation): readonly Change[] }> {
  readonly reducer: Own & { step(observation: Observation): readonly Change[] };
  readonly observer: Observer;

  constructor(reducer: Own & { step(observation: Observation): readonly Change[] }, options: ObserverOptions = {}) {
    this.reducer = reducer;
    this.observer = new Observer(options);
  }

  step(step: Step): readonly Change[] {
    const observation = this.observer.step(step);
    return observation === null ? [] : this.reducer.step(observation);
  }
}

/** The observations of some steps. */
export function observationsOf(steps: readonly Step[], options: ObserverOptions = {}): Observation[] {
  const observer = new Observer(options);
  return steps.flatMap((step) => observer.step(step) ?? []);
}
