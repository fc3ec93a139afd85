/** The digest of a session: from the rows of its views, and from the marks of the gateway in its journal. */
import { lastTurn, makeDigest, type Digest, type DigestExchange, type DigestTurn } from "../../core/digest/digest.ts";
import { decodeMark } from "../../protocol/payloads.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { KeptViews } from "../store/view-store.ts";

/** Of a longer journal the tokens are not counted: nothing is said rather than a part. */
const JOURNAL_BYTES_MAX = 64 * 1024 * 1024;
const READ_BYTES_MAX = 1_048_576;
const CHANGES_MAX = 1_000_000;

/** What its views have told so far. They must have caught up. */
export async function digestOf(store: KeptViews, entry: SessionEntry, turn: DigestTurn): Promise<Digest> {
  const all = { session: entry.id, from: 0, last: null, changesMax: CHANGES_MAX } as const;
  const changes = await store.list({ ...all, kinds: ["message", "approval", "event", "status"] });
  const messages = changes.flatMap((change) => (change.kind === "message" ? [change.message] : []));
  const from = turn === "all" ? 0 : (lastTurn(messages)[0]?.offset ?? 0);
  const { endedAt } = entry.view;
  return makeDigest(
    {
      messages,
      statuses: changes.flatMap((change) => (change.kind === "status" ? [change.status] : [])),
      approvals: changes.flatMap((change) => (change.kind === "approval" ? [change.approval] : [])),
      events: changes.flatMap((change) => (change.kind === "event" ? [change.event] : [])),
      exchanges: await exchangesOf(entry, from),
      asOfUs: (endedAt === null ? Date.now() : Date.parse(endedAt)) * 1000,
    },
    turn,
  );
}

/** Null where there are none, or where the journal is too long to look through. */
async function exchangesOf(entry: SessionEntry, from: number): Promise<DigestExchange[] | null> {
  const feed = await entry.feed();
  let next = Math.max(from, feed.start);
  const { end } = feed;
  if (end - next > JOURNAL_BYTES_MAX) return null;
  const exchanges: DigestExchange[] = [];
  while (next < end) {
    const { records, next: after } = await feed.reader.read(next, { bytesMax: READ_BYTES_MAX });
    for (const record of records) {
      if (record.type !== "mark") continue;
      const event = decodeMark(record.payload);
      if (event.type !== "wire-turn") continue;
      exchanges.push({ offset: record.offset, usage: event.usage, costUsd: event.costUsd });
    }
    if (after === next) break;
    next = after;
  }
  return exchanges.length === 0 ? null : exchanges;
}
