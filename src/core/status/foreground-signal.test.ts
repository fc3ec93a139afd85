import assert from "node:assert/strict";
import { test } from "node:test";
import type { ForegroundVerdict } from "../records.ts";
import { foregroundSignal } from "./foreground-signal.ts";

const read = (verdict: ForegroundVerdict, isAgent = false): string | null => {
  const signal = foregroundSignal({ verdict, program: "x", offset: 0, timeUs: 0 }, isAgent);
  return signal === null ? null : `${signal.says}${signal.isFirm ? "!" : ""}`;
};

test("what the kernel says of a shell or a REPL is firm", () => {
  assert.deepEqual(
    ["prompt", "raw", "password", "busy", "stopped", "listening", "unknown", "not-available"].map((word) =>
      read(word as ForegroundVerdict),
    ),
    ["waiting!", "waiting!", "blocked!", "working!", "idle!", null, null, null],
  );
});

test("of an agent it is evidence only, but for a password", () => {
  assert.deepEqual(
    (["raw", "busy", "password"] as const).map((word) => read(word, true)),
    ["waiting", "working", "blocked!"],
  );
});
