/** A record as JSON, from server-sent events and from `sessions.records`, as a typed value. */
import type { ServerMessage } from "../protocol/attach-frames.ts";

/** One record of a journal, with its offset, the offset after it and its time in microseconds since the Unix epoch. */
export type SessionRecord =
  | Exclude<ServerMessage, { readonly type: "attached" | "error" | "notice" | "taken" | "writer" }>
  | {
      readonly type: "output";
      readonly offset: number;
      readonly next: number;
      readonly timeUs: number;
      readonly bytes: Uint8Array;
    };

/** The JSON of one record; the base64 of an output becomes bytes. */
export function toSessionRecord(document: Readonly<Record<string, unknown>>): SessionRecord {
  const { data, ...rest } = document;
  if (document["type"] !== "output") return document as unknown as SessionRecord;
  return { ...rest, bytes: fromBase64(typeof data === "string" ? data : "") } as SessionRecord;
}

/** `Uint8Array.fromBase64` is not yet in every Node and browser that is supported. */
function fromBase64(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}
