import { LecternError } from "../errors.ts";

export interface SseFields {
  readonly event?: string;
  readonly data: string;
}

/**
 * Writes one event of a WHATWG event stream, with LF line endings and the final blank line. Each line of the data becomes a `data` field,
 * so a reader gets the lines joined by LF.
 *
 * @throws LecternError `INVALID_INPUT` if the name contains a line ending
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 * @example
 * ```ts
 * encodeSseEvent({ event: "ping", data: "{}" }); // "event: ping\ndata: {}\n\n"
 * ```
 */
export function encodeSseEvent({ data, event }: SseFields): string {
  if (event !== undefined && /[\r\n]/.test(event))
    throw new LecternError("INVALID_INPUT", "Cannot write the name of an event: it contains a line ending");
  const name = event === undefined ? "" : `event: ${event}\n`;
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `${name}${lines.join("")}\n`;
}
