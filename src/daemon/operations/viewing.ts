/** What is read off sessions: screen, status, messages, changes, search. */
import { shownMessages } from "../../core/chat/withdrawn.ts";
import { CHANGE_KINDS, type ChangeKind, type ViewChange } from "../../core/views/change.ts";
import { Screen } from "../../core/screen/screen.ts";
import { snapshotBytes } from "../../core/screen/snapshot.ts";
import type { OutputOf, ParsedInputOf } from "../../protocol/operations.ts";
import type { CallContext, JsonHandlers } from "../service.ts";
import type { SessionEntry } from "../session-entry.ts";
import type { EntryViews } from "../views/entry-views.ts";
import { Waiters } from "../waiters.ts";
import type { Daemon } from "./context.ts";
import { digestOf } from "./digesting.ts";

/** Above, a reader that does not keep up is sent the last state from the store. */
const WAITING_CHANGES_MAX = 5000;
const PAGE_CHANGES_MAX = 1000;

type ViewingHandlers = Pick<
  JsonHandlers,
  | "sessions.screen"
  | "sessions.status"
  | "sessions.messages"
  | "sessions.changes"
  | "sessions.digest"
  | "sessions.reindex"
  | "sessions.search"
>;

export function viewingHandlers(daemon: Daemon): ViewingHandlers {
  const { registry, views } = daemon;
  return {
    "sessions.screen": async (input) => {
      const entry = registry.resolve(input.session);
      return await views.use(entry, async (of) => (await drawLate(daemon, entry, of)) ?? (await readScreen(of, input)));
    },
    "sessions.status": async ({ session }) => {
      const entry = registry.resolve(session);
      return await views.use(entry, (of) => ({
        session: entry.id,
        status: entry.status,
        approvals: of.openApprovals,
      }));
    },
    "sessions.messages": async ({ session, after, last, roles }) => {
      const entry = registry.resolve(session);
      return await views.use(entry, async (of) => {
        const kinds = ["message"] as const;
        const wanted = { session: entry.id, from: after, kinds, order: "ordinal", changesMax: 1_000_000 } as const;
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
        const query = { session: entry.id, from, kinds: kinds ?? CHANGE_KINDS, order: "change", last: null } as const;
        const changes = await views.store.list({ ...query, changesMax });
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
  { screens }: Daemon,
  entry: SessionEntry,
  { view }: EntryViews,
): Promise<OutputOf<"sessions.screen"> | undefined> {
  if (!view.status.isFlooded) return undefined;
  const feed = await entry.feed();
  const drawn = await screens.draw(feed, entry.stored);
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

/** What was told from an offset on, and then what is told, until the session has ended or nobody listens. */
export async function* readUpdates(
  { registry, views }: Daemon,
  input: ParsedInputOf<"sessions.updates">,
  { signal }: CallContext,
): AsyncGenerator<readonly ViewChange[]> {
  const entry = registry.resolve(input.session);
  const kinds = input.kinds ?? CHANGE_KINDS;
  const opened = Promise.withResolvers<EntryViews>();
  const closed = Promise.withResolvers<void>();
  // Held open while somebody listens.
  const using = views.use(entry, async (of) => {
    opened.resolve(of);
    await closed.promise;
  });
  using.catch(opened.reject);
  try {
    yield* follow({ views: await opened.promise, entry, store: views.store, kinds, from: input.from, signal });
  } finally {
    closed.resolve();
    await using.catch(() => undefined); // told to the reader already
  }
}

interface Following {
  readonly views: EntryViews;
  readonly entry: SessionEntry;
  readonly store: Daemon["views"]["store"];
  readonly kinds: readonly ChangeKind[];
  readonly from: number | undefined;
  readonly signal: AbortSignal;
}

async function* follow(following: Following): AsyncGenerator<readonly ViewChange[]> {
  const news = new Waiters();
  const over = new AbortController();
  void following.entry.untilEnd(over.signal).then(() => news.wake());
  try {
    yield* followWith(news, following);
  } finally {
    over.abort();
  }
}

/** `news` wakes it when the session has ended, too. */
async function* followWith(
  news: Waiters,
  { views, entry, store, kinds, from, signal }: Following,
): AsyncGenerator<readonly ViewChange[]> {
  let waiting: ViewChange[] = [];
  let overflowed = false;
  using _ = views.subscribe((changes) => {
    const wanted = changes.filter(({ kind }) => kinds.includes(kind));
    if (waiting.length + wanted.length > WAITING_CHANGES_MAX) overflowed = true;
    else waiting.push(...wanted);
    news.wake();
  });
  let next = from ?? views.view.status.offset;
  let isStored = from !== undefined;
  while (!signal.aborted) {
    if (isStored || overflowed) {
      waiting = [];
      overflowed = false;
      const query = { session: entry.id, from: next, kinds, order: "change", last: null } as const;
      const changes = await store.list({ ...query, changesMax: PAGE_CHANGES_MAX });
      if (changes.length > 0) yield changes;
      const last = changes.at(-1)?.offset ?? next;
      // A page that ends where it began would come again and again: more changes at one offset than a page holds are cut.
      isStored = changes.length === PAGE_CHANGES_MAX && last > next;
      next = last;
    } else if (waiting.length > 0) {
      const changes = waiting;
      waiting = [];
      next = changes.at(-1)?.offset ?? next;
      yield changes;
    } else {
      const hasEnded = !entry.live;
      if (hasEnded) await views.caughtUp();
      if (waiting.length > 0) continue;
      if (hasEnded) return;
      await news.next(signal);
    }
  }
}
