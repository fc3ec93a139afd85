/** The payloads of the records that are not plain bytes, and records as JSON. */
import { LecternError } from "../core/errors.ts";
import type { ServerMessage } from "./attach-frames.ts";
import type { ExitStatus, GapNotice, JournalRecord } from "./records.ts";
import { readMark, type Mark, type SessionEvent } from "../core/records.ts";

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export const encodeResize = (size: TerminalSize): Uint8Array =>
  Uint8Array.of(size.columns >> 8, size.columns & 0xff, size.rows >> 8, size.rows & 0xff);

/** Throws `JOURNAL_CORRUPT` if the payload is not 4 bytes. */
export function decodeResize(payload: Uint8Array): TerminalSize {
  const [a, b, c, d] = payload;
  if (a === undefined || b === undefined || c === undefined || d === undefined || payload.length !== 4)
    throw new LecternError("JOURNAL_CORRUPT", `Cannot read a resize record: it has ${payload.length} bytes, wanted 4`);
  return { columns: (a << 8) | b, rows: (c << 8) | d };
}

/** A `mark`, `exit` or `gap` payload. */
export const encodeJson = (value: SessionEvent | ExitStatus | GapNotice): Uint8Array =>
  encoder.encode(JSON.stringify(value));

export const decodeMark = (payload: Uint8Array): Mark => readMark(decodeJson(payload));
export const decodeExit = (payload: Uint8Array): ExitStatus => decodeJson(payload) as ExitStatus;
export const decodeGap = (payload: Uint8Array): GapNotice => decodeJson(payload) as GapNotice;

function decodeJson(payload: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(payload));
  } catch (cause) {
    throw new LecternError("JOURNAL_CORRUPT", "Cannot read a record: its payload is not valid JSON", { cause });
  }
}

/** The offset to resume at after a record. After a gap with a range it is the end of the range. */
export function nextOffset(record: JournalRecord): number {
  if (record.type === "gap") {
    const gap = decodeGap(record.payload);
    if ("to" in gap) return gap.to;
  }
  return record.offset + record.payload.length;
}

/** A record that is not output, as the message that clients get. */
export function toServerMessage(record: JournalRecord): ServerMessage {
  const placed = { offset: record.offset, next: nextOffset(record), timeUs: record.timeUs };
  switch (record.type) {
    case "output":
      throw new TypeError("Output is sent as bytes, not as a message");
    case "input":
      return { type: "input", ...placed, bytes: record.payload.length, secret: record.secret };
    case "resize":
      return { type: "resize", ...placed, ...decodeResize(record.payload) };
    case "mark":
      // Clients get the marks of a later version unchanged.
      return { type: "mark", ...placed, event: decodeJson(record.payload) as SessionEvent };
    case "gap":
      return { type: "gap", ...placed, gap: decodeGap(record.payload) };
    case "exit":
      return { type: "exit", ...placed, exit: decodeExit(record.payload) };
  }
}
