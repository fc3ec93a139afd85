import { readEvent, type EventReading, type EventSource, type TaggedEvent } from "./tagged-event.ts";
import type { EventTrust } from "../records.ts";
import {
  TagScanner,
  type AbandonedTag,
  type ChunkPosition,
  type TagScanItem,
  type TagScannerOptions,
} from "./tag-scanner.ts";

/** How far plain tags are trusted, and the schemas and limits for them. */
export interface TextEventsOptions extends TagScannerOptions, EventReading {
  /** What a plain tag is worth here: `text` if you vouch for all that the program prints, else `unverified` (the default). */
  readonly trust?: Extract<EventTrust, "text" | "unverified">;
  /** A tag with this value in the attribute `nonce` has the trust `nonce`. The attribute is not passed on. */
  readonly nonce?: string;
}

/** The result of one chunk. */
export interface TextEventsOutput {
  /** The bytes that people read: without tags, with the text of abandoned ones. */
  readonly text: readonly Uint8Array[];
  readonly events: readonly TaggedEvent[];
  readonly abandoned: readonly AbandonedTag[];
}

/**
 * Extracts the events that a program prints as plain tags from its output. Offsets are bytes, times milliseconds; call `tick` when
 * `scanner.wakeMs` is reached. An incomplete tag is returned as text after its limit in bytes or time.
 *
 * @example
 * ```ts
 * const events = new TextEvents({ trust: "text" });
 * events.feed(new TextEncoder().encode('<FORGE_EVENT name="DONE">{"ok":true}</FORGE_EVENT>\n'), { offset: 0, timeMs: 0 });
 * // { text: [], events: [{ name: "DONE", payload: { ok: true }, ... }], abandoned: [] }
 * ```
 */
export class TextEvents {
  /** What finds the tags: it says when to call `tick`, and is saved and restored. */
  readonly scanner: TagScanner;
  readonly #options: TextEventsOptions;

  constructor(options: TextEventsOptions = {}) {
    this.scanner = new TagScanner(options);
    this.#options = options;
  }

  feed(chunk: Uint8Array, position: ChunkPosition): TextEventsOutput {
    return this.#sort(this.scanner.feed(chunk, position));
  }

  tick(timeMs: number): TextEventsOutput {
    return this.#sort(this.scanner.tick(timeMs));
  }

  end(): TextEventsOutput {
    return this.#sort(this.scanner.end());
  }

  #sort(items: readonly TagScanItem[]): TextEventsOutput {
    const text: Uint8Array[] = [];
    const events: TaggedEvent[] = [];
    const abandoned: AbandonedTag[] = [];
    for (const item of items) {
      if (item.type === "text") text.push(item.bytes);
      else if (item.type === "tag") events.push(readTag(item, { ...item, id: `text:${item.offset}` }, this.#options));
      else abandoned.push(item);
    }
    return { text, events, abandoned };
  }
}

/** The event of a plain tag. A tag with the session's nonce has at least that trust if there is no doubt; the nonce is not passed on. */
export function readTag(
  { name, body: text, attributes: given }: Pick<Extract<TagScanItem, { type: "tag" }>, "name" | "body" | "attributes">,
  { id, offset, end, doubt }: Pick<EventSource, "id" | "offset" | "end" | "doubt">,
  options: TextEventsOptions,
): TaggedEvent {
  const { trust = "unverified", nonce } = options;
  const { nonce: own, ...attributes } = given;
  const hasNonce = nonce !== undefined && own === nonce;
  const source = { id, offset, end, doubt, name, text, attributes, carrier: "text" } as const;
  const known = hasNonce ? "nonce" : trust;
  return readEvent({ ...source, trust: doubt === undefined ? known : "unverified" }, options);
}
