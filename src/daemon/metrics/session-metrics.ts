/** What sessions did, counted as the registry and the views report it. */
import type { MetricSet } from "../../core/metrics/metric-set.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { SessionRegistry } from "../sessions/session-registry.ts";
import type { SessionViews } from "../views/session-views.ts";

export interface SessionMetricsOptions {
  readonly metrics: MetricSet;
  readonly registry: Pick<SessionRegistry, "all" | "subscribe">;
  readonly views: Pick<SessionViews, "subscribe">;
  /** The agent that a session was started as; null for a shell or an unknown program. */
  readonly agentOf: (entry: SessionEntry) => string | null;
  readonly now: () => number;
}

interface Counted {
  isLive: boolean;
  agent: string;
  status: string;
  /** Up to here its time is counted. */
  atMs: number;
}

export class SessionMetrics implements Disposable {
  readonly #options: SessionMetricsOptions;
  readonly #counted = new Map<string, Counted>();
  readonly #watches = new DisposableStack();

  /** Sessions that are in the registry already were not started now. */
  constructor(options: SessionMetricsOptions) {
    this.#options = options;
    const { registry, views } = options;
    for (const entry of registry.all) this.#counted.set(entry.id, this.#fresh(entry));
    this.#watches.use(registry.subscribe((id, entry) => this.#changed(id, entry)));
    this.#watches.use(
      views.subscribe((entry, changes) => {
        if (changes.some(({ kind }) => kind === "status")) this.#changed(entry.id, entry);
      }),
    );
  }

  /** Counts the time until now, and sets what is read off the registry. */
  collect(): void {
    const { metrics, registry, now } = this.#options;
    const sums = { bytes: 0, degraded: 0, unreachable: 0, viewers: 0 };
    const sessions = new Map<string, number>();
    let blockedSinceUs = Infinity;
    for (const entry of registry.all) {
      this.#changed(entry.id, entry);
      const { state, end } = entry.stored;
      const status = entry.live ? statusOf(entry) : "none";
      const key = `${state} ${status}`;
      sessions.set(key, (sessions.get(key) ?? 0) + 1);
      sums.bytes += end;
      sums.viewers += entry.viewers;
      if (!entry.live) continue;
      if (entry.degraded !== null) sums.degraded += 1;
      if (entry.unreachable !== null) sums.unreachable += 1;
      if (status === "blocked") blockedSinceUs = Math.min(blockedSinceUs, entry.status?.sinceUs ?? Infinity);
    }
    metrics.clear("lectern_sessions");
    for (const [key, count] of sessions) {
      const [state = "", status = ""] = key.split(" ");
      metrics.set("lectern_sessions", { state, status }, count);
    }
    const blockedMs = blockedSinceUs === Infinity ? 0 : Math.max(0, now() - blockedSinceUs / 1000);
    metrics.set("lectern_blocked_oldest_seconds", {}, blockedMs / 1000);
    metrics.set("lectern_journal_bytes", {}, sums.bytes);
    metrics.set("lectern_journals_degraded", {}, sums.degraded);
    metrics.set("lectern_sessions_unreachable", {}, sums.unreachable);
    metrics.set("lectern_viewers", {}, sums.viewers);
    metrics.add("lectern_journal_gaps_total", {}, 0);
  }

  [Symbol.dispose](): void {
    this.#watches.dispose();
  }

  #changed(id: string, entry: SessionEntry | undefined): void {
    const known = this.#counted.get(id);
    if (entry === undefined) {
      if (known !== undefined) this.#countTime(known);
      this.#counted.delete(id);
      return;
    }
    const counted = known ?? this.#fresh(entry);
    if (known === undefined) {
      this.#counted.set(id, counted);
      const agent = this.#options.agentOf(entry) ?? "none";
      if (entry.live) this.#options.metrics.add("lectern_sessions_started_total", { agent });
    } else this.#countTime(counted);
    if (counted.isLive && !entry.live && entry.stored.exit?.reason === "lost")
      this.#options.metrics.add("lectern_journal_gaps_total", {});
    counted.isLive = entry.live;
    counted.status = statusOf(entry);
    counted.agent = entry.status?.agent ?? "none";
  }

  #countTime(counted: Counted): void {
    const nowMs = this.#options.now();
    const seconds = Math.max(0, nowMs - counted.atMs) / 1000;
    counted.atMs = nowMs;
    const { agent, isLive, status } = counted;
    if (isLive && seconds > 0) this.#options.metrics.add("lectern_status_seconds_total", { agent, status }, seconds);
  }

  #fresh(entry: SessionEntry): Counted {
    const agent = entry.status?.agent ?? "none";
    return { isLive: entry.live, agent, status: statusOf(entry), atMs: this.#options.now() };
  }
}

const statusOf = ({ status }: SessionEntry): string => status?.state ?? "none";
