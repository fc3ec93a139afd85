/**
 * Events in the model's own stream: the text of its turns as the gateway recorded it, exactly.
 *
 * Law: a tag that a model quotes is not an event of the model. A tag in code, in a quotation or inside of a tool's output that the model
 * repeats has the trust `unverified`, because nobody can tell whether it is meant; the nonce of the session tells it.
 */
import type { Mark } from "../records.ts";
import { abandonReason } from "./abandoned-tag.ts";
import { eventKey } from "./event-key.ts";
import { findEncodedEvents } from "./encoded-event.ts";
import { forgetOldest } from "../forget-oldest.ts";
import { areQuoted } from "./quoted-places.ts";
import type { TagScannerOptions } from "./tag-scanner.ts";
import {
  abandonedEvent,
  readEvent,
  type EventDoubt,
  type EventReading,
  type EventSource,
  type TaggedEvent,
} from "./tagged-event.ts";
import { scanText } from "./text-scan.ts";

export interface WireEventsOptions extends EventReading, TagScannerOptions {
  /** See `TextEventsOptions.nonce`. */
  readonly nonce?: string | undefined;
}

/** Plain data. */
export interface WireEventsState {
  readonly isWired: boolean;
  readonly asides: readonly string[];
  readonly read: readonly string[];
  readonly early: readonly string[];
}

interface MarkPlace {
  readonly offset: number;
  readonly end: number;
}

/** An event in the text of a model. */
interface Written extends Pick<EventSource, "name" | "text" | "attributes" | "problem"> {
  readonly isQuoted: boolean;
}

type Turn = Extract<Mark, { readonly type: "wire-turn" }>;

/** Exchanges that are under way at a time. */
const ASIDES_MAX = 100;
/** Events in outputs of tools that are remembered. */
const READ_MAX = 1000;

export class WireEvents {
  /** Exchanges that offer no tools, such as for a title: their turns are not shown to the user. */
  readonly #asides: Set<string>;
  /** Keys of events in the outputs of tools. */
  readonly #read: Set<string>;
  /** Keys of events of a turn that ended early: agents request it again, and the model may repeat them. */
  #early: string[];
  #isWired: boolean;

  constructor(state?: WireEventsState) {
    this.#isWired = state?.isWired ?? false;
    this.#asides = new Set(state?.asides);
    this.#read = new Set(state?.read);
    this.#early = [...(state?.early ?? [])];
  }

  /** The session's turns come through the gateway. */
  get isWired(): boolean {
    return this.#isWired;
  }

  mark(mark: Mark, place: MarkPlace, options: WireEventsOptions): TaggedEvent[] {
    switch (mark.type) {
      case "wire-request":
        this.#isWired ||= mark.tools > 0;
        if (mark.tools === 0) remember(this.#asides, mark.exchange, ASIDES_MAX);
        for (const part of mark.parts) if (part.type === "tool-result") this.#readResult(part.text, options);
        return [];
      case "wire-gate":
        this.#isWired = mark.state === "on";
        return [];
      case "wire-turn":
        return this.#asides.delete(mark.exchange) ? [] : this.#turn(mark, place, options);
      default:
        return [];
    }
  }

  /** The model meant it: it is neither quoted nor a repetition of what a tool gave it. */
  isMeant({ name, text }: Pick<Written, "name" | "text">, isQuoted: boolean): boolean {
    return this.#doubtOf({ name, text }, isQuoted) === undefined;
  }

  save(): WireEventsState {
    return { isWired: this.#isWired, asides: [...this.#asides], read: [...this.#read], early: this.#early };
  }

  #turn(turn: Turn, place: MarkPlace, options: WireEventsOptions): TaggedEvent[] {
    const early = [...this.#early];
    const events: TaggedEvent[] = [];
    const keys: string[] = [];
    const idOf = (): string => `wire:${place.offset}:${keys.length}`;
    for (const written of writtenIn(turn.text, options)) {
      const key = eventKey(written.name, written.text);
      keys.push(key);
      const again = early.indexOf(key);
      if (again === -1) events.push(this.#eventOf(written, { ...place, id: idOf() }, options));
      else early.splice(again, 1);
    }
    for (const { name, offset, reason } of scanText(turn.text, options).abandoned) {
      const source = {
        name,
        id: `wire:${place.offset}:abandoned:${offset}`,
        carrier: "wire",
        trust: "unverified",
      } as const;
      events.push(abandonedEvent({ ...source, ...place }, abandonReason(reason, options, turn.cutChars > 0)));
    }
    this.#early = turn.finish === "stop" || turn.finish === "tool_calls" ? [] : keys;
    return events;
  }

  #eventOf(
    { isQuoted, attributes: given, ...written }: Written,
    place: MarkPlace & { readonly id: string },
    options: WireEventsOptions,
  ): TaggedEvent {
    const { nonce: own, ...attributes } = given;
    const doubt = this.#doubtOf(written, isQuoted);
    const hasNonce = options.nonce !== undefined && own === options.nonce;
    const trust = doubt === undefined ? "wire" : hasNonce ? "nonce" : "unverified";
    return readEvent({ ...written, ...place, attributes, carrier: "wire", trust, doubt }, options);
  }

  #doubtOf({ name, text }: Pick<Written, "name" | "text">, isQuoted: boolean): EventDoubt | undefined {
    if (isQuoted) return "quoted";
    return this.#read.has(eventKey(name, text)) ? "repeated" : undefined;
  }

  /** Agents pass an output on as it is, with line numbers, or as a string of JSON. */
  #readResult(text: string, options: WireEventsOptions): void {
    const texts = [text, withoutLineStarts(text), text.includes('\\"') ? unescaped(text) : ""];
    for (const each of new Set(texts))
      for (const { name, text: payload } of writtenIn(each, options))
        remember(this.#read, eventKey(name, payload), READ_MAX);
  }
}

function writtenIn(text: string, options: TagScannerOptions): Written[] {
  const { tags } = scanText(text, options);
  const quoted = areQuoted(
    text,
    tags.map(({ from, to }) => ({ start: from, end: to })),
  );
  const plain = tags.map(({ name, body, attributes }, index) => {
    return { name, text: body, attributes, isQuoted: quoted[index] === true };
  });
  if (!text.includes("@@FE")) return plain;
  const encoded = findEncodedEvents(text.split("\n"), { isExact: true });
  return [
    ...plain,
    ...encoded.map(({ name, text: payload, isAlone, problem }) => {
      return { name, text: payload, attributes: {}, isQuoted: !isAlone, problem };
    }),
  ];
}

/** Without line numbers, and without the `+` and `-` of a diff. */
const withoutLineStarts = (text: string): string => text.replaceAll(/^(?:[+-]|\s*\d{1,6}\s?[\t→:|│])\s?/gm, "");

const unescaped = (text: string): string =>
  text.replaceAll(/\\(["\\/nt])/g, (_, sign: string) => (sign === "n" ? "\n" : sign === "t" ? "\t" : sign));

function remember(set: Set<string>, key: string, countMax: number): void {
  set.delete(key);
  set.add(key);
  forgetOldest(set, countMax);
}
