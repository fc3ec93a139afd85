import { SchemaStore } from "../core/gate/schemas.ts";
import { readEvent, type EventSchemas, type PayloadCheck, type TaggedEvent } from "../core/events/tagged-event.ts";
import { decodeMark } from "../protocol/payloads.ts";
import type { JournalRecord, SessionEvent } from "../protocol/records.ts";

/** One store for all: sessions are started with the same schemas again and again. */
const store = new SchemaStore();

/**
 * The typed events of a session, folded from its journal: the one place where records become `TaggedEvent`s. Today those that came
 * over the socket, which are marks; schemas are marks too, and count from where they stand.
 *
 * @example
 * ```ts
 * const events = new TaggedEvents();
 * for (const record of records) for (const event of events.feed(record)) console.log(event.name, event.trust);
 * ```
 */
export class TaggedEvents {
  readonly #schemas = new Map<string, PayloadCheck>();

  /** The events that a record brings, in order. A record of which the fold knows nothing brings none. */
  feed(record: JournalRecord): TaggedEvent[] {
    if (record.type !== "mark") return [];
    const event = decodeMark(record.payload);
    if (event.type === "event-schema") this.#schemas.set(event.name, payloadCheck(event.schema));
    return event.type === "event" ? [eventOfMark(event, record, this.#schemas)] : [];
  }
}

/** Its id is its place: it is written once, and never painted again. */
function eventOfMark(
  mark: Extract<SessionEvent, { type: "event" }>,
  { offset, payload: bytes }: JournalRecord,
  schemas: EventSchemas,
): TaggedEvent {
  const { name, payload, carrier, trust } = mark;
  const end = offset + bytes.length;
  const text = JSON.stringify(payload);
  return readEvent(
    { name, text, attributes: {}, id: `${carrier}:${offset}`, carrier, trust, offset, end },
    { schemas },
  );
}

/** A JSON Schema as a check. One that cannot be used fails every payload, with the reason: an unchecked event must not look like a checked one. */
export function payloadCheck(schema: unknown): PayloadCheck {
  const compiled = store.compile(schema);
  if (!compiled.usable) return () => [compiled.message];
  return (payload) => {
    const result = compiled.check(payload);
    if (result.valid) return [];
    return result.problems.length === 0
      ? [result.reason]
      : result.problems.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  };
}

/** Why a schema cannot be used, as a sentence; undefined where it can. */
export function schemaProblem(schema: unknown): string | undefined {
  const compiled = store.compile(schema);
  return compiled.usable ? undefined : compiled.message;
}
