import assert from "node:assert/strict";
import { test } from "node:test";
import { usageLimitOf } from "./usage-limit.ts";

const nowMs = Date.UTC(2026, 10, 26, 9);
const seconds = nowMs / 1000;

function limit(
  headers: Readonly<Record<string, string>>,
  { body, status = 429 }: { readonly body?: unknown; readonly status?: number } = {},
): number | null | undefined {
  const found = usageLimitOf({ status, header: (name) => headers[name], body, nowMs });
  return found === null ? undefined : found.untilUs;
}

test("usageLimitOf reads the headers of a Claude subscription", () => {
  const rejected = { "anthropic-ratelimit-unified-status": "rejected" };
  const reset = String(seconds + 7200);
  assert.equal(limit({ ...rejected, "anthropic-ratelimit-unified-reset": reset }), (seconds + 7200) * 1e6);
  assert.equal(limit(rejected), null);
  assert.equal(limit({ "anthropic-ratelimit-unified-status": "allowed", "retry-after": "3600" }), undefined);
});

test("usageLimitOf reads the errors of Codex, OpenAI and Gemini", () => {
  const codex = (fields: object): unknown => ({ error: { type: "usage_limit_reached", ...fields } });
  assert.equal(limit({}, { body: codex({ resets_in_seconds: 600 }) }), (seconds + 600) * 1e6);
  assert.equal(limit({}, { body: codex({ resets_at: seconds + 60 }) }), (seconds + 60) * 1e6);
  assert.equal(limit({}, { body: codex({}) }), null);
  assert.equal(limit({}, { body: { error: { code: "insufficient_quota" } } }), null);
  const google = (details: object[]): unknown => [{ error: { code: 429, details } }];
  assert.equal(limit({}, { body: google([{ retryDelay: "3600s" }]) }), (seconds + 3600) * 1e6);
  assert.equal(limit({}, { body: google([{ retryDelay: "12s" }]) }), undefined);
  assert.equal(limit({}, { body: google([{ violations: [{ quotaId: "RequestsPerDayPerModel" }] }]) }), null);
});

test("usageLimitOf does not take requests that come too fast for a limit of usage", () => {
  assert.equal(limit({}), undefined);
  assert.equal(limit({ "retry-after": "7" }), undefined);
  assert.equal(limit({ "retry-after": "600" }), (seconds + 600) * 1e6);
  assert.equal(limit({ "retry-after": "Thu, 26 Nov 2026 10:00:00 GMT" }), (seconds + 3600) * 1e6);
  assert.equal(limit({ "retry-after": "600" }, { status: 503 }), undefined);
});
