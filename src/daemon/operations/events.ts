/** Typed events of a session, as a list from an offset on, or the next one that is waited for. */
import { isTrusted, type TaggedEvent } from "../../core/events/tagged-event.ts";
import { mayHaveTag, readableOutput, type ReadableText } from "../../core/events/text-scan.ts";
import type { EventTrust } from "../../core/records.ts";
import type { OutputOf, ParsedInputOf } from "../../protocol/operations.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { SessionViews } from "../views/session-views.ts";
import type { Daemon } from "./context.ts";
import { readUpdates } from "./updates.ts";

interface Wanted {
  readonly name?: string | undefined;
  readonly trust: EventTrust;
}

/** True where an event has the name that is asked for and is trusted that far. */
const matches = (event: TaggedEvent, { name, trust }: Wanted): boolean =>
  (name === undefined || event.name === name) && isTrusted(event.trust, trust);

/** At most `limit` events that end behind `from`; where there is none yet, waits for the first one until `waitMs` are over. */
export async function listEvents(
  daemon: Daemon,
  input: ParsedInputOf<"sessions.events">,
  signal: AbortSignal,
): Promise<OutputOf<"sessions.events">> {
  const entry = daemon.registry.resolve(input.session);
  const now = await eventsBehind(daemon, entry, input.from);
  const found = now.events.filter((event) => matches(event, input));
  if (found.length > input.limit) {
    const events = found.slice(0, input.limit);
    return { events, next: events.at(-1)?.end ?? input.from, ended: false };
  }
  if (found.length === 0 && entry.live && input.waitMs > 0) {
    const stop = AbortSignal.any([signal, AbortSignal.timeout(input.waitMs)]);
    const next = await nextEvent(daemon, entry, { ...input, from: now.next }, stop);
    if (next !== undefined) return { events: [next], next: next.end, ended: false };
  }
  return { events: found, next: now.next, ended: !entry.live && now.next >= entry.view.end };
}

/** The output of a session from an offset on, without the tags of trusted events. */
export async function withoutTags(
  text: string,
  { entry, views, from }: { readonly entry: SessionEntry; readonly views: SessionViews; readonly from: number },
): Promise<ReadableText> {
  const { tag } = entry;
  const { events } = mayHaveTag(text, tag) ? await eventsBehind({ views }, entry, from) : { events: [] };
  return readableOutput(text, { ...tag, events });
}

/** Those that are known now, and how far that is. */
async function eventsBehind(
  { views }: Pick<Daemon, "views">,
  entry: SessionEntry,
  from: number,
): Promise<{ readonly events: readonly TaggedEvent[]; readonly next: number }> {
  return await views.use(entry, async ({ view }) => {
    const next = Math.max(from, view.status.offset);
    const query = { session: entry.id, from: from + 1, kinds: ["event"], changesMax: 100_000 } as const;
    const changes = await views.store.changes(query);
    return { events: changes.flatMap((change) => (change.kind === "event" ? [change.event] : [])), next };
  });
}

/**
 * The next event that ends behind `from` and is wanted; undefined where the wait is over or the session has ended. What is
 * there already is looked at in any case, also where there is no time to wait.
 */
export async function nextEvent(
  daemon: Daemon,
  entry: SessionEntry,
  wanted: Wanted & { readonly from: number; readonly validOnly?: boolean },
  signal: AbortSignal,
): Promise<TaggedEvent | undefined> {
  const isWanted = (event: TaggedEvent): boolean =>
    matches(event, wanted) && (event.valid || wanted.validOnly !== true) && event.end > wanted.from;
  const known = (await eventsBehind(daemon, entry, wanted.from)).events.find(isWanted);
  if (known !== undefined || signal.aborted) return known;
  const input = { session: entry.id, from: wanted.from, kinds: ["event" as const] };
  const context = { caller: { scope: "admin" as const, session: null }, signal };
  for await (const changes of readUpdates(daemon, input, context)) {
    for (const change of changes) if (change.kind === "event" && isWanted(change.event)) return change.event;
  }
  return undefined;
}
