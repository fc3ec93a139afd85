/**
 * The typed events of a session, from all carriers. One event has one id, however many carriers bring it and however often it is painted:
 * what stands on the screen of an agent whose turns come through the gateway is a sighting of what the model wrote.
 */
import type { Observation, TimedReducer } from "../observe/observation.ts";
import type { Mark } from "../records.ts";
import { abandonReason } from "./abandoned-tag.ts";
import type { EncodedEvent } from "./encoded-event.ts";
import { EncodedEvents, type EncodedEventsState, type SightingPlace } from "./encoded-events.ts";
import { keyOfEvent } from "./event-key.ts";
import { PaintedTags, type PaintedTagsState } from "./painted-tags.ts";
import { areQuoted } from "./quoted-places.ts";
import { payloadCheck } from "./payload-check.ts";
import type { TagScannerOptions, TagScannerState } from "./tag-scanner.ts";
import { abandonedEvent, readEvent, type PayloadCheck, type TaggedEvent } from "./tagged-event.ts";
import { withoutSignals, type FoundTag, scanText } from "./text-scan.ts";
import { TextEvents, type TextEventsOptions, type TextEventsOutput, readTag } from "./text-events.ts";
import { WireEvents, type WireEventsState } from "./wire-events.ts";
import { forgetOldest } from "../forget-oldest.ts";

/** Plain data. */
interface SightingsState {
  readonly written: readonly string[];
  readonly seen: readonly (readonly [key: string, id: string])[];
}

const KEYS_MAX = 1000;

export interface SessionEventsOptions extends TagScannerOptions {
  /** The user vouches for all that the session's terminal shows: plain tags in it have the trust `text`. Default false: `unverified`. */
  readonly trustText?: boolean;
  /** Also events at the end of each turn and at the exit, with a digest. Default false. */
  readonly summaries?: boolean;
}

/** Plain data, to go on elsewhere. */
export interface SessionEventsState {
  readonly nonce: string | null;
  /** JSON Schemas by event name. */
  readonly schemas: Readonly<Record<string, unknown>>;
  readonly encoded: EncodedEventsState;
  readonly scanner: TagScannerState;
  readonly typed: string;
  readonly isAlternate: boolean;
  readonly painted: PaintedTagsState;
  readonly messages: MessageTagsState;
  readonly wire: WireEventsState;
  readonly sightings: SightingsState;
}

/** What was typed last is kept: a terminal echoes it. */
const TYPED_CHARS_MAX = 65_536;

export class SessionEvents implements TimedReducer<TaggedEvent, SessionEventsState> {
  readonly #options: SessionEventsOptions;
  readonly #schemas = new Map<string, unknown>();
  readonly #checks = new Map<string, PayloadCheck>();
  readonly #encoded: EncodedEvents;
  readonly #painted: PaintedTags;
  readonly #messages: MessageTags;
  readonly #wire: WireEvents;
  readonly #sightings: Sightings;
  #nonce: string | null = null;
  #events: TextEvents;
  #typed = "";
  #isAlternate = false;

  constructor(options: SessionEventsOptions = {}, state?: SessionEventsState) {
    this.#options = options;
    for (const [name, schema] of Object.entries(state?.schemas ?? {})) this.#schema(name, schema);
    this.#nonce = state?.nonce ?? null;
    this.#typed = state?.typed ?? "";
    this.#isAlternate = state?.isAlternate ?? false;
    this.#encoded = new EncodedEvents({ schemas: this.#checks, needsSchema: true }, state?.encoded);
    this.#painted = new PaintedTags(state?.painted);
    this.#messages = new MessageTags(state?.messages);
    this.#wire = new WireEvents(state?.wire);
    this.#sightings = new Sightings(state?.sightings);
    this.#events = this.#open();
    if (state !== undefined) this.#events.scanner.restore(state.scanner);
  }

  /** When `tick` has something to do. */
  get wakeUs(): number | null {
    const { wakeMs } = this.#events.scanner;
    return wakeMs === null ? null : (wakeMs + 1) * 1000;
  }

