/** The folds of one session, in the order in which they need each other. */
import { SessionEvents, type SessionEventsOptions, type SessionEventsState } from "../events/session-events.ts";
import type { EventCarrier, EventTrust, TaggedEvent } from "../events/tagged-event.ts";
import type { ViewChange } from "./change.ts";
import type { Step } from "./fold.ts";

export interface SessionFoldsOptions {
  readonly events?: SessionEventsOptions;
}

/** Plain data. */
export interface SessionFoldsState {
  readonly events: SessionEventsState;
}

export class SessionFolds {
  readonly #events: SessionEvents;

  constructor(options: SessionFoldsOptions, state?: SessionFoldsState) {
    this.#events = new SessionEvents(options.events, state?.events);
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
        this.#events.start(step.command, step.eventNonce);
        return [];
      case "mark":
        return this.#mark(step);
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

  #mark({ event, offset, end, timeUs }: Extract<Step, { type: "mark" }>): ViewChange[] {
    if (isSchemaMark(event)) this.#events.schema(event.name, event.schema);
    if (!isEventMark(event)) return [];
    const { name, payload, carrier, trust } = event;
    const source = { name, text: JSON.stringify(payload), id: `${carrier}:${offset}`, carrier, trust, offset, end };
    return [eventChange(this.#events.sent(source), timeUs)];
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

/** The marks of the journal that this floor knows; `protocol/records.ts` has their full types. */
interface SchemaMark {
  readonly type: "event-schema";
  readonly name: string;
  readonly schema: unknown;
}
interface EventMark {
  readonly type: "event";
  readonly name: string;
  readonly payload: unknown;
  readonly carrier: EventCarrier;
  readonly trust: EventTrust;
}

const isSchemaMark = (event: { readonly type: string }): event is SchemaMark => event.type === "event-schema";
const isEventMark = (event: { readonly type: string }): event is EventMark => event.type === "event";
