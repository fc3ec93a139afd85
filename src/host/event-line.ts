/** Parses a line of the event socket as a request and formats the answer as a line. */
import { LecternError } from "../core/errors.ts";
import { isEventName } from "../core/events/tagged-event.ts";
import type { EventTrust } from "../core/records.ts";
import { toLecternError } from "../protocol/errors.ts";

export interface EventRequest {
  readonly session: string;
  readonly name: string;
  readonly payload: unknown;
  readonly nonce: string | undefined;
}

/** Throws `INVALID_INPUT` with the problem and the expected form. */
export function parseEventLine(line: string): EventRequest {
  const { session, name, payload, nonce } = parseObject(line);
  if (typeof session !== "string") throw invalid('"session" is missing: take it from LECTERN_SESSION');
  if (typeof name !== "string" || !isEventName(name))
    throw invalid('"name" must be a letter, then at most 63 of A-Z a-z 0-9 _ . -');
  if (payload === undefined) throw invalid('"payload" is missing: any JSON value, also null');
  if (nonce !== undefined && typeof nonce !== "string") throw invalid('"nonce" must be text');
  return { session, name, payload, nonce };
}

function parseObject(line: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw invalid(`it is not valid JSON (${(cause as Error).message})`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalid("it is not a JSON object");
  return value as Readonly<Record<string, unknown>>;
}

const invalid = (reason: string): LecternError => new LecternError("INVALID_INPUT", `Cannot read the event: ${reason}`);

/** The offsets of an event in the journal, and how far it is trusted. */
export interface EventReceipt {
  readonly offset: number;
  readonly next: number;
  readonly trust: EventTrust;
}

export const receiptLine = (receipt: EventReceipt): string => `${JSON.stringify({ ok: true, ...receipt })}\n`;

export function errorLine(error: unknown): string {
  const { code, message } = toLecternError(error);
  return `${JSON.stringify({ ok: false, code, message })}\n`;
}
