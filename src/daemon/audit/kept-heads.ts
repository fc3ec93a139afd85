/** Heads of the audit log that the journals of sessions have kept: who changes the log would have to change these as well. */
import type { ChainHead } from "../../core/gate/audit-chain.ts";
import { decodeMark } from "../../protocol/payloads.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";

/** A head as a session recorded it, at the end of a turn with tool calls or after a refusal, a question or an answer. */
export interface KeptHead extends ChainHead {
  /** The session's id. */
  readonly session: string;
}

/** Of each journal only its last part is read. */
const JOURNAL_BYTES_MAX = 8 * 1024 * 1024;
const READ_BYTES_MAX = 262_144;

/** In order of their sequence. A journal that cannot be read has none. */
export async function keptHeads(entries: Iterable<SessionEntry>): Promise<KeptHead[]> {
  const heads: KeptHead[] = [];
  for (const entry of entries) heads.push(...(await headsOf(entry).catch(() => [])));
  return heads.toSorted((one, other) => one.sequence - other.sequence);
}

async function headsOf(entry: SessionEntry): Promise<KeptHead[]> {
  const feed = await entry.feed();
  const { end } = feed;
  const heads: KeptHead[] = [];
  for (let next = Math.max(feed.start, end - JOURNAL_BYTES_MAX); next < end;) {
    const { records, next: after } = await feed.reader.read(next, { bytesMax: READ_BYTES_MAX });
    for (const { payload, type } of records) {
      const mark = type === "mark" ? decodeMark(payload) : undefined;
      if (mark?.type === "wire-turn" && mark.auditHead !== undefined)
        heads.push({ ...mark.auditHead, session: entry.id });
      if (mark?.type === "audit-head") heads.push({ sequence: mark.sequence, hash: mark.hash, session: entry.id });
    }
    if (after === next) break;
    next = after;
  }
  return heads;
}
