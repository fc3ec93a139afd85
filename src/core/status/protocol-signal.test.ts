import assert from "node:assert/strict";
import { test } from "node:test";
import { protocolSignal } from "./protocol-signal.ts";
import { weigh } from "./signal.ts";

test("a protocol decides against a screen, and its signal is as old as what it reports", () => {
  const first = protocolSignal(null, "working", { offset: 1, timeUs: 10 });
  assert.equal(protocolSignal(first, "working", { offset: 2, timeUs: 20 }), first);
  const next = protocolSignal(first, "waiting", { offset: 3, timeUs: 30 });
  const screen = { ...next, kind: "screen", says: "working", allows: ["working"] } as const;
  assert.equal(weigh([screen, next]).state, "waiting");
  assert.equal(next.timeUs, 30);
});
