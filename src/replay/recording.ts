/** A recording, or the text of a screen, as the records of a session. */
import { AsciicastDecoder } from "../journal/asciicast-decoder.ts";
import type { JournalRecord } from "../protocol/records.ts";

/** The records of an asciicast, version 2 or 3. Throws `MALFORMED`. */
export function recordsOf(recording: Uint8Array): JournalRecord[] {
  const decoder = new AsciicastDecoder();
  let offset = 0;
  return [...decoder.feed(recording), ...decoder.end()].map((record) => {
    const placed = { ...record, offset };
    offset += record.payload.length;
    return placed;
  });
}

/** It begins like an asciicast. */
export const isRecording = (text: string): boolean => /^\s*\{[^\n]{0,10000}"version"\s*:\s*[23]\b/.test(text);
