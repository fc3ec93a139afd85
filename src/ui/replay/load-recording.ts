/** Reads a whole recording, page by page. */
import { toSessionRecord } from "../../client/session-record.ts";
import { answerTo, daemon, type Asking } from "../api.ts";
import type { Recording } from "./recording.ts";

const PAGE_BYTES = 1024 * 1024;
/** Limit of a recording in memory; the rest is omitted, which the page reports. */
const RECORDING_BYTES_MAX = 128 * 1024 * 1024;

export interface LoadProgress {
  /** From 0 to 1. */
  readonly part: number;
  /** Bytes omitted at the end. */
  readonly omittedBytes: number;
}

/** Yields the progress. */
export async function* loadRecording(
  session: { readonly id: string; readonly start: number },
  recording: Recording,
  asking: Asking,
): AsyncGenerator<LoadProgress, void, void> {
  const { start } = session;
  const { signal } = asking;
  for (let from = start; ;) {
    const input = { session: session.id, from, bytesMax: PAGE_BYTES };
    const page = await answerTo(() => daemon().call("sessions.records", input, { signal }), asking);
    recording.feed(page.records.map((record) => toSessionRecord(record)));
    const isFull = page.next - start >= RECORDING_BYTES_MAX;
    const isLast = page.next >= page.end || page.next === from;
    from = page.next;
    const omittedBytes = isFull ? page.end - page.next : 0;
    yield { part: isFull || isLast ? 1 : (from - start) / Math.max(1, page.end - start), omittedBytes };
    if (isFull || isLast) return;
  }
}
