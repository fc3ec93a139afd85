import assert from "node:assert/strict";
import { test } from "node:test";
import type { Mark } from "../records.ts";
import { wireApproval, wireRequest, wireTurn } from "../../../test/marks.ts";
import { wireAfter, noWire, wireSignal, wireWakeUs, type WireState } from "./wire-signal.ts";

const heard = (...events: readonly Mark[]): WireState =>
  events.reduce((words, event) => wireAfter(words, event, { offset: 1, timeUs: 2 }), noWire);
const says = (...events: readonly Mark[]): string | null => wireSignal(heard(...events), 3)?.says ?? null;

const request = wireRequest();
const turn = wireTurn();

test("a request that is not answered is work", () => {
  assert.equal(says(request), "working");
  assert.equal(says(request, turn), null);
  assert.equal(says(request, { ...request, exchange: "e2" }, turn), "working");
});

test("a request without tools is an aside", () => {
  assert.equal(says({ ...request, tools: 0 }), null);
});

test("a held tool call blocks until somebody answers", () => {
  const held = wireApproval();
  assert.equal(says(request, held), "blocked");
  assert.equal(says(request, held, { ...held, state: "allowed" }), "working");
});

test("other marks change nothing, and a request without end is forgotten", () => {
  assert.equal(heard({ type: "marker", label: "here" }), noWire);
  assert.equal(wireSignal(heard(request), 20 * 60e6), null);
  assert.equal(wireWakeUs(heard(request)), 15 * 60e6 + 3);
  const later = wireAfter(heard(request), { ...request, exchange: "e2" }, { offset: 9, timeUs: 14 * 60e6 });
  const ended = wireAfter(later, { ...turn, exchange: "e2" }, { offset: 10, timeUs: 14.5 * 60e6 });
  assert.equal(wireSignal(ended, 14.9 * 60e6)?.says, "working");
  assert.equal(wireSignal(ended, 16 * 60e6), null);
});
