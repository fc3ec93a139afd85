/** Requests, tokens and cost of models, and decisions about their calls, from the marks of the gateway. */
import type { MetricSet } from "../../core/metrics/metric-set.ts";
import { providerOf } from "../../core/wire/provider.ts";
import type { SessionEvent, WireEvent } from "../../core/records.ts";
import type { Dialect } from "../../core/wire/turn.ts";

/** Exchanges whose end has not come; an agent that begins more of them has the oldest forgotten. */
const OPEN_MAX = 10_000;

type Turn = Extract<WireEvent, { readonly type: "wire-turn" }>;

export class GatewayMetrics {
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
