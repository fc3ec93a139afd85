/** Plain tags in the messages of an agent, as the screen shows them. */
import { abandonReason } from "./abandoned-tag.ts";
import { forgetOldest } from "./forget-oldest.ts";
import { abandonedEvent, type TaggedEvent } from "./tagged-event.ts";
import { readTag, type TextEventsOptions } from "./text-events.ts";
import { scanText } from "./text-scan.ts";

/** The part of a message in which tags are searched. */
export interface ShownMessage {
  readonly id: string;
  readonly role: string;
  readonly text: string;
  readonly isPartial: boolean;
}

/** How many tags of each message were reported, plain data. */
export type MessageTagsState = readonly (readonly [message: string, count: number])[];

const MESSAGES_MAX = 1000;

/**
 * Reports the tags of a message when it is complete. The n-th tag of a message is one event, however the message is wrapped or painted
 * later.
 */
export class MessageTags {
  readonly #counts: Map<string, number>;

  constructor(state: MessageTagsState = []) {
    this.#counts = new Map(state);
  }

  save(): MessageTagsState {
    return [...this.#counts];
  }

  /** `options.trust` is what a tag is worth if it is not the echo of a prompt. */
  see({ id: message, role, text, isPartial }: ShownMessage, offset: number, options: TextEventsOptions): TaggedEvent[] {
    if (isPartial) return [];
    const { tags, abandoned } = scanText(text, options);
    const count = this.#counts.get(message) ?? 0;
    const all = tags.length + abandoned.length;
    if (all <= count) return [];
    this.#remember(message, all);
    const trust = role === "user" ? "unverified" : (options.trust ?? "unverified");
    const placeOf = (index: number) => ({ id: `message:${message}:${index}`, offset, end: offset });
    const events = tags.map((tag, index) => readTag(tag, placeOf(index), { ...options, trust }));
    const given = abandoned.map(({ name, reason }, index) => {
      const source = { ...placeOf(tags.length + index), name, carrier: "text", trust: "unverified" } as const;
      return abandonedEvent(source, abandonReason(reason, options));
    });
    return [...events, ...given].slice(count);
  }

  #remember(message: string, count: number): void {
    this.#counts.delete(message);
    this.#counts.set(message, count);
    forgetOldest(this.#counts, MESSAGES_MAX);
  }
}
