/** What is read off sessions: screen, status, messages, changes, search. */
import { shownMessages } from "../../core/chat/withdrawn.ts";
import type { Approval } from "../../core/dialogs/approval.ts";
import { CHANGE_KINDS } from "../../core/views/change.ts";
import { snapshotBytes } from "../../core/screen/snapshot.ts";
import type { OutputOf, ParsedInputOf } from "../../protocol/operations.ts";
import type { SessionApproval } from "../../protocol/views.ts";
import type { Handlers } from "../service.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { EntryViews } from "../views/entry-views.ts";
import type { Daemon } from "./context.ts";
import { lastTurn, makeDigest, type Digest, type DigestExchange, type DigestTurn } from "../../core/digest/digest.ts";
import { decodeMark } from "../../protocol/payloads.ts";
import type { KeptViews } from "../store/view-store.ts";

type ViewingHandlers = Pick<
  Handlers,
  | "sessions.screen"
  | "sessions.status"
  | "sessions.messages"
  | "sessions.changes"
  | "sessions.digest"
  | "sessions.reindex"
  | "sessions.search"
>;

export function viewingHandlers(daemon: Pick<Daemon, "approvals" | "registry" | "screens" | "views">): ViewingHandlers {
  const { approvals, registry, views } = daemon;
  return {
    "sessions.screen": async (input) => {
      const entry = registry.resolve(input.session);
      return await views.use(entry, async (of) => (await drawLate(daemon, entry, of)) ?? (await readScreen(of, input)));
    },
    "sessions.status": async ({ session }) => {
      const entry = registry.resolve(session);
      const own = ({ session: _, ...approval }: SessionApproval): Approval => approval;
      return await views.use(entry, (of) => ({
        session: entry.id,
        status: entry.status,
        approvals: [...of.openApprovals, ...approvals.list(entry.id).filter(({ source }) => source === "wire")].map(
          own,
        ),
        hints: approvals.hints(entry.id).map(own),
      }));
    },
    "sessions.messages": async ({ session, after, last, roles }) => {
      const entry = registry.resolve(session);
      return await views.use(entry, async (of) => {
        const kinds = ["message"] as const;
        const wanted = { session: entry.id, from: after, kinds, changesMax: 1_000_000 } as const;
        const next = of.view.status.offset;
        const read = async (only: number | null) => {
          const changes = await views.store.list({ ...wanted, last: only });
          return changes.flatMap((change) => (change.kind === "message" ? [change.message] : []));
        };
        // Where only some roles are wanted, or some were withdrawn, the last of them are not the last of all.
        const only = roles === undefined ? (last ?? null) : null;
        let messages = await read(only);
        if (only !== null && shownMessages(messages, after).length < messages.length) messages = await read(null);
        messages = shownMessages(messages, after);
        const chosen = roles === undefined ? messages : messages.filter(({ role }) => roles.includes(role));
        return { messages: last === undefined ? chosen : chosen.slice(-last), next };
      });
    },
    "sessions.digest": async ({ session, turn }) => {
      const entry = registry.resolve(session);
      return await views.use(entry, async () => ({ session: entry.id, ...(await digestOf(views.store, entry, turn)) }));
    },
    "sessions.changes": async ({ session, from, kinds, changesMax }) => {
      const entry = registry.resolve(session);
      return await views.use(entry, async (of) => {
        const next = of.view.status.offset;
        const query = { session: entry.id, from, kinds: kinds ?? CHANGE_KINDS, changesMax };
        const changes = await views.store.changes(query);
        return { changes, next: changes.length < changesMax ? next : (changes.at(-1)?.offset ?? next) };
      });
    },
    "sessions.reindex": async ({ session }) => {
      const entry = registry.resolve(session);
      return await views.use(entry, async (of) => {
        await of.reindex();
        return { session: entry.id, offset: of.view.status.offset };
      });
    },
    "sessions.search": async ({ session, role, sinceUs, ...query }, { caller }) => {
      const only = session === undefined ? caller.session : registry.resolve(session).id;
      const wanted = { ...query, session: only, role: role ?? null, sinceUs: sinceUs ?? null };
      const hits = await views.store.search(wanted);
      return {
        hits: hits.flatMap(({ key, ...hit }) => {
          const entry = registry.get(hit.session);
          return entry === undefined ? [] : [{ ...hit, id: key, name: entry.stored.name }];
        }),
      };
    },
  };
}

/** In a flood the view draws nothing: the end of the journal is drawn for who asks. Undefined where there is no flood. */
async function drawLate(
  { screens }: Pick<Daemon, "screens">,
  entry: SessionEntry,
  { view }: EntryViews,
): Promise<OutputOf<"sessions.screen"> | undefined> {
  if (!view.status.isFlooded) return undefined;
  const feed = await entry.feed();
  const drawn = await screens.draw(feed, entry.size);
  // Otherwise screens are in the view threads only.
  const { Screen } = await import("../../core/screen/screen.ts");
  const screen = new Screen({ columns: drawn.columns, rows: drawn.rows, scrollbackLinesMax: 0 });
  screen.feed(new TextEncoder().encode(drawn.text));
  const { columns, rows, title, cursor, isAlternate } = screen;
  const text = screen.text();
  screen.dispose();
  const { bytesSkipped } = view.status;
  return { offset: drawn.offset, columns, rows, title, cursor, isAlternate, text, ansi: drawn.text, bytesSkipped };
}

async function readScreen(
  { view }: EntryViews,
  { scrollback, ansi }: ParsedInputOf<"sessions.screen">,
): Promise<OutputOf<"sessions.screen">> {
  const [snapshot, { text }] = await Promise.all([view.snapshot(), view.text({ scrollback })]);
  const { offset, columns, rows, title, cursor, isAlternate } = snapshot;
  return {
    offset,
    columns,
    rows,
    title,
    cursor,
    isAlternate,
    text,
    ansi: ansi ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(snapshotBytes(snapshot)) : null,
    bytesSkipped: view.status.bytesSkipped,
  };
}

/** Of a longer journal the tokens are not counted: nothing is said rather than a part. */
const JOURNAL_BYTES_MAX = 64 * 1024 * 1024;
const READ_BYTES_MAX = 1_048_576;
const CHANGES_MAX = 1_000_000;

/** What its views have told so far. They must have caught up. */
async function digestOf(store: KeptViews, entry: SessionEntry, turn: DigestTurn): Promise<Digest> {
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
