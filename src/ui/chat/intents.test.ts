import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEvent } from "../../client.ts";
import { Intents } from "./intents.ts";

const named = (call: string, exchange = "x1"): SessionEvent => ({ type: "wire-intent", exchange, call, tool: "Bash" });
const ended = (exchange: string): SessionEvent => ({ type: "wire-turn", exchange }) as SessionEvent;
const called = (call: string): SessionEvent => ({ type: "wire-tool-call", call }) as SessionEvent;
const asked = (call: string, state: "open" | "allowed"): SessionEvent =>
  ({ type: "wire-approval", exchange: "x1", call, state }) as SessionEvent;

const after = (...events: SessionEvent[]): string => {
  const intents = new Intents();
  for (const event of events) intents.feed(event, 1_000_000);
  return intents.list.map(({ call, isHeld }) => (isHeld ? `${call} held` : call)).join(", ");
};

test("a tool that was named is an intent until its turn is over", () => {
  assert.equal(after(named("a"), named("b"), called("a")), "a, b");
  assert.equal(after(named("a"), named("b"), ended("x1")), "");
});

test("a call that a person is asked about is held", () => {
  assert.equal(after(named("a"), asked("a", "open")), "a held");
  assert.equal(after(named("a"), asked("a", "open"), asked("a", "allowed")), "a");
});

test("the end of a turn ends its intents and no others", () => {
  assert.equal(after(named("a"), named("b", "x2"), ended("x1")), "b");
});

test("intents without an end are not kept for ever", () => {
  const many = Array.from({ length: 60 }, (_, index) => named(String(index)));
  assert.equal(after(...many).split(", ").length, 50);
});
