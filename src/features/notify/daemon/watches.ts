/** What was seen of each session, so that a daemon that was killed continues from what its views report since. */
import { SessionWatch, type WatchedStatus, type WatchState } from "../core/session-watch.ts";
import type { SessionStatus } from "../../../core/status/status.ts";
import type { SessionEntry } from "../../../daemon/sessions/session-entry.ts";
import type { KeptViews } from "../../../daemon/store/view-store.ts";
import type { NotifyStore } from "./notify-store.ts";

/** Statuses of a session that are read at once; with more, the later ones count. */
const STATUSES_MAX = 5000;

export class Watches {
  readonly #store: Pick<NotifyStore, "putWatches" | "forget">;
  readonly #views: Pick<KeptViews, "changes">;
  readonly #watches = new Map<string, SessionWatch>();
  /** Not on disk yet. */
  readonly #changed = new Set<string>();

  constructor(
    store: Pick<NotifyStore, "putWatches" | "forget">,
    views: Pick<KeptViews, "changes">,
    stored: readonly (readonly [session: string, state: WatchState])[],
  ) {
    this.#store = store;
    this.#views = views;
    for (const [session, state] of stored) this.#watches.set(session, new SessionWatch(state));
  }

  of(session: string): SessionWatch {
    const known = this.#watches.get(session) ?? new SessionWatch();
    this.#watches.set(session, known);
    return known;
  }

  feed(session: string, status: SessionStatus): void {
    if (this.of(session).feed(watched(status))) this.#changed.add(session);
  }

  turnEnded(session: string): void {
    this.of(session).turnEnded();
    this.#changed.add(session);
  }

  /** Statuses since the last one that was seen; of a session that nobody watched, only the current one. */
  async catchUp(entry: SessionEntry): Promise<void> {
    const { state } = this.of(entry.id);
    if (state !== undefined) {
      const query = { session: entry.id, from: state.offset, kinds: ["status"], changesMax: STATUSES_MAX } as const;
      for (const change of await this.#views.changes(query))
        if (change.kind === "status") this.feed(entry.id, change.status);
    }
    if (entry.status !== null) this.feed(entry.id, entry.status);
  }

  async flush(): Promise<void> {
    const changed = [...this.#changed].flatMap((session) => {
      const { state } = this.of(session);
      return state === undefined ? [] : [[session, state] as const];
    });
    this.#changed.clear();
    if (changed.length > 0) await this.#store.putWatches(changed);
  }

  async forget(session: string): Promise<void> {
    this.#watches.delete(session);
    this.#changed.delete(session);
    await this.#store.forget(session);
  }
}

const watched = ({ agent, limit, offset, sinceUs, state }: SessionStatus): WatchedStatus => ({
  state,
  sinceUs,
  offset,
  agent,
  limit: limit ?? null,
});
