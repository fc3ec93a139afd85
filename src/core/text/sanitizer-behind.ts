/** A reader of text that starts in the middle of a recording reads what is in front of its place, to know whether that is inside of a sequence. */
import { LecternError } from "../errors.ts";
import { Sanitizer } from "./sanitizer.ts";

/** Nearly all sequences are shorter. Of a longer one, such as a picture, the rest is text. */
export const LOOK_BACK_BYTES = 16_384;

interface RecordBefore {
  readonly type: string;
  readonly offset: number;
  /** Undefined for what is not output. */
  readonly bytes: Uint8Array | undefined;
}

/**
 * A sanitizer for the output from `from` on. `records` are those from `from - LOOK_BACK_BYTES` on, or from 0; what is in them from `from`
 * on is left out.
 */
export function sanitizerBehind(records: Iterable<RecordBefore>, from: number): Sanitizer {
  const sanitizer = new Sanitizer();
  if (from > LOOK_BACK_BYTES) sanitizer.gap();
  for (const { type, offset, bytes } of records) {
    if (offset >= from) break;
    if (type === "gap") sanitizer.gap();
    else if (bytes !== undefined) sanitizer.skip(bytes.subarray(0, from - offset));
  }
  return sanitizer;
}

/**
 * In place of the records before an offset beyond the end: the error of the read from that offset names what was asked for, and the one of this
 * read would name where the look back starts.
 */
export function nothingBeyondEnd(error: unknown): { readonly records: readonly never[] } {
  if (error instanceof LecternError && error.code === "OFFSET_BEYOND_END") return { records: [] };
  throw error;
}
