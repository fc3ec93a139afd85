/** The folds of one session, in the order in which they need each other. */
import { OutputEvents, type OutputEventsOptions, type OutputEventsState } from "../events/output-events.ts";
import type { TaggedEvent } from "../events/tagged-event.ts";
import type { ViewChange } from "./change.ts";
import type { Step } from "./fold.ts";

export interface SessionFoldsOptions {
  readonly events?: OutputEventsOptions;
}

/** Plain data. */
export interface SessionFoldsState {
  readonly events: OutputEventsState;
}

export class SessionFolds {
  readonly #events: OutputEvents;

  constructor(options: SessionFoldsOptions, state?: SessionFoldsState) {
    this.#events = new OutputEvents(options.events, state?.events);
  }

  get wakeUs(): number | null {
    return this.#events.wakeUs;
  }

  output(bytes: Uint8Array, offset: number, timeUs: number): ViewChange[] {
    return this.#events.output(bytes, offset, timeUs).map((event) => eventChange(event, timeUs));
  }

  step(step: Step): ViewChange[] {
    switch (step.type) {
      case "start":
        this.#events.start(step.command);
        return [];
      case "input":
        this.#events.input(step.bytes);
        return [];
      case "tick":
        return this.#events.tick(step.timeUs).map((event) => eventChange(event, step.timeUs));
      case "exit":
        return this.#events.end().map((event) => eventChange(event, step.timeUs));
      default:
        return [];
    }
  }

  save(): SessionFoldsState {
    return { events: this.#events.save() };
  }
}

const eventChange = (event: TaggedEvent, timeUs: number): ViewChange => ({
  kind: "event",
  offset: event.end,
  timeUs,
  event,
});
