/**
 * The metrics of the daemon. Counters are added to where something happens; everything that can be read at any time is read when somebody
 * asks for the metrics, so that a daemon that nobody asks does nothing for them.
 */
import { MetricSet } from "../../core/metrics/metric-set.ts";
import { renderMetrics, type MetricsFormat } from "../../core/metrics/render-metrics.ts";
import { isFinal } from "../../core/acting/receipt.ts";
import type { HostTotals } from "../../host/host-counters.ts";
import { waits } from "../../core/waits.ts";
import type { AgentRegistry } from "../../core/agents/registry.ts";
import type { QuestionList } from "../approvals/question-list.ts";
import type { HostPool } from "../hosts/host-pool.ts";
import type { DaemonProblems } from "../problems.ts";
import type { Prompts } from "../acting/prompts.ts";
import type { WireSessions } from "../gateway/wire-sessions.ts";
import type { ServiceMetrics } from "../service.ts";
import type { SessionViews } from "../views/session-views.ts";
import { readdir, readFile } from "node:fs/promises";
import { providerOf } from "../../core/wire/provider.ts";
import type { SessionEvent, WireEvent } from "../../core/records.ts";
import type { Dialect } from "../../core/wire/turn.ts";
import { procPath } from "../../pty/platform.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { SessionRegistry } from "../sessions/session-registry.ts";

/** Exchanges whose end has not come; an agent that begins more of them has the oldest forgotten. */
const OPEN_MAX = 10_000;

type Turn = Extract<WireEvent, { readonly type: "wire-turn" }>;

class GatewayMetrics {
  readonly #metrics: MetricSet;
  readonly #dialects = new Map<string, Dialect>();

  constructor(metrics: MetricSet) {
    this.#metrics = metrics;
  }

  take(event: SessionEvent): void {
    if (event.type === "wire-request") {
      const [oldest] = this.#dialects.size >= OPEN_MAX ? this.#dialects.keys() : [];
      if (oldest !== undefined) this.#dialects.delete(oldest);
      this.#dialects.set(event.exchange, event.dialect);
    } else if (event.type === "wire-turn") this.#takeTurn(event);
    else if (event.type === "wire-tool-call") {
      const { decidedBy, effect } = event;
      this.#metrics.add("lectern_gate_calls_total", { effect: effect ?? "none", decided_by: decidedBy ?? "none" });
    }
  }

  refused(reason: "busy" | "breaker"): void {
    this.#metrics.add("lectern_gateway_refused_total", { reason });
  }

  #takeTurn({ costUsd, exchange, firstTokenMs, model: named, status, usage }: Turn): void {
    const dialect = this.#dialects.get(exchange);
    this.#dialects.delete(exchange);
    const route = dialect ?? "other";
    const model = named ?? "none";
    const metrics = this.#metrics;
    metrics.add("lectern_gateway_requests_total", { route, code: status === null ? "none" : String(status) });
    if (firstTokenMs !== null) metrics.observe("lectern_gateway_ttfb_seconds", { route }, firstTokenMs / 1000);
    if (usage === null) return;
    const provider = dialect === undefined ? "other" : providerOf(dialect);
    const count = (kind: string, tokens: number): void => {
      if (tokens > 0) metrics.add("lectern_gateway_tokens_total", { provider, model, kind }, tokens);
    };
    count("input", usage.inputTokens);
    count("output", usage.outputTokens);
    count("cached_input", usage.cachedInputTokens);
    count("cache_write", usage.cacheWriteTokens);
    count("reasoning", usage.reasoningTokens);
    if (costUsd === null) metrics.add("lectern_gateway_unpriced_requests_total", { model });
    else metrics.add("lectern_gateway_cost_usd_total", { model }, costUsd);
  }
}

/** What the metrics are read off. */
export interface MetricSources extends Pick<SessionMetricsOptions, "registry"> {
  readonly version: string;
  readonly views: Pick<SessionViews, "subscribe" | "lagBytes" | "lostScreens">;
  readonly approvals: Pick<QuestionList, "list" | "subscribe">;
  readonly prompts: Pick<Prompts, "subscribe">;
  readonly hosts: Pick<HostPool, "pids" | "totals">;
  readonly problems: Pick<DaemonProblems, "all">;
  readonly agents: { readonly registry: Pick<AgentRegistry, "anyOfArguments"> };
  readonly wire: Pick<WireSessions, "upstreamLoad">;
  readonly features: { collect(metrics: MetricSet): void };
}

export class DaemonMetrics implements ServiceMetrics, Disposable {
  readonly set = new MetricSet();
  readonly gateway = new GatewayMetrics(this.set);
  readonly #watches = new DisposableStack();
  /** The last answer of each host, also of those that have ended since: a counter does not fall. */
  readonly #totals = new Map<string, HostTotals>();
  #sources: MetricSources | undefined;
  #sessions: SessionMetrics | undefined;

