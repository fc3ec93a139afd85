import assert from "node:assert/strict";
import { test } from "node:test";
import { noForeground } from "../events/foreground.ts";
import {
  isBusy,
  kernelDueMs,
  moved,
  newEvidence,
  probed,
  probeDueMs,
  silentDueMs,
  standing,
  started,
  type KernelAnswer,
  type KernelContext,
} from "./kernel-evidence.ts";
import { readinessTimes as times } from "./times.ts";

const unknown = noForeground("unknown", "not probed yet");
const raw = { ...unknown, verdict: "raw" } as const;
const busy = { ...unknown, verdict: "busy" } as const;
const polled = newEvidence({ source: "polled", listeningQuietMs: 200, firstProbeMs: 0 }, null, 0);
const at = (answer: KernelAnswer, isDoubtful = false): KernelContext => ({ answer, isDoubtful, isAtWork: false });
const reported = newEvidence({ source: "reported", listeningQuietMs: 200, firstProbeMs: 0 }, null, 0);

test("a movement makes a probe result old, and another probe due soon", () => {
  const fresh = probed(polled, raw, 5);
  assert.equal(kernelDueMs(fresh, at("settled")), 0, "at once");
  const old = moved(fresh, 6);
  assert.equal(kernelDueMs(old, at("settled")), Infinity);
  assert.ok(probeDueMs(old) <= 8);
});

test("an older report decides later the less came back of what was typed", () => {
  const old = standing(moved(reported, 100), raw);
  const dueMs = (["settled", "no-start", "no-echo", "no-mark"] as const).map((answer) => kernelDueMs(old, at(answer)));
  assert.deepEqual(dueMs, [200, 2100, 2100, 2100]);
  assert.equal(kernelDueMs(started(old), at("settled")), Infinity, "it was about another program");
});

test("a program that is not known to be at its prompt is given time to draw it", () => {
  assert.equal(kernelDueMs(probed(polled, raw, 5), at("settled", true)), 250);
  assert.equal(kernelDueMs(standing(moved(reported, 100), raw), at("settled", true)), 2100);
});

test("the kernel is silent at once where it cannot be asked, and after two still seconds where it does not know", () => {
  const unavailable = noForeground("not-available", "no probe");
  assert.equal(silentDueMs(polled), Number.POSITIVE_INFINITY);
  assert.equal(silentDueMs(probed(polled, unavailable, 1)), polled.movedAtMs);
  assert.equal(silentDueMs(probed(polled, unknown, 1)), polled.movedAtMs + times.unstarted.ms);
  assert.equal(silentDueMs(moved(probed(polled, unknown, 1), 70)), Number.POSITIVE_INFINITY);
  assert.equal(silentDueMs(reported), reported.movedAtMs + times.unstarted.ms);
  assert.equal(silentDueMs(probed(reported, busy, 1)), Number.POSITIVE_INFINITY);
  assert.equal(isBusy(probed(reported, busy, 1)), true);
});
