/** Reports a message again only when it has changed: agents write whole messages again, and some the whole conversation. */
import { crc32 } from "../bytes/crc32.ts";
import { forgetOldest } from "../forget-oldest.ts";
import type { RecordEntry } from "./record-entry.ts";

/** The oldest is forgotten. */
const MESSAGES_MAX = 200_000;

/** The filter of one record. */
export function latestOnly(): (entry: RecordEntry) => boolean {
  const known = new Map<string, string>();
  const encoder = new TextEncoder();
  return (entry) => {
    if (entry.kind === "taken-back") for (const id of entry.ids) known.delete(id);
    if (entry.kind !== "message") return true;
    // Copilot names a call when it is asked for, and when it begins.
    const bytes = encoder.encode(JSON.stringify({ ...entry, timeMs: 0 }));
    const content = `${bytes.length} ${crc32(bytes)}`;
    if (known.get(entry.id) === content) return false;
    forgetOldest(known.set(entry.id, content), MESSAGES_MAX);
    return true;
  };
}
