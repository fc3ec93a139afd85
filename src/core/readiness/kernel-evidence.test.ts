import assert from "node:assert/strict";
import { test } from "node:test";
import { noForeground } from "../events/foreground.ts";
import {
  isBusy,
  isSilent,
  kernelDueMs,
  moved,
  newEvidence,
  probed,
  probeDueMs,
  standing,
  started,
} from "./kernel-evidence.ts";

const unknown = noForeground("unknown", "not probed yet");
const raw = { ...unknown, verdict: "raw" } as const;
const busy = { ...unknown, verdict: "busy" } as const;
const asked = newEvidence({ source: "asked", listeningQuietMs: 200, firstProbeMs: 0 }, null, 0);
const told = newEvidence({ source: "told", listeningQuietMs: 200, firstProbeMs: 0 }, null, 0);

test("a movement makes a probe result old, and another probe due soon", () => {
  const fresh = probed(asked, raw, 5);
  assert.equal(kernelDueMs(fresh, "settled"), 0, "at once");
  const old = moved(fresh, 6);
  assert.equal(kernelDueMs(old, "settled"), Infinity);
  assert.ok(probeDueMs(old) <= 8);
});

test("an older report decides later the less came back of what was typed", () => {
  const old = standing(moved(told, 100), raw);
  const dueMs = (["settled", "no-start", "no-echo", "no-mark"] as const).map((answer) => kernelDueMs(old, answer));
  assert.deepEqual(dueMs, [200, 2100, 2100, 2100]);
  assert.equal(kernelDueMs(started(old), "settled"), Infinity, "it was about another program");
});

test("the kernel is silent only after it was asked, or if nobody will ask it", () => {
  assert.equal(isSilent(asked), false);
  assert.equal(isSilent(probed(asked, unknown, 1)), true);
  assert.equal(isSilent(told), true);
  assert.equal(isSilent(probed(told, busy, 1)), false);
  assert.equal(isBusy(probed(told, busy, 1)), true);
});
