import { TRUST_LEVELS, type EventCarrier, type EventTrust } from "../records.ts";

/** Why the payload of an event is not to be used. */
interface EventError {
  readonly code: "invalid-name" | "malformed-json" | "schema-mismatch";
  readonly message: string;
}

interface EventBase {
  readonly type: "tagged-event";
  /** The same for each sighting of one event, and for no other event of the session. */
  readonly id: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly carrier: EventCarrier;
  readonly trust: EventTrust;
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

/** Returns what is wrong with a payload, nothing where it is right. For JSON Schema: `ajv` is wired to it outside of the core. */
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
  readonly offset: number;
  readonly end: number;
}

export interface EventReading {
  readonly schemas?: EventSchemas;
  /** Reads JSON, throws where it is none. Default `JSON.parse`. */
  readonly parseJson?: (text: string) => unknown;
}

const NAME = /^[A-Za-z][\w.-]{0,63}$/;

/** What an event may be called: a letter, then at most 63 of A-Z a-z 0-9 _ . - */
export function isEventName(name: string): boolean {
  return NAME.test(name);
}

/**
 * Makes an event of what a carrier brought. Never throws: a bad name, broken JSON and a schema that does not match give an event
 * with `valid: false`. Where a schema changes the value (defaults, coercion), the payload is the changed one.
 *
 * @example
 * ```ts
 * readEvent({ name: "DONE", text: '{"ok":true}', attributes: {}, id: "text:0", carrier: "text", trust: "text", offset: 0, end: 9 });
 * // { type: "tagged-event", valid: true, payload: { ok: true }, ... }
 * ```
 */
export function readEvent(source: EventSource, reading: EventReading = {}): TaggedEvent {
  const { name, text, attributes, id, carrier, trust, offset, end } = source;
  const base: EventBase = { type: "tagged-event", id, name, attributes, carrier, trust, offset, end };
  const payload = readPayload(source, reading);
  return "error" in payload
    ? { ...base, valid: false, error: payload.error, text }
    : { ...base, valid: true, payload: payload.value };
}

/** Returns whether `trust` is at least `wanted`. */
export function isTrusted(trust: EventTrust, wanted: EventTrust): boolean {
  return TRUST_LEVELS.indexOf(trust) >= TRUST_LEVELS.indexOf(wanted);
}

type Outcome = { readonly value: unknown } | { readonly error: EventError };

function readPayload({ name, text }: EventSource, { schemas, parseJson = JSON.parse }: EventReading): Outcome {
  if (!isEventName(name))
    return failure(
      "invalid-name",
      `Cannot use event name "${name}": wanted a letter, then at most 63 of A-Z a-z 0-9 _ . -`,
    );
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    return failure("malformed-json", messageOf(error));
  }
  const schema = schemas?.get(name);
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

function checked(value: unknown, problems: readonly string[]): Outcome {
  return problems.length === 0 ? { value } : failure("schema-mismatch", problems.join("; "));
}

function describeIssue({ message, path = [] }: StandardIssue): string {
  const keys = path.map((segment) => String(typeof segment === "object" ? segment.key : segment));
  return keys.length === 0 ? message : `${keys.join(".")}: ${message}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function failure(code: EventError["code"], message: string): Outcome {
  return { error: { code, message } };
}