  /** Begins to count; sessions that are in the registry were started before. */
  watch(sources: MetricSources): void {
    const { agents, approvals, prompts, registry, version, views } = sources;
    this.#sources = sources;
    this.set.set("lectern_build_info", { version }, 1);
    this.#sessions = this.#watches.use(
      new SessionMetrics({
        metrics: this.set,
        registry,
        views,
        agentOf: ({ stored }) => stored.agent ?? agents.registry.anyOfArguments(stored.command),
        now: Date.now,
      }),
    );
    this.#watches.use(
      approvals.subscribe(({ before, effect, question: { kind, source, state, timeUs } }) => {
        if (before?.state !== "open" || state === "open" || state === "hint") return;
        const labels = { kind, source, answer: effect ?? "none" };
        this.set.observe("lectern_approval_wait_seconds", labels, Math.max(0, Date.now() - timeUs / 1000) / 1000);
      }),
    );
    this.#watches.use(
      prompts.subscribe((receipt) => {
        if (isFinal(receipt)) this.set.add("lectern_prompts_total", { outcome: receipt.state });
      }),
    );
  }

  rejected(reason: string): void {
    this.set.add("lectern_auth_rejects_total", { reason });
  }

  async render(format: MetricsFormat): Promise<string> {
    await collectProcess(this.set);
    await this.#collectHosts();
    const beganMs = performance.now();
    this.#collect();
    const text = renderMetrics(this.set, format);
    this.set.set("lectern_metrics_render_seconds", {}, (performance.now() - beganMs) / 1000);
    return text;
  }

  [Symbol.dispose](): void {
    this.#watches.dispose();
  }

  /** A host that does not answer in time keeps its last totals. */
  async #collectHosts(): Promise<void> {
    const found = await this.#sources?.hosts.totals(waits.partMs);
    for (const [name, totals] of found ?? []) this.#totals.set(name, totals);
    const all = [...this.#totals.values()];
    if (all.length === 0) return;
    const sum = (of: (totals: HostTotals) => number): number => all.reduce((total, each) => total + of(each), 0);
    this.set.set(
      "lectern_pty_bytes_total",
      { direction: "output" },
      sum(({ outputBytes }) => outputBytes),
    );
    this.set.set(
      "lectern_pty_bytes_total",
      { direction: "input" },
      sum(({ inputBytes }) => inputBytes),
    );
    const counts = all[0]?.appends.counts.map((_, bucket) => sum(({ appends }) => appends.counts[bucket] ?? 0)) ?? [];
    this.set.setHistogram("lectern_journal_append_seconds", {}, { counts, sum: sum(({ appends }) => appends.sum) });
  }

  #collect(): void {
    if (this.#sources === undefined) return;
    const { approvals, features, hosts, problems, views, wire } = this.#sources;
    this.#sessions?.collect();
    const open = { screen: 0, wire: 0, protocol: 0 };
    for (const { source } of approvals.list()) open[source] += 1;
    for (const [source, count] of Object.entries(open)) this.set.set("lectern_approvals_open", { source }, count);
    this.set.set("lectern_views_lag_bytes", {}, views.lagBytes);
    this.set.set("lectern_screen_degraded_total", {}, views.lostScreens);
    this.set.set("lectern_problems", {}, problems.all.length);
    this.set.set("lectern_hosts", {}, hosts.pids.length);
    const { active, waiting } = wire.upstreamLoad;
    this.set.set("lectern_gateway_upstream_requests", { state: "active" }, active);
    this.set.set("lectern_gateway_upstream_requests", { state: "waiting" }, waiting);
    features.collect(this.set);
  }
}

/** Missing where the system has no `/proc`. */
let descriptorsMax: number | null | undefined;

async function collectProcess(metrics: MetricSet): Promise<void> {
  const beganMs = performance.now();
  await new Promise((resolve) => setImmediate(resolve));
  metrics.set("nodejs_eventloop_lag_seconds", {}, (performance.now() - beganMs) / 1000);
  metrics.set("nodejs_eventloop_active_seconds_total", {}, performance.eventLoopUtilization().active / 1000);
  const { user, system } = process.cpuUsage();
  metrics.set("process_cpu_seconds_total", {}, (user + system) / 1e6);
  const { heapUsed, rss } = process.memoryUsage();
  metrics.set("process_resident_memory_bytes", {}, rss);
  metrics.set("nodejs_heap_size_used_bytes", {}, heapUsed);
  metrics.set("process_start_time_seconds", {}, performance.timeOrigin / 1000);
  const open = await readdir(procPath("self/fd")).catch(() => null);
  if (open !== null) metrics.set("process_open_fds", {}, open.length);
  descriptorsMax ??= await limitOfDescriptors();
  if (descriptorsMax !== null) metrics.set("process_max_fds", {}, descriptorsMax);
}

async function limitOfDescriptors(): Promise<number | null> {
  const limits = await readFile(procPath("self/limits"), "utf8").catch(() => "");
  const found = /^Max open files +(\d+)/m.exec(limits)?.[1];
  return found === undefined ? null : Number(found);
}

/** What sessions did, counted as the registry and the views report it. */
interface SessionMetricsOptions {
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

class SessionMetrics implements Disposable {
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
