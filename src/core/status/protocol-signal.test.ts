import assert from "node:assert/strict";
import { test } from "node:test";
import { protocolSignal } from "./protocol-signal.ts";
import { weigh } from "./signal.ts";

test("a protocol decides against a screen, and its signal is as old as what it reports", () => {
  const facts = { hasScreen: false, reason: null } as const;
  const first = protocolSignal(null, { ...facts, state: "working" }, { offset: 1, timeUs: 10 });
  assert.equal(protocolSignal(first, { ...facts, state: "working" }, { offset: 2, timeUs: 20 }), first);
  const next = protocolSignal(first, { ...facts, state: "waiting" }, { offset: 3, timeUs: 30 });
  const screen = { ...next, kind: "screen", says: "working", allows: ["working"] } as const;
  assert.equal(weigh([screen, next]).state, "waiting");
  assert.equal(next.timeUs, 30);
});

test("a screen beside a protocol may ask while it waits, and decides what the protocol does not know", () => {
  const at = { offset: 1, timeUs: 10 };
  const waiting = protocolSignal(null, { hasScreen: true, reason: null, state: "waiting" }, at);
  const screen = { ...waiting, kind: "screen", says: "blocked", allows: ["blocked"] } as const;
  assert.equal(weigh([screen, waiting]).state, "blocked");
  const unknown = protocolSignal(waiting, { hasScreen: true, reason: "it has gone", state: "unknown" }, at);
  const { evidence, state } = weigh([{ ...screen, says: "working", allows: ["working"] }, unknown]);
  assert.equal(state, "working");
  assert.deepEqual([evidence[0]?.text, evidence[0]?.isDecisive], ["the protocol: it has gone", false]);
});
