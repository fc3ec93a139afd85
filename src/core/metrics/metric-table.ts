/** Every metric of `GET /metrics`: its type, unit, help and labels. Names follow the conventions of Prometheus: base units, `_total`. */
import { APPROVAL_KINDS } from "../dialogs/approval.ts";
import { RECEIPT_STATES } from "../acting/receipt.ts";
import { STATUS_STATES } from "../status/status.ts";

/** The values of a label: a closed list, or how many different ones there may be. Any further value is counted as `other`. */
type LabelValues = readonly string[] | number;

/** What stands in place of a value that is not in the list of its label, or one too many. */
export const OTHER = "other";

export interface MetricRow {
  readonly type: "counter" | "gauge" | "histogram" | "info";
  readonly help: string;
  readonly labels: Readonly<Record<string, LabelValues>>;
  /** Upper bounds of a histogram, rising. */
  readonly buckets?: readonly number[];
}

/** Agents come from files, models and routes from requests: each is bounded. */
const AGENTS_MAX = 40;
const MODELS_MAX = 60;
const RULES_MAX = 100;

const agent = AGENTS_MAX;
const model = MODELS_MAX;
const statuses = [...STATUS_STATES, "none"];
const answers = ["allow", "allow-always", "deny", "other", "none"];
const approvalSources = ["screen", "wire", "protocol"];
const outcomes = RECEIPT_STATES.filter((state) => state === "done" || state === "failed" || state === "cancelled");

const waitBuckets = [1, 5, 15, 60, 300, 600, 1800, 3600, 14_400];
const firstTokenBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Of an append to a journal, in seconds; the host counts by the same bounds. */
export const APPEND_BUCKETS: readonly number[] = [0.000_01, 0.000_05, 0.000_1, 0.000_5, 0.001, 0.01, 0.1, 1];

const define = <const Table extends Readonly<Record<string, MetricRow>>>(table: Table): Table => table;

const counter = <const Labels extends MetricRow["labels"]>(help: string, labels: Labels) =>
  ({ type: "counter", help, labels }) as const;
const gauge = <const Labels extends MetricRow["labels"]>(help: string, labels: Labels) =>
  ({ type: "gauge", help, labels }) as const;

