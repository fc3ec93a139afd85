/**
 * Whether the error of a model server means that a limit of usage is reached, which ends at its time, and not that requests come too fast,
 * which agents wait out by themselves.
 *
 * Sources: the headers `anthropic-ratelimit-unified-*` (Claude subscriptions), the error `usage_limit_reached` (Codex with ChatGPT),
 * `google.rpc.RetryInfo` and `QuotaFailure` (Gemini), `retry-after` (RFC 9110).
 */
import { asList, asObject, asText, fieldsOf, stringOf, type JsonObject } from "./shape.ts";

export interface ServerError {
  readonly status: number;
  /** Undefined for a header that there is not; names in lower case. */
  readonly header: (name: string) => string | undefined;
  /** The JSON of the body; undefined if it is not JSON. */
  readonly body: unknown;
  readonly nowMs: number;
}

/** A server that wants less than this to be waited is asked again by the agent itself. */
const LIMIT_SECONDS_MIN = 60;
/** Later ends are misread. */
const LIMIT_DAYS_MAX = 400;

/** Microseconds since the Unix epoch; null if the server does not say. */
export interface UsageLimitEnd {
  readonly untilUs: number | null;
}

/** Null for any other error. */
export function usageLimitOf(error: ServerError): UsageLimitEnd | null {
  const { status, header, nowMs } = error;
  if (status !== 429 && status !== 402 && status !== 403) return null;
  const anthropic = header("anthropic-ratelimit-unified-status");
  if (anthropic !== undefined && anthropic !== "rejected") return null;
  if (anthropic === "rejected") return until(Number(header("anthropic-ratelimit-unified-reset")), nowMs);
  const details = errorOf(error.body);
  const type = details["type"] ?? details["code"];
  if (type === "usage_limit_reached") {
    const inSeconds = details["resets_in_seconds"];
    return until(typeof inSeconds === "number" ? nowMs / 1000 + inSeconds : Number(details["resets_at"]), nowMs);
  }
  if (type === "insufficient_quota") return { untilUs: null };
  if (status !== 429) return null;
  const seconds = googleDelay(details) ?? retryAfter(header("retry-after"), nowMs);
  if (seconds === null) return isDailyQuota(details) ? { untilUs: null } : null;
  return seconds < LIMIT_SECONDS_MIN ? null : until(nowMs / 1000 + seconds, nowMs);
}

function until(seconds: number, nowMs: number): UsageLimitEnd {
  const isTime =
    Number.isFinite(seconds) && seconds * 1000 > nowMs && seconds * 1000 < nowMs + LIMIT_DAYS_MAX * 86_400_000;
  return { untilUs: isTime ? Math.round(seconds * 1e6) : null };
}

function errorOf(body: unknown): JsonObject {
  const whole = Array.isArray(body) ? asList(body)[0] : body;
  return fieldsOf(fieldsOf(whole)["error"]);
}

const detailsOf = ({ details }: JsonObject): readonly JsonObject[] =>
  asList(details)
    .map(asObject)
    .filter((detail) => detail !== undefined);

function googleDelay(error: JsonObject): number | null {
  const delay = detailsOf(error)
    .map(({ retryDelay }) => asText(retryDelay))
    .find((text) => text !== undefined);
  const [, seconds] = /^(\d{1,7})(?:\.\d+)?s$/.exec(delay ?? "") ?? [];
  return seconds === undefined ? null : Number(seconds);
}

const isDailyQuota = (error: JsonObject): boolean =>
  detailsOf(error)
    .flatMap(({ violations }) => asList(violations))
    .some((violation) => /PerDay/.test(stringOf(fieldsOf(violation)["quotaId"])));

function retryAfter(value: string | undefined, nowMs: number): number | null {
  if (value === undefined) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const time = Date.parse(value);
  return Number.isNaN(time) ? null : (time - nowMs) / 1000;
}
