import { crc32 } from "../bytes/crc32.ts";
import { findEncodedEvents, type EncodedEvent } from "./encoded-event.ts";
import { forgetOldest } from "../forget-oldest.ts";
import { readEvent, type EventDoubt, type EventReading, type TaggedEvent } from "./tagged-event.ts";

export interface EncodedEventsOptions extends EventReading {
  /** Sightings that are remembered; default 10,000. The oldest is forgotten, and would count as new if it were painted again. */
  readonly sightingsMax?: number;
}

/** How often each event was seen, plain data. */
export type EncodedEventsState = readonly (readonly [key: string, count: number])[];

/** Where rows stood. */
export interface SightingPlace {
  /** What the rows belong to: the id of a message or turn. The same event in another scope is another event. */
  readonly scope: string;
  /** What is found outside of an assistant's own message is `unverified`: an echo, a file, a tool's output. */
  readonly writer: "assistant" | "tool" | "other";
  readonly offset: number;
}

const encoder = new TextEncoder();

/**
 * Tells new encoded events from repaints. Within one scope an event is new as often as it stands there at the same time: painted again,
 * wrapped differently or scrolled it is the same one, and twice in one message it is two.
 */
export class EncodedEvents {
  readonly #reading: EventReading;
  readonly #sightingsMax: number;
  /**
   * How often each event was seen at the same time, by scope and key, and once for each that a tool's output had. In the order of the last
   * sighting.
   */
  readonly #counts = new Map<string, number>();

  /** `counts` is what another one saved. */
  constructor({ sightingsMax = 10_000, ...reading }: EncodedEventsOptions = {}, counts: EncodedEventsState = []) {
    this.#reading = reading;
    this.#sightingsMax = sightingsMax;
    for (const [key, count] of counts) this.#counts.set(key, count);
  }

  save(): EncodedEventsState {
    return [...this.#counts];
  }

  /** Returns the events in `rows` that were not seen before in this scope. */
  see(rows: readonly string[], place: SightingPlace): TaggedEvent[] {
    const events: TaggedEvent[] = [];
    const now = new Map<string, number>();
    for (const found of findEncodedEvents(rows)) {
      const key = `${place.writer === "assistant" ? "assistant" : "other"} ${place.scope} ${found.key}`;
      if (place.writer === "tool") now.set(readKey(found), 1);
      const ordinal = (now.get(key) ?? 0) + 1;
      now.set(key, ordinal);
      if (ordinal > (this.#counts.get(key) ?? 0)) events.push(this.#eventOf(found, ordinal, place));
    }
    for (const [key, count] of now) this.#remember(key, count);
    return events;
  }

  #remember(key: string, count: number): void {
    const known = this.#counts.get(key) ?? 0;
    this.#counts.delete(key);
    this.#counts.set(key, Math.max(known, count));
    forgetOldest(this.#counts, this.#sightingsMax);
  }

  /**
   * An assistant meant it as an event. A name that the checksum does not cover is only trusted where a schema knows it: underscores may have
   * been lost on the way.
   */
  isMeant(found: EncodedEvent): boolean {
    const isNameSure = found.isNameChecked || this.#reading.schemas?.has(found.name) !== false;
    return isNameSure && this.#doubtOf(found) === undefined;
  }

  #eventOf(found: EncodedEvent, ordinal: number, place: SightingPlace): TaggedEvent {
    const isAssistant = place.writer === "assistant";
    const doubt = isAssistant ? this.#doubtOf(found) : undefined;
    const isTrusted = isAssistant && this.isMeant(found);
    const digest = crc32(encoder.encode(found.key)).toString(16).padStart(8, "0");
    return readEvent(
      {
        name: found.name,
        text: found.text,
        problem: found.problem,
        attributes: {},
        id: `encoded:${isAssistant ? "" : "other:"}${place.scope}:${found.name}:${digest}:${ordinal}`,
        carrier: "encoded",
        trust: isTrusted ? "encoded" : "unverified",
        doubt,
        offset: place.offset,
        end: place.offset,
      },
      this.#reading,
    );
  }

  #doubtOf(found: EncodedEvent): EventDoubt | undefined {
    if (!found.isAlone) return "quoted";
    return this.#counts.has(readKey(found)) ? "repeated" : undefined;
  }
}

const readKey = ({ key }: EncodedEvent): string => `read ${key}`;
