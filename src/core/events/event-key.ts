import { crc32 } from "../bytes/crc32.ts";
import { isTrusted, type TaggedEvent } from "./tagged-event.ts";

const encoder = new TextEncoder();

/**
 * The same for the same name and payload, however the payload is laid out.
 * `eventKey("DONE", '{ "ok": true }') === eventKey("DONE", '{"ok":true}'); // true`
 */
export function eventKey(name: string, text: string): string {
  const canonical = canonicalText(text);
  const digest = crc32(encoder.encode(canonical)).toString(16).padStart(8, "0");
  return `${name}:${canonical.length}:${digest}`;
}

/** The key of an event that was read; of one that is not valid by its text. */
export const keyOfEvent = (event: TaggedEvent): string =>
  eventKey(event.name, event.valid ? JSON.stringify(event.payload) : event.text);

/** The keys of the events whose tags are left out of an output. */
export const signalKeys = (events: readonly TaggedEvent[]): Set<string> =>
  new Set(events.filter(({ carrier, trust }) => carrier === "text" && isTrusted(trust, "text")).map(keyOfEvent));

function canonicalText(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text.replaceAll(/\s+/g, "");
  }
}
