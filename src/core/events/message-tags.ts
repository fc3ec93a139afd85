/**
 * Plain tags in the messages of an agent. A screen is rendered: Markdown may have made another valid payload of a tag. So a tag that was
 * read from the screen has the trust `unverified`, whatever the session is worth and even with the nonce.
 */
import { abandonReason } from "./abandoned-tag.ts";
import { forgetOldest } from "../forget-oldest.ts";
import { abandonedEvent, type TaggedEvent } from "./tagged-event.ts";
import { readTag, type TextEventsOptions } from "./text-events.ts";
import { scanText } from "./text-scan.ts";

export interface ShownMessage {
  readonly id: string;
  readonly role: string;
  readonly source: string;
  readonly text: string;
  readonly isPartial: boolean;
}

/** How many tags of each message were reported, whole and abandoned ones, plain data. */
export type MessageTagsState = readonly (readonly [message: string, count: number, abandoned?: number])[];

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
