import type { NoticeKind } from "../core/notice.ts";
import type { NotifyStore } from "./notify-store.ts";

/** Since when a kind of occurrence is reported to a channel: whatever was so before is not news there, in this daemon and the next one. */
export class NewsSince {
  readonly #store: Pick<NotifyStore, "putNews">;
  readonly #sinceMs: Map<string, number>;

  constructor(store: Pick<NotifyStore, "putNews">, stored: readonly (readonly [news: string, sinceMs: number])[]) {
    this.#store = store;
    this.#sinceMs = new Map(stored);
  }

  /** What the rules report now. New pairs begin at `nowMs`; the others end, and are new if they come again. */
  async follow(wanted: readonly (readonly [channel: string, kind: NoticeKind])[], nowMs: number): Promise<void> {
    const keys = new Set(wanted.map(([channel, kind]) => newsKey(channel, kind)));
    const isSame = keys.size === this.#sinceMs.size && [...keys].every((key) => this.#sinceMs.has(key));
    if (isSame) return;
    for (const key of this.#sinceMs.keys()) if (!keys.has(key)) this.#sinceMs.delete(key);
    for (const key of keys) if (!this.#sinceMs.has(key)) this.#sinceMs.set(key, nowMs);
    await this.#store.putNews([...this.#sinceMs]);
  }

  /** A question that is still open always is. */
  has(channel: string, kind: NoticeKind, sinceMs: number): boolean {
    return kind === "blocked" || sinceMs >= (this.#sinceMs.get(newsKey(channel, kind)) ?? 0);
  }
}

const newsKey = (channel: string, kind: NoticeKind): string => `${kind} ${channel}`;
