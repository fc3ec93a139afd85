import assert from "node:assert/strict";
import { test } from "node:test";
import { Observed } from "../../../test/observed.ts";
import type { Mark } from "../records.ts";
import { wireApproval, wireToolCall, wireTurn } from "../../../test/marks.ts";
import type { Step } from "../observe/step.ts";
import { IntentFold } from "./intent-fold.ts";

const mark = (event: Mark): Step => ({ type: "mark", event, offset: 0, end: 1, timeUs: 7 });
const named = (call: string, exchange = "x1"): Step => mark({ type: "wire-intent", exchange, call, tool: "Bash" });
const ended = (exchange: string): Step => mark(wireTurn({ exchange }));
const called = (call: string): Step => mark(wireToolCall({ call }));
const asked = (call: string, state: "open" | "allowed"): Step => mark(wireApproval({ exchange: "x1", call, state }));

/** Each list that was told, with `held` behind those that are. */
const told = (...steps: readonly Step[]): string[] => {
  const fold = new Observed(new IntentFold());
  return steps
    .flatMap((step) => fold.step(step))
    .map((list) => list.map(({ call, isHeld }) => (isHeld ? `${call} held` : call)).join(", "));
};

test("a tool that was named is an intent until its turn is over, and only what changes is told", () => {
  assert.deepEqual(told(named("a"), named("b"), called("a"), ended("x1"), ended("x1")), ["a", "a, b", ""]);
});

test("a call that a person is asked about is held", () => {
  assert.deepEqual(told(named("a"), asked("a", "open"), asked("a", "allowed"), asked("b", "open")), [
    "a",
    "a held",
    "a",
  ]);
});

test("the end of a turn ends its intents and no others, the end of the program all of them", () => {
  assert.deepEqual(told(named("a"), named("b", "x2"), ended("x1")), ["a", "a, b", "b"]);
  assert.deepEqual(told(named("a"), { type: "exit", code: 0, signal: null, offset: 1, timeUs: 8 }), ["a", ""]);
});

test("intents without an end are not kept for ever", () => {
  const many = Array.from({ length: 60 }, (_, index) => named(String(index)));
  assert.equal(
    told(...many)
      .at(-1)
      ?.split(", ").length,
    50,
  );
});

test("IntentFold goes on from what it saved", () => {
  const first = new Observed(new IntentFold());
  first.step(named("a"));
  const [list] = new Observed(new IntentFold(structuredClone(first.reducer.save()))).step(named("b"));
  assert.deepEqual(
    list?.map(({ call, tool, sinceUs }) => [call, tool, sinceUs]),
    [
      ["a", "Bash", 7],
      ["b", "Bash", 7],
    ],
  );
});