export const metricTable = define({
  lectern_build_info: { type: "info", help: "The version of the daemon", labels: { version: 1 } },
  lectern_sessions: gauge("Sessions in the list by state, and by what the program does", {
    state: ["starting", "running", "exited", "lost"],
    status: statuses,
  }),
  lectern_sessions_started_total: counter("Sessions that were started", { agent }),
  lectern_sessions_unreachable: gauge("Running sessions whose host does not answer", {}),
  lectern_status_seconds_total: counter("Time that running sessions spent in each status", { agent, status: statuses }),
  lectern_blocked_oldest_seconds: gauge("For how long the session that was blocked first is blocked; 0 if none is", {}),
  lectern_approvals_open: gauge("Questions that wait for a person", { source: approvalSources }),
  lectern_approval_wait_seconds: {
    type: "histogram",
    help: "How long a question was open; answer none: it was answered at the terminal, withdrawn or timed out",
    labels: { source: approvalSources, kind: APPROVAL_KINDS, answer: answers },
    buckets: waitBuckets,
  },
  lectern_prompts_total: counter("Prompts by how they ended", { outcome: outcomes }),
  lectern_viewers: gauge("Attached viewers", {}),
  lectern_viewer_skips_total: counter("Times that a slow viewer skipped output", {}),
  lectern_pty_bytes_total: counter("Bytes that crossed terminals, as the hosts counted them", {
    direction: ["output", "input"],
  }),
  lectern_journal_append_seconds: {
    type: "histogram",
    help: "How long the hosts took to append a record to a journal",
    labels: {},
    buckets: APPEND_BUCKETS,
  },
  lectern_journal_bytes: gauge("Bytes that were recorded in all journals in the list, with those trimmed since", {}),
  lectern_journal_gaps_total: counter("Sessions whose host was lost, so that a gap was recorded", {}),
  lectern_journals_degraded: gauge("Running sessions whose journal cannot be written", {}),
  lectern_views_lag_bytes: gauge("Bytes in the journals of running sessions that their views have not read", {}),
  lectern_screen_degraded_total: counter("Screens that were rebuilt because their thread was lost", {}),
  lectern_gate_calls_total: counter("Tool calls by the decision of the gate", {
    effect: ["allow", "ask", "deny", "none"],
    decided_by: RULES_MAX,
  }),
  lectern_gateway_requests_total: counter("Requests to models by dialect and status code; code none: no answer", {
    route: ["anthropic", "openai-chat", "openai-responses", "gemini"],
    code: 20,
  }),
  lectern_gateway_upstream_requests: gauge("Requests to model servers that are on their way, or wait for a place", {
    state: ["active", "waiting"],
  }),
  lectern_gateway_refused_total: counter("Requests that were refused before they were sent to a model server", {
    reason: ["busy", "breaker"],
  }),
  lectern_gateway_ttfb_seconds: {
    type: "histogram",
    help: "From a request to the first text, thought or call of its answer",
    labels: { route: ["anthropic", "openai-chat", "openai-responses", "gemini"] },
    buckets: firstTokenBuckets,
  },
  lectern_gateway_tokens_total: counter("Tokens; input has those from a cache, output those of reasoning", {
    provider: ["anthropic", "openai", "gemini"],
    model,
    kind: ["input", "output", "cached_input", "cache_write", "reasoning"],
  }),
  lectern_gateway_cost_usd_total: counter("US dollars by the table of prices", { model }),
  lectern_gateway_unpriced_requests_total: counter("Answered requests whose price is not known", { model }),
  lectern_auth_rejects_total: counter("Requests that were refused before they were read", { reason: 24 }),
  lectern_notify_total: counter("Notifications by channel and outcome", { channel: 12, outcome: 8 }),
  lectern_otlp_spans_total: counter("Spans that the OTLP collector took, or refused for good", {
    outcome: ["sent", "rejected"],
  }),
  lectern_otlp_requests_total: counter("Requests to the OTLP collector by status code; code none: no answer", {
    code: 20,
  }),
  lectern_problems: gauge("Current problems of the files of the daemon; lectern doctor lists them", {}),
  lectern_hosts: gauge("Pty hosts that are connected", {}),
  lectern_cluster_connected: gauge("1 if this machine is connected to its cluster; missing without a cluster", {}),
  lectern_metrics_render_seconds: gauge("How long the previous answer of this endpoint took to make", {}),
  process_cpu_seconds_total: counter("User and system CPU time", {}),
  process_resident_memory_bytes: gauge("Resident memory", {}),
  process_open_fds: gauge("Open file descriptors", {}),
  process_max_fds: gauge("Limit of open file descriptors", {}),
  process_start_time_seconds: gauge("Start of the process since the Unix epoch", {}),
  nodejs_eventloop_lag_seconds: gauge("Delay of a turn of the event loop, measured at this request", {}),
  nodejs_eventloop_active_seconds_total: counter("Time in which the event loop was not idle", {}),
  nodejs_heap_size_used_bytes: gauge("Used heap of the main thread", {}),
});

export type MetricName = keyof typeof metricTable;
type NamesOf<Type extends MetricRow["type"]> = {
  [Name in MetricName]: (typeof metricTable)[Name]["type"] extends Type ? Name : never;
}[MetricName];
export type CounterName = NamesOf<"counter">;
export type GaugeName = NamesOf<"gauge" | "info">;
export type HistogramName = NamesOf<"histogram">;

/** One value for each label of the metric. */
export type LabelsOf<Name extends MetricName> = {
  readonly [Label in keyof (typeof metricTable)[Name]["labels"]]: string;
};
