/** Matches sightings on the screen with what a model wrote: the same name and payload, before or after the turn was recorded. */
import { keyOfEvent } from "./event-key.ts";
import { forgetOldest } from "../forget-oldest.ts";
import type { TaggedEvent } from "./tagged-event.ts";

/** Plain data. */
export interface SightingsState {
  readonly written: readonly string[];
  readonly seen: readonly (readonly [key: string, id: string])[];
}

const KEYS_MAX = 1000;

export class Sightings {
  /** Keys of what the model wrote. */
  readonly #written: Set<string>;
  /** Ids of what was seen first, by key. */
  readonly #seen: Map<string, string>;

  constructor(state?: SightingsState) {
    this.#written = new Set(state?.written);
    this.#seen = new Map(state?.seen);
  }

  save(): SightingsState {
    return { written: [...this.#written], seen: [...this.#seen] };
  }

  /** Drops sightings of what is known; the model's own text takes over the id of a sighting that came before it. */
  unify(events: readonly TaggedEvent[]): TaggedEvent[] {
    return events.flatMap((event) => {
      if (event.carrier === "socket") return [event];
      const key = keyOfEvent(event);
      if (event.carrier === "wire") return [this.#write(key, event)];
      // A damaged sighting: the event itself comes over the wire.
      if (!event.valid || this.#written.has(key)) return [];
      if (!this.#seen.has(key)) this.#seen.set(key, event.id);
      forgetOldest(this.#seen, KEYS_MAX);
      return [event];
    });
  }

  #write(key: string, event: TaggedEvent): TaggedEvent {
    const id = this.#seen.get(key);
    this.#seen.delete(key);
    this.#written.delete(key);
    this.#written.add(key);
    forgetOldest(this.#written, KEYS_MAX);
    return id === undefined ? event : { ...event, id };
  }
}