  step({ cause, screen, offset, end, timeUs }: Observation): readonly TaggedEvent[] {
    switch (cause.type) {
      case "start":
        this.#nonce = cause.eventNonce;
        this.#events = this.#open();
        return [];
      case "frame":
        this.#isAlternate = screen?.frame.isAlternate ?? this.#isAlternate;
        return [];
      case "input":
        // A terminal echoes it: that is not an event of the program.
        for (const { raw } of cause.items) this.#typed += raw;
        this.#typed = this.#typed.slice(-TYPED_CHARS_MAX);
        // A full-screen program repaints after Enter; on the normal screen another command prints.
        if (cause.lines.length > 0 && !this.#isAlternate) this.#painted.clear();
        return [];
      case "mark":
        return this.#mark(cause.mark, { offset, end });
      case "tick":
        return this.#judge(this.#events.tick(timeUs / 1000));
      case "exit":
        return this.#judge(this.#events.end());
      case "gap": {
        // The end of a tag that began before the gap is not known.
        const ended = this.#judge(this.#events.end());
        this.#events = this.#open();
        return ended;
      }
      default:
        return [];
    }
  }

  output(bytes: Uint8Array, offset: number, timeUs: number): TaggedEvent[] {
    const output = this.#events.feed(bytes, { offset, timeMs: timeUs / 1000 });
    const keys = output.events.map((event) => ({ key: keyOfEvent(event), offset: event.offset, end: event.end }));
    const repaints = this.#painted.areRepaints(keys, bytes, offset);
    return this.#judge({ ...output, events: output.events.filter((_, index) => repaints[index] !== true) });
  }

  /** Skips output of an agent whose messages are read: its tags are searched in the messages. */
  skip(): void {
    if (this.#events.scanner.isHolding) this.#events = this.#open();
    this.#painted.clear();
  }

  /** Rows of a message as they stand on the screen: encoded events in them that were not there before. */
  see(rows: readonly string[], place: SightingPlace): TaggedEvent[] {
    const events = this.#encoded.see(rows, place);
    return this.#wire.isWired && place.writer === "assistant" ? [] : this.#unified(events);
  }

  /** A message of an agent has changed: plain tags in it that were not there before. */
  message(message: ShownMessage, offset: number): TaggedEvent[] {
    if (this.#wire.isWired && message.role === "assistant") return [];
    return this.#unified(this.#messages.see(message, offset, this.#tagOptions()));
  }

  save(): SessionEventsState {
    return {
      nonce: this.#nonce,
      schemas: Object.fromEntries(this.#schemas),
      encoded: this.#encoded.save(),
      scanner: this.#events.scanner.save(),
      typed: this.#typed,
      isAlternate: this.#isAlternate,
      painted: this.#painted.save(),
      messages: this.#messages.save(),
      wire: this.#wire.save(),
      sightings: this.#sightings.save(),
    };
  }

  #mark(mark: Mark, { offset, end }: { offset: number; end: number }): readonly TaggedEvent[] {
    if (mark.type === "event-schema") this.#schema(mark.name, mark.schema);
    if (mark.type === "command") this.#typed = (this.#typed + mark.text).slice(-TYPED_CHARS_MAX);
    if (mark.type !== "event")
      return this.#unified(
        this.#wire.mark(mark, { offset, end }, { ...this.#tagOptions(), nonce: this.#nonce ?? undefined }),
      );
    const { name, payload, carrier, trust } = mark;
    const source = { name, attributes: {}, text: JSON.stringify(payload), id: `${carrier}:${offset}` };
    return [readEvent({ ...source, carrier, trust, offset, end }, { schemas: this.#checks, needsSchema: true })];
  }

  /** Events of this name are checked against this JSON Schema from here on, whatever carries them. */
  #schema(name: string, schema: unknown): void {
    this.#schemas.set(name, schema);
    this.#checks.set(name, payloadCheck(schema));
  }

  /** A message as people and models read it: what is not believed to be a signal is content, and stays. */
  readable({ role, source, text }: { readonly role: string; readonly source: string; readonly text: string }): string {
    const { trustText = false } = this.#options;
    const isOwn = role === "assistant";
    // Of a shell the message shows what the bytes have exactly.
    const isRendered = source === "screen" && role !== "shell";
    const isTrusted = (tag: FoundTag): boolean =>
      (trustText && !this.#isTyped(tag.name)) || (this.#nonce !== null && tag.attributes["nonce"] === this.#nonce);
    const isMeant = ({ name, body, from: start, to: end }: FoundTag): boolean =>
      this.#wire.isMeant({ name, text: body }, areQuoted(text, [{ start, end }])[0] === true);
    const isSignal = (tag: FoundTag): boolean =>
      (!isRendered && isTrusted(tag)) || (isOwn && source === "wire" && isMeant(tag));
    const isEncodedSignal = (event: EncodedEvent): boolean =>
      isOwn && (source === "wire" ? this.#wire.isMeant(event, !event.isAlone) : this.#encoded.isMeant(event));
    return withoutSignals(text, { ...this.#options, isSignal, isEncodedSignal });
  }

  #open(): TextEvents {
    return new TextEvents(this.#tagOptions());
  }

  #tagOptions(): TextEventsOptions {
    const { trustText = false, summaries: _, ...options } = this.#options;
    return {
      ...options,
      schemas: this.#checks,
      needsSchema: true,
      trust: trustText ? "text" : "unverified",
      ...(this.#nonce === null ? {} : { nonce: this.#nonce }),
    };
  }

  #judge({ events, abandoned }: TextEventsOutput): TaggedEvent[] {
    const judged = events.map((event): TaggedEvent =>
      event.trust === "text" && this.#isTyped(event.name) ? { ...event, trust: "unverified" } : event,
    );
    const given = abandoned
      .filter(({ name }) => !this.#isTyped(name))
      .map(({ name, offset, end, reason }) => {
        const source = { name, id: `text:${offset}`, carrier: "text", trust: "unverified", offset, end } as const;
        return abandonedEvent(source, abandonReason(reason, this.#options));
      });
    const all = [...judged, ...given].toSorted((one, other) => one.end - other.end);
    // What a program prints is whole, as it printed it; a screen that is painted damages what it shows.
    return all.flatMap((event) => (event.valid || this.#isAlternate ? this.#unified([event]) : [event]));
  }

  /** A terminal echoes it, and a shell prints the command that it takes and what that tells it to print. */
  #isTyped(name: string): boolean {
    return this.#typed.includes(`"${name}"`);
  }

  /** Behind the gateway, the event that a model wrote and its sightings elsewhere are one event. */
  #unified(events: readonly TaggedEvent[]): TaggedEvent[] {
    return this.#wire.isWired ? this.#sightings.unify(events) : [...events];
  }
}

/** Matches sightings on the screen with what a model wrote: the same name and payload, before or after the turn was recorded. */
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

/**
 * Plain tags in the messages of an agent. A screen is rendered: Markdown may have made another valid payload of a tag. So a tag that was
 * read from the screen has the trust `unverified`, whatever the session is worth and even with the nonce.
 */
export interface ShownMessage {
  readonly id: string;
  readonly role: string;
  readonly source: string;
  readonly text: string;
  readonly isPartial: boolean;
}

/** How many tags of each message were reported, whole and abandoned ones, plain data. */
type MessageTagsState = readonly (readonly [message: string, count: number, abandoned?: number])[];

/** An abandoned tag may be whole when more of the message is shown: it is counted apart. */
interface Counts {
  readonly tags: number;
  readonly abandoned: number;
}

const MESSAGES_MAX = 1000;

/**
 * Reports the tags of a message when it is complete. The n-th tag of a message is one event, however the message is wrapped or painted
 * later.
 */
export class MessageTags {
  readonly #counts = new Map<string, Counts>();

  constructor(state: MessageTagsState = []) {
    for (const [message, tags, abandoned = 0] of state) this.#counts.set(message, { tags, abandoned });
  }

  save(): MessageTagsState {
    return [...this.#counts].map(([message, { tags, abandoned }]) => [message, tags, abandoned] as const);
  }

  /** `options.trust` is what a tag is worth if it is not the echo of a prompt. */
  see(shown: ShownMessage, offset: number, options: TextEventsOptions): TaggedEvent[] {
    const { id: message, role, source: origin, text } = shown;
    if (shown.isPartial) return [];
    const { tags, abandoned } = scanText(text, options);
    const known = this.#counts.get(message) ?? { tags: 0, abandoned: 0 };
    if (tags.length <= known.tags && abandoned.length <= known.abandoned) return [];
    this.#remember(message, {
      tags: Math.max(known.tags, tags.length),
      abandoned: Math.max(known.abandoned, abandoned.length),
    });
    const trust = role === "user" ? "unverified" : (options.trust ?? "unverified");
    const doubt = origin === "screen" ? "rendered" : undefined;
    const placeOf = (index: number | string) => ({ id: `message:${message}:${index}`, offset, end: offset });
    const events = tags.map((tag, index) => readTag(tag, { ...placeOf(index), doubt }, { ...options, trust }));
    const given = abandoned.map(({ name, reason }, index) => {
      const source = { ...placeOf(`abandoned:${index}`), name, carrier: "text", trust: "unverified" } as const;
      return abandonedEvent(source, abandonReason(reason, options));
    });
    return [...events.slice(known.tags), ...given.slice(known.abandoned)];
  }

  #remember(message: string, counts: Counts): void {
    this.#counts.delete(message);
    this.#counts.set(message, counts);
    forgetOldest(this.#counts, MESSAGES_MAX);
  }
}
