/** What one session tells, for a reader that follows it: what its views say, and what becomes of its prompts. */
import { isFinal, type Receipt } from "../../core/acting/receipt.ts";
import { CHANGE_KINDS, keyOfChange, type ChangeKind, type ViewChange } from "../../core/views/change.ts";
import type { ParsedInputOf } from "../../protocol/operations.ts";
import type { ReceiptChange, SessionUpdate } from "../../protocol/views.ts";
import type { Prompts } from "../acting/prompts.ts";
import type { CallContext } from "../service.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { EntryViews } from "../views/entry-views.ts";
import { Waiters } from "../async/waiters.ts";
import type { Daemon } from "./context.ts";

/** Above, a reader that does not keep up is sent the last state from the store. */
const WAITING_CHANGES_MAX = 5000;
const PAGE_CHANGES_MAX = 1000;

/** What was told from an offset on, and then what is told, until the session has ended or nobody listens. */
export async function* readUpdates(
  { registry, views, prompts }: Pick<Daemon, "registry" | "views" | "prompts">,
  input: ParsedInputOf<"sessions.updates">,
  { signal }: CallContext,
): AsyncGenerator<readonly SessionUpdate[]> {
  const entry = registry.resolve(input.session);
  const kinds = CHANGE_KINDS.filter((kind) => input.kinds?.includes(kind) ?? true);
  const withReceipts = input.kinds?.includes("receipt") ?? true;
  const opened = Promise.withResolvers<EntryViews>();
  const closed = Promise.withResolvers<void>();
  // Held open while somebody listens.
  const using = views.use(entry, async (of) => {
    opened.resolve(of);
    await closed.promise;
  });
  using.catch(opened.reject);
  const news = new Waiters();
  const over = new AbortController();
  void entry.untilEnd(over.signal).then(() => news.wake());
  const { store } = views;
  try {
    const of = await opened.promise;
    using told = new WaitingReceipts(withReceipts ? prompts : undefined, entry, { news, from: input.from });
    yield* follow({ views: of, entry, store, kinds, from: input.from, news, receipts: told, signal });
  } finally {
    over.abort();
    closed.resolve();
    await using.catch(() => undefined); // told to the reader already
  }
}

interface Following {
  readonly views: EntryViews;
  readonly entry: SessionEntry;
  readonly store: Daemon["views"]["store"];
  readonly kinds: readonly ChangeKind[];
  readonly from: number;
  /** Wakes it when the session has ended, too. */
  readonly news: Waiters;
  readonly receipts: WaitingReceipts;
  readonly signal: AbortSignal;
}

/** Of what changes again before it could be sent, only the last state is. */
async function* follow(following: Following): AsyncGenerator<readonly SessionUpdate[]> {
  const { views, entry, store, kinds, from, news, receipts, signal } = following;
  const waiting = new Map<string, ViewChange>();
  let overflowed = false;
  using _ = views.subscribe((changes) => {
    for (const change of changes) {
      if (!kinds.includes(change.kind)) continue;
      const key = `${change.kind} ${keyOfChange(change)}`;
      // Behind the others, so that all stay in the order of offsets.
      waiting.delete(key);
      if (waiting.size >= WAITING_CHANGES_MAX) overflowed = true;
      else waiting.set(key, change);
    }
    news.wake();
  });
  let next = from;
  let isStored = true;
  while (!signal.aborted) {
    if (isStored || overflowed) {
      waiting.clear();
      overflowed = false;
      const changes = await store.changes({ session: entry.id, from: next, kinds, changesMax: PAGE_CHANGES_MAX });
      if (changes.length > 0) yield changes;
      const last = changes.at(-1)?.offset ?? next;
      // A page that ends where it began would come again and again: more changes at one offset than a page holds are cut.
      isStored = changes.length === PAGE_CHANGES_MAX && last > next;
      next = last;
    } else if (waiting.size > 0 || receipts.isWaiting) {
      const changes = [...waiting.values()];
      waiting.clear();
      next = changes.at(-1)?.offset ?? next;
      yield [...changes, ...receipts.take(next)];
    } else {
      const hasEnded = !entry.live;
      if (hasEnded) await views.caughtUp();
      if (waiting.size > 0 || receipts.isWaiting) continue;
      if (hasEnded) return;
      await news.next(signal);
    }
  }
}

interface WaitingReceiptsOptions {
  readonly news: Waiters;
  /** Where the reader begins or resumes. */
  readonly from: number;
}

/**
 * Receipts that a reader has not been told, each as it is now. A step of a prompt is at the end that the journal had then, which the
 * views reach later: so a reader that resumes where the views were misses none, when it is told those from there on and all open ones.
 */
class WaitingReceipts implements Disposable {
  readonly #waiting = new Map<string, Receipt>();
  readonly #subscription: Disposable | undefined;

  constructor(prompts: Prompts | undefined, entry: SessionEntry, { news, from }: WaitingReceiptsOptions) {
    this.#subscription = prompts?.subscribe((receipt) => {
      if (receipt.session !== entry.id) return;
      this.#waiting.set(receipt.key, receipt);
      news.wake();
    });
    const isNews = (receipt: Receipt): boolean => !isFinal(receipt) || (receipt.steps.at(-1)?.offset ?? 0) >= from;
    for (const receipt of prompts?.of(entry.id) ?? []) if (isNews(receipt)) this.#waiting.set(receipt.key, receipt);
  }

  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** All of them, as changes after which a reader resumes at `offset`. */
  take(offset: number): ReceiptChange[] {
    const receipts = [...this.#waiting.values()];
    this.#waiting.clear();
    return receipts.map((receipt) => ({
      kind: "receipt",
      offset,
      timeUs: receipt.steps.at(-1)?.timeUs ?? 0,
      receipt,
    }));
  }

  [Symbol.dispose](): void {
    this.#subscription?.[Symbol.dispose]();
  }
}
