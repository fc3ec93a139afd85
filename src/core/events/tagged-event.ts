import { TRUST_LEVELS, type EventCarrier, type EventTrust } from "../records.ts";

/** Why the payload of an event is not to be used. */
interface EventError {
  readonly code: "invalid-name" | "unknown-name" | "malformed-json" | "schema-mismatch" | "abandoned";
  readonly message: string;
}

/**
 * Why an event in the text of an agent has no more than the trust `unverified`:
 * - `rendered`: a plain tag in a message that was read from the screen, where Markdown and wrapping may have changed the payload
 * - `quoted`: it is in code, in a quotation or, if it is encoded, inside of a sentence, as somebody writes who explains it
 * - `repeated`: the output of a tool had the same event before
 */
export const EVENT_DOUBTS = ["rendered", "quoted", "repeated"] as const;
/** Why an event of an agent is not trusted; docs/events.md explains it. */
export type EventDoubt = (typeof EVENT_DOUBTS)[number];

interface EventBase {
  readonly type: "tagged-event";
  /** The same for each sighting of one event, and for no other event of the session. */
  readonly id: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly carrier: EventCarrier;
  readonly trust: EventTrust;
  /** Why an agent's event has no more than the trust `unverified`. */
  readonly doubt?: EventDoubt;
  /** Where in the journal it begins or was first seen. */
  readonly offset: number;
  /** The journal before it has the whole event. */
  readonly end: number;
}

/**
 * An event that a program sent. `payload` is JSON; if it is not valid, `text` and `error` replace it. `offset` and `end` are journal
 * offsets.
 */
export type TaggedEvent =
  | (EventBase & { readonly valid: true; readonly payload: unknown })
  | (EventBase & { readonly valid: false; readonly error: EventError; readonly text: string });

/** The part of Standard Schema (standardschema.dev, version 1) that is used here: zod, valibot, arktype and others have it. */
export interface StandardSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
  };
}

type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Returns what is wrong with a payload, nothing where it is right. For JSON Schema a validator is wired to it outside of the core. */
export type PayloadCheck = (payload: unknown) => readonly string[];

/** Schemas by event name: functions that return problems, or Standard Schema (zod, valibot, arktype). Other names are not checked. */
export type EventSchemas = ReadonlyMap<string, StandardSchema | PayloadCheck>;

export interface EventSource {
  readonly name: string;
  readonly text: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly id: string;
  readonly carrier: EventCarrier;
  readonly trust: EventTrust;
  readonly doubt?: EventDoubt | undefined;
  /** What is wrong with the text, if the carrier knows better than a reader of JSON. */
  readonly problem?: string | undefined;
  readonly offset: number;
  readonly end: number;
}

export interface EventReading {
  /** If there are schemas, an event of a name without one is not valid. Default false: it is not checked. */
  readonly needsSchema?: boolean;
  readonly schemas?: EventSchemas;
  /** Reads JSON, throws where it is none. Default `JSON.parse`. */
  readonly parseJson?: (text: string) => unknown;
}

const NAME = /^[A-Za-z][\w.-]{0,63}$/;

/** What an event may be called: a letter, then at most 63 of A-Z a-z 0-9 _ . - */
export const isEventName = (name: string): boolean => NAME.test(name);

/**
 * Makes an event of what a carrier brought. Never throws: a bad name, broken JSON and a schema that does not match give an event
 * with `valid: false`. Where a schema changes the value (defaults, coercion), the payload is the changed one.
 */
export function readEvent(source: EventSource, reading: EventReading = {}): TaggedEvent {
  const { text } = source;
  const base = baseOf(source);
  const payload = readPayload(source, reading);
  return "error" in payload
    ? { ...base, valid: false, error: payload.error, text }
    : { ...base, valid: true, payload: payload.value };
}

/** The event that reports a tag which is not one: too large, too late, or never closed. It ends no wait. */
export function abandonedEvent(source: Omit<EventSource, "text" | "attributes">, reason: string): TaggedEvent {
  const message = `Cannot read the tag of event "${source.name}": ${reason}`;
  return { ...baseOf({ ...source, attributes: {} }), valid: false, error: { code: "abandoned", message }, text: "" };
}

function baseOf({ name, attributes, id, carrier, trust, doubt, offset, end }: Omit<EventSource, "text">): EventBase {
  const base = { type: "tagged-event", id, name, attributes, carrier, trust, offset, end } as const;
  return doubt === undefined ? base : { ...base, doubt };
}

/** Returns whether `trust` is at least `wanted`. */
export const isTrusted = (trust: EventTrust, wanted: EventTrust): boolean =>
  TRUST_LEVELS.indexOf(trust) >= TRUST_LEVELS.indexOf(wanted);

type Outcome = { readonly value: unknown } | { readonly error: EventError };

function readPayload(
  { name, text, problem }: EventSource,
  { schemas, needsSchema = false, parseJson = JSON.parse }: EventReading,
): Outcome {
  if (!isEventName(name))
    return failure(
      "invalid-name",
      `Cannot use event name "${name}": wanted a letter, then at most 63 of A-Z a-z 0-9 _ . -`,
    );
  if (problem !== undefined) return failure("malformed-json", problem);
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    return failure("malformed-json", messageOf(error));
  }
  const schema = schemas?.get(name);
  if (schema === undefined && needsSchema && schemas !== undefined && schemas.size > 0) {
    const known = [...schemas.keys()].join(", ");
    return failure("unknown-name", `There is no schema for event "${name}": the session has schemas for ${known}`);
  }
  if (schema === undefined) return { value };
  try {
    return typeof schema === "function" ? checked(value, schema(value)) : validated(value, schema);
  } catch (error) {
    return failure("schema-mismatch", `Cannot check the payload: ${messageOf(error)}`);
  }
}

function validated(value: unknown, schema: StandardSchema): Outcome {
  const result = schema["~standard"].validate(value);
  if (result instanceof Promise)
    return failure("schema-mismatch", "Cannot check the payload: the schema is asynchronous, wanted a synchronous one");
  return result.issues === undefined ? { value: result.value } : checked(value, result.issues.map(describeIssue));
}

const checked = (value: unknown, problems: readonly string[]): Outcome =>
  problems.length === 0 ? { value } : failure("schema-mismatch", problems.join("; "));

function describeIssue({ message, path = [] }: StandardIssue): string {
  const keys = path.map((segment) => String(typeof segment === "object" ? segment.key : segment));
  return keys.length === 0 ? message : `${keys.join(".")}: ${message}`;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const failure = (code: EventError["code"], message: string): Outcome => ({ error: { code, message } });
