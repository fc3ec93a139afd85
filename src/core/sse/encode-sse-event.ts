import { LecternError } from "../errors.ts";

/** What `encodeSseEvent` writes. All fields may be left out; an event without `data` is dispatched by no reader. */
export interface SseFields {
  readonly comment?: string;
  readonly event?: string;
  readonly id?: string;
  /** Reconnection time in milliseconds, a whole number. */
  readonly retryMs?: number;
  readonly data?: string;
}

/**
 * Writes one event in the form of the WHATWG event stream, with LF line endings and the blank line that closes it.
 * Data may hold any line ending: each line becomes a `data` field, so a reader gets the lines back joined by LF.
 *
 * @throws LecternError `INVALID_INPUT` where a name or id holds a line ending, an id holds NUL, or a retry is no whole number
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 * @example
 * ```ts
 * encodeSseEvent({ event: "ping", data: "{}" }); // "event: ping\ndata: {}\n\n"
 * ```
 */
export function encodeSseEvent(fields: SseFields): string {
  let text = "";
  if (fields.comment !== undefined) text += writeLines(":", fields.comment);
  if (fields.event !== undefined) text += `event: ${oneLine("event", fields.event)}\n`;
  if (fields.id !== undefined) text += `id: ${oneLine("id", fields.id)}\n`;
  if (fields.retryMs !== undefined) text += `retry: ${wholeNumber(fields.retryMs)}\n`;
  if (fields.data !== undefined) text += writeLines("data:", fields.data);
  return `${text}\n`;
}

function writeLines(prefix: string, text: string): string {
  if (!/[\r\n]/.test(text)) return `${prefix} ${text}\n`;
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => `${prefix} ${line}\n`)
    .join("");
}

function oneLine(field: "event" | "id", value: string): string {
  const forbidden = field === "id" ? /[\r\n\0]/ : /[\r\n]/;
  if (!forbidden.test(value)) return value;
  throw new LecternError("INVALID_INPUT", `Cannot write the ${field} of an event: it holds a line ending or NUL`, {
    details: { field },
  });
}

function wholeNumber(milliseconds: number): number {
  if (Number.isSafeInteger(milliseconds) && milliseconds >= 0) return milliseconds;
  throw new LecternError("INVALID_INPUT", `Cannot write retry "${milliseconds}": want whole milliseconds, 0 or more`);
}
