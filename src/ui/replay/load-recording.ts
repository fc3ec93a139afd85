/** Reads a whole recording, page by page. */
import type { LecternClient } from "../../client.ts";
import { toSessionRecord } from "../../client/session-record.ts";
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
  client: LecternClient,
  session: { readonly id: string; readonly start: number },
  recording: Recording,
  signal: AbortSignal,
): AsyncGenerator<LoadProgress, void, void> {
  const { start } = session;
  for (let from = start; ;) {
    const page = await client.call("sessions.records", { session: session.id, from, bytesMax: PAGE_BYTES }, { signal });
    recording.feed(page.records.map((record) => toSessionRecord(record)));
    const isFull = page.next - start >= RECORDING_BYTES_MAX;
    const isLast = page.next >= page.end || page.next === from;
    from = page.next;
    const omittedBytes = isFull ? page.end - page.next : 0;
    yield { part: isFull || isLast ? 1 : (from - start) / Math.max(1, page.end - start), omittedBytes };
    if (isFull || isLast) return;
  }
}
