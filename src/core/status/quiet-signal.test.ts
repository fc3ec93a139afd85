import assert from "node:assert/strict";
import { test } from "node:test";
import type { ForegroundVerdict } from "../records.ts";
import { quietSignal } from "./quiet-signal.ts";

const read = (
  silentMs: number,
  {
    line = "",
    verdict = null,
    isAgent = false,
    isEcho = false,
  }: { line?: string; verdict?: ForegroundVerdict | null; isAgent?: boolean; isEcho?: boolean } = {},
): string | null => {
  const foreground = verdict === null ? null : { verdict };
  const context = { timeUs: silentMs * 1000, offset: 0, foreground, isAgent };
  return quietSignal({ outputUs: 0, ownUs: isEcho ? null : 0, inputUs: null, line }, context)?.says ?? null;
};

test("who writes works; who is silent for 2 s behind a prompt waits", () => {
  assert.deepEqual(
    [read(100), read(1999, { line: "$" }), read(2000, { line: "$" }), read(2000)],
    ["working", "working", "waiting", null],
  );
});

test("what is busy and silent works, and after 30 s it serves", () => {
  assert.deepEqual([read(5000, { verdict: "busy", line: "$" }), read(30_000, { verdict: "busy" })], [null, "idle"]);
});

test("an agent that is silent may wait or be blocked: nothing is said", () => {
  assert.equal(read(5000, { line: ">", isAgent: true }), null);
});

test("before the first output nothing is said", () => {
  assert.equal(
    quietSignal(
      { outputUs: null, ownUs: null, inputUs: null, line: "" },
      { timeUs: 9e9, offset: 0, foreground: null, isAgent: false },
    ),
    null,
  );
});

test("an echo of keys is no work", () => {
  assert.equal(read(100, { isEcho: true }), null);
});
