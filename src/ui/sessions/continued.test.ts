import assert from "node:assert/strict";
import { test } from "node:test";
import type { Session } from "../../client.ts";
import { candidatesOf, canResume, referenceOf } from "./continued.ts";

const ended = { id: "abcd", name: "work", state: "exited", agent: "claude", continuedBy: null, isImported: false };
const session = (change: Partial<Session>): Session => ({ ...ended, ...change }) as Session;

test("only an agent that has ended and is not continued is offered to be resumed", () => {
  assert.ok(canResume(session({})));
  assert.ok(canResume(session({ state: "lost" })));
  for (const change of [
    { state: "running" },
    { state: "starting" },
    { agent: null },
    { isImported: true },
    { continuedBy: "efgh" },
  ] as const)
    assert.ok(!canResume(session(change)), JSON.stringify(change));
});

test("a session that has ended is named by its id, because the next one may have its name", () => {
  assert.equal(referenceOf(session({ state: "running" })), "work");
  for (const state of ["exited", "lost"] as const) assert.equal(referenceOf(session({ state })), "abcd");
});

test("the candidates of a refusal are read, and anything else is none", () => {
  assert.deepEqual(candidatesOf({ candidates: ["one", 2, "three"] }), ["one", "three"]);
  for (const details of [undefined, null, "candidates", {}, { candidates: "one" }])
    assert.deepEqual(candidatesOf(details), []);
});
