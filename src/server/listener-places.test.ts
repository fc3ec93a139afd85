import assert from "node:assert/strict";
import { Socket } from "node:net";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ListenerPlaces, surplusOf } from "./listener-places.ts";

/** `a1 b1 a2`: each a connection of the source that its letter names, in order of age. */
const connections = (names: string): { source: string; name: string }[] =>
  names.split(" ").map((name) => ({ source: name.slice(0, 1), name }));

const surplus = (names: string, stays: number): string =>
  surplusOf(connections(names), stays)
    .map(({ name }) => name)
    .join(" ");

test("the oldest connections of whoever has the most go first", () => {
  assert.equal(surplus("a1 a2 a3", 3), "");
  assert.equal(surplus("a1 a2 a3", 1), "a1 a2");
  assert.equal(surplus("b1 a1 a2 a3 a4", 3), "a1 a2");
  assert.equal(surplus("a1 a2 a3 b1 b2", 2), "a1 a2 b1");
  assert.equal(surplus("a1 b1 c1 b2", 3), "b1");
});

class Stranger extends Socket {
  /** One that is not connected cannot be reset. */
  override resetAndDestroy(): this {
    return this.destroy();
  }
}

test("the kernel is not asked again for seven times as long as it took, unless there are far too many strangers", async () => {
  let nowMs = 0;
  const closed: number[] = [];
  const places = new ListenerPlaces({
    limits: { strangersMax: 4, authenticatedMax: 1 },
    sourcesOf: (sockets) => {
      nowMs += 1000;
      return sockets.map(() => "one");
    },
    onClosed: (count) => void closed.push(count),
    nowMs: () => nowMs,
  });
  const connect = async (count: number): Promise<void> => {
    for (let added = 0; added < count; added += 1) places.add(new Stranger());
    for (let turn = 0; turn < 4; turn += 1) await nextTurn();
  };
  await connect(5);
  assert.deepEqual(closed, [2]);
  nowMs += 6999;
  await connect(13);
  assert.deepEqual(closed, [2], "within the rest");
  await connect(1);
  assert.deepEqual(closed, [2, 14], "more than four times as many");
  nowMs += 7000;
  await connect(2);
  assert.deepEqual(closed, [2, 14, 2], "after the rest");
});
