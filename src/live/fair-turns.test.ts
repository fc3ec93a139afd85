import assert from "node:assert/strict";
import { test } from "node:test";
import { FairTurns } from "./fair-turns.ts";

const aTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

test("whoever comes to an idle thread works at once, others wait for one turn of each", async () => {
  const left = new Map([
    ["a", 3],
    ["b", 1],
    ["c", 2],
  ]);
  const order: string[] = [];
  const turns = new FairTurns<string>({
    turnMs: 1,
    work: (member) => {
      order.push(member);
      const rest = (left.get(member) ?? 0) - 1;
      left.set(member, rest);
      return rest > 0;
    },
  });
  turns.add("a");
  assert.deepEqual(order, ["a"]);
  turns.add("b");
  turns.add("c");
  while (order.length < 6) await aTurn();
  assert.deepEqual(order, ["a", "a", "b", "c", "a", "c"]);
  turns.add("b");
  assert.equal(order.at(-1), "b", "nobody waits any more");
});

test("a member that is removed has no further turn", async () => {
  const order: string[] = [];
  const turns = new FairTurns<string>({
    turnMs: 1,
    work: (member) => {
      order.push(member);
      return order.length < 10;
    },
  });
  turns.add("a");
  turns.add("b");
  turns.remove("a");
  while (order.length < 10) await aTurn();
  assert.deepEqual(order, ["a", ...Array.from({ length: 9 }, () => "b")]);
});
