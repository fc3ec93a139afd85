/** Typed events of a session, as a list from an offset on, or the next one that is waited for. */
import { isTrusted, type EventTrust, type TaggedEvent } from "../../core/events/tagged-event.ts";
import { decodeMark } from "../../protocol/payloads.ts";
import type { OutputOf, ParsedInputOf } from "../../protocol/operations.ts";
import type { SessionCursor } from "../../session/stream.ts";
import { TaggedEvents } from "../../session/tagged-events.ts";
import type { SessionEntry } from "../session-entry.ts";
import { readItems } from "./reading.ts";

/** An event, and where a reader that has it resumes. */
export interface PlacedEvent {
  readonly event: TaggedEvent;
  readonly next: number;
}

/** Batches of events from `from` on, empty ones too, so that a reader knows how far it has come. With `follow` it goes on until the exit. */
export async function* taggedEvents(
  entry: SessionEntry,
  { from, ...reading }: { readonly from: number; readonly follow: boolean; readonly signal: AbortSignal },
): AsyncGenerator<{ readonly events: readonly PlacedEvent[]; readonly next: number }> {
  await entry.refresh();
  const feed = await entry.feed();
  const start = Math.max(feed.start, from);
  const view = new TaggedEvents();
  using cursor = feed.openCursor(start);
  if (start > feed.start) await readHead(feed.openCursor(feed.start), view);
  for await (const items of readItems(cursor, reading)) {
    const events = items.flatMap(({ record, next }) => view.feed(record).map((event) => ({ event, next })));
    yield { events, next: items.at(-1)?.next ?? cursor.offset };
  }
}

/** The schemas stand in the marks that a journal begins with: they count for whoever begins later too. */
async function readHead(cursor: SessionCursor, view: TaggedEvents): Promise<void> {
  using head = cursor;
  for await (const items of readItems(head, { follow: false, signal: new AbortController().signal })) {
    for (const { record } of items) {
      if (record.type !== "mark" || !isHead(record.payload)) return;
      view.feed(record);
    }
  }
}

const isHead = (payload: Uint8Array): boolean => /^(session-start|event-schema)$/.test(decodeMark(payload).type);

/** True where an event has the name that is asked for and is trusted that far. */
const matches = (
  event: TaggedEvent,
  wanted: { readonly name?: string | undefined; readonly trust: EventTrust },
): boolean => (wanted.name === undefined || event.name === wanted.name) && isTrusted(event.trust, wanted.trust);

/** At most `limit` events; where there is none yet, waits for the first one until `waitMs` are over. */
export async function listTagged(
  entry: SessionEntry,
  input: ParsedInputOf<"sessions.tagged">,
  signal: AbortSignal,
): Promise<OutputOf<"sessions.tagged">> {
  const found: TaggedEvent[] = [];
  let next = input.from;
  for await (const batch of taggedEvents(entry, { from: next, follow: false, signal })) {
    next = batch.next;
    for (const placed of batch.events) {
      if (!matches(placed.event, input)) continue;
      found.push(placed.event);
      if (found.length >= input.limit) return { events: found, next: placed.next, ended: false };
    }
  }
  if (found.length === 0 && entry.live && input.waitMs > 0) {
    const stop = AbortSignal.any([signal, AbortSignal.timeout(input.waitMs)]);
    for await (const batch of taggedEvents(entry, { from: next, follow: true, signal: stop })) {
      next = batch.next;
      for (const { event } of batch.events) if (matches(event, input)) found.push(event);
      if (found.length > 0) break;
    }
  }
  return { events: found, next, ended: !entry.live && next >= entry.view.end };
}

/** The next valid event of a name; undefined where the wait is over or the session has ended. An event that does not match its schema is no answer. */
export async function nextTagged(
  entry: SessionEntry,
  wanted: { readonly name: string; readonly trust: EventTrust; readonly from: number },
  signal: AbortSignal,
): Promise<PlacedEvent | undefined> {
  for await (const { events } of taggedEvents(entry, { from: wanted.from, follow: true, signal })) {
    const found = events.find(({ event }) => event.valid && matches(event, wanted));
    if (found !== undefined) return found;
  }
  return undefined;
}
