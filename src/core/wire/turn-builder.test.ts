import assert from "node:assert/strict";
import { test } from "node:test";
import { TurnBuilder } from "./turn-builder.ts";

test("TurnBuilder adds nothing after the end", () => {
  const turn = new TurnBuilder();
  turn.addText("a");
  turn.setFinish("stop", "end");
  turn.close();
  const before = turn.turn();
  turn.take();
  turn.addText("b");
  turn.addThinking("c");
  turn.appendArguments(turn.openCall(0, { id: "a", name: "f" }), "{}");
  turn.setUsage({ inputTokens: 1 });
  turn.setFinish("length", null);
  turn.fail("x", null);
  turn.close();
  assert.deepEqual(turn.take(), []);
  assert.deepEqual(turn.turn(), before);
});

test("TurnBuilder holds arguments back until the name is known", () => {
  const turn = new TurnBuilder();
  const slot = turn.openCall(0, { id: "a" });
  turn.appendArguments(slot, "{");
  assert.deepEqual(turn.take(), []);
  turn.nameCall(slot, "f");
  turn.nameCall(slot, "f");
  const types = turn.take().map((delta) => delta.type);
  assert.deepEqual(types, ["tool-call-start", "tool-call-delta"]);
  assert.equal(turn.turn().toolCalls[0]?.name, "f");
});

test("TurnBuilder corrects arguments by what is missing or by all of them", () => {
  const turn = new TurnBuilder();
  const slot = turn.openCall(0, { id: "a", name: "f" });
  turn.appendArguments(slot, '{"a"');
  turn.correctArguments(slot, '{"a":1}');
  turn.correctArguments(slot, '{"b":1}');
  turn.correctArguments(slot, '{"b":1}');
  turn.correctArguments(slot, "");
  const deltas = turn.take().slice(2);
  assert.deepEqual(deltas, [
    { type: "tool-call-delta", slot: 0, text: ":1}" },
    { type: "tool-call-delta", slot: 0, text: '{"b":1}', replace: true },
  ]);
});

test("TurnBuilder reports usage when it changes", () => {
  const turn = new TurnBuilder();
  turn.setUsage({ inputTokens: 1, outputTokens: undefined });
  turn.setUsage({ inputTokens: 1 });
  turn.setUsage({ outputTokens: 2 });
  assert.deepEqual(
    turn.take().map((delta) => delta.type === "usage" && [delta.usage.inputTokens, delta.usage.outputTokens]),
    [
      [1, 0],
      [1, 2],
    ],
  );
});
