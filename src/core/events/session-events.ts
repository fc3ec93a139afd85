/** The typed events of a session: plain tags in its output, with what they are worth there, and those that came over its socket. */
import { decodeBase64Url, encodeBase64Url } from "../bytes/base64url.ts";
import type { Observation, Reducer } from "../observe/observation.ts";
import type { Mark } from "../records.ts";
import { EncodedEvents, type EncodedEventsState, type SightingPlace } from "./encoded-events.ts";
import { payloadCheck } from "./payload-check.ts";
import { readEvent, type PayloadCheck, type TaggedEvent } from "./tagged-event.ts";
import { TextEvents, type TextEventsOutput } from "./text-events.ts";

export interface SessionEventsOptions {
  /** Default "FORGE_EVENT". */
  readonly tagName?: string;
  /** The user vouches for all that the session's terminal shows: plain tags in it have the trust `text`. Default false: `unverified`. */
  readonly trustsText?: boolean;
}

/** Plain data, to go on elsewhere. */
export interface SessionEventsState {
  readonly nonce: string | null;
  /** JSON Schemas by event name. */
  readonly schemas: Readonly<Record<string, unknown>>;
  readonly encoded: EncodedEventsState;
  readonly held: { readonly bytes: string; readonly offset: number; readonly timeMs: number } | null;
  readonly typed: string;
}

/** What was typed last is kept: a terminal echoes it. */
const TYPED_CHARS_MAX = 65_536;

export class SessionEvents implements Reducer<TaggedEvent, SessionEventsState> {
  readonly #options: SessionEventsOptions;
  readonly #schemas = new Map<string, unknown>();
  readonly #checks = new Map<string, PayloadCheck>();
  readonly #encoded: EncodedEvents;
  #nonce: string | null = null;
  #events: TextEvents;
  #typed = "";

  constructor(options: SessionEventsOptions = {}, state?: SessionEventsState) {
    this.#options = options;
    for (const [name, schema] of Object.entries(state?.schemas ?? {})) this.#schema(name, schema);
    this.#nonce = state?.nonce ?? null;
    this.#typed = state?.typed ?? "";
    this.#encoded = new EncodedEvents({ schemas: this.#checks }, state?.encoded);
    this.#events = this.#open();
    const held = state?.held ?? null;
    const bytes = held === null ? undefined : decodeBase64Url(held.bytes);
    if (held !== null && bytes !== undefined) this.#events.feed(bytes, { offset: held.offset, timeMs: held.timeMs });
  }

  /** When `tick` has something to do. */
  get wakeUs(): number | null {
    const { wakeMs } = this.#events;
    return wakeMs === null ? null : (wakeMs + 1) * 1000;
  }

  step({ cause, offset, end, timeUs }: Observation): readonly TaggedEvent[] {
    switch (cause.type) {
      case "start":
        this.#nonce = cause.eventNonce;
        this.#events = this.#open();
        return [];
      case "input":
        // A terminal echoes it: that is not an event of the program.
        for (const { raw } of cause.items) this.#typed += raw;
        this.#typed = this.#typed.slice(-TYPED_CHARS_MAX);
        return [];
      case "mark":
        return this.#mark(cause.mark, { offset, end });
      case "tick":
        return this.#judge(this.#events.tick(timeUs / 1000));
      case "exit":
        return this.#judge(this.#events.end());
      default:
        return [];
    }
  }

  output(bytes: Uint8Array, offset: number, timeUs: number): TaggedEvent[] {
    return this.#judge(this.#events.feed(bytes, { offset, timeMs: timeUs / 1000 }));
  }

  /** Rows of a message as they stand on the screen: encoded events in them that were not there before. */
  see(rows: readonly string[], place: SightingPlace): TaggedEvent[] {
    return this.#encoded.see(rows, place);
  }

  save(): SessionEventsState {
    const { held } = this.#events;
    return {
      nonce: this.#nonce,
      schemas: Object.fromEntries(this.#schemas),
      encoded: this.#encoded.save(),
      held: held === null ? null : { bytes: encodeBase64Url(held.bytes), ...held.position },
      typed: this.#typed,
    };
  }

  #mark(mark: Mark, { offset, end }: { readonly offset: number; readonly end: number }): readonly TaggedEvent[] {
    if (mark.type === "event-schema") this.#schema(mark.name, mark.schema);
    if (mark.type !== "event") return [];
    const { name, payload, carrier, trust } = mark;
    const source = { name, attributes: {}, text: JSON.stringify(payload), id: `${carrier}:${offset}` };
    return [readEvent({ ...source, carrier, trust, offset, end }, { schemas: this.#checks })];
  }

  /** Events of this name are checked against this JSON Schema from here on, whatever carries them. */
  #schema(name: string, schema: unknown): void {
    this.#schemas.set(name, schema);
    this.#checks.set(name, payloadCheck(schema));
  }

  #open(): TextEvents {
    const { trustsText = false, ...options } = this.#options;
    return new TextEvents({
      ...options,
      schemas: this.#checks,
      trust: trustsText ? "text" : "unverified",
      ...(this.#nonce === null ? {} : { nonce: this.#nonce }),
    });
  }

  #judge({ events }: TextEventsOutput): TaggedEvent[] {
    return events.map((event) =>
      event.trust === "text" && this.#typed.includes(`"${event.name}"`) ? { ...event, trust: "unverified" } : event,
    );
  }
}
