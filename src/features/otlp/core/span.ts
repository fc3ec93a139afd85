/**
 * Spans in the JSON encoding of OTLP (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding): ids as hex, 64-bit numbers as
 * decimal text, enums as numbers.
 */
import { GENAI_CONVENTIONS_VERSION, SCHEMA_URL } from "./names.ts";

export type OtlpValue =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly boolValue: boolean }
  | { readonly arrayValue: { readonly values: readonly OtlpValue[] } };

export interface OtlpAttribute {
  readonly key: string;
  readonly value: OtlpValue;
}

export interface OtlpEvent {
  readonly timeUnixNano: string;
  readonly name: string;
  readonly attributes: readonly OtlpAttribute[];
}

/** 1: inside of an application. 3: a request to another one. */
type SpanKind = 1 | 3;

/** Where a span belongs. */
export interface SpanPlace {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. Missing for the first span of a trace. */
  readonly parentSpanId?: string;
}

export interface OtlpSpan extends SpanPlace {
  /** 16 hex digits. */
  readonly spanId: string;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly events: readonly OtlpEvent[];
  /** 0: not set. 2: an error. */
  readonly status: { readonly code: 0 | 2; readonly message?: string };
}

/** Microseconds since the Unix epoch in nanoseconds: more than a number of JSON holds exactly. */
export const nanosOf = (timeUs: number): string => `${Math.max(0, Math.round(timeUs))}000`;

type Given = string | number | boolean | readonly string[] | null | undefined;

/** Attributes without those that have no value. Whole numbers are integers. */
export const attributesOf = (given: Readonly<Record<string, Given>>): OtlpAttribute[] =>
  Object.entries(given).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [{ key, value: valueOf(value) }],
  );

function valueOf(value: NonNullable<Given>): OtlpValue {
  if (typeof value === "string") return { stringValue: value.toWellFormed() };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number")
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((text) => ({ stringValue: text.toWellFormed() })) } };
}

/** Where spans come from. */
export interface SpanSource {
  /** Attributes of the resource, such as `service.name`. */
  readonly resource: Readonly<Record<string, string>>;
  readonly version: string;
}

/** The body of a request to `/v1/traces`. */
export function requestOf(spans: readonly OtlpSpan[], { resource, version }: SpanSource) {
  const attributes = attributesOf({ "lectern.genai.conventions": GENAI_CONVENTIONS_VERSION });
  const scopeSpans = [{ scope: { name: "lectern", version, attributes }, spans, schemaUrl: SCHEMA_URL }];
  return {
    resourceSpans: [{ resource: { attributes: attributesOf(resource) }, scopeSpans, schemaUrl: SCHEMA_URL }],
  };
}

export type OtlpRequest = ReturnType<typeof requestOf>;
