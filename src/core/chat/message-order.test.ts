import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MessageOrder } from "./message-log.ts";

test("messages that come and go in any order are as if they were sorted", () => {
  const message = fc.record({ number: fc.integer({ min: 1, max: 20 }), order: fc.constantFrom(undefined, 1, 2.5, 7) });
  fc.assert(
    fc.property(fc.array(fc.tuple(message, fc.boolean())), (steps) => {
      const order = new MessageOrder();
      const known = new Map<string, number>();
      for (const [{ number, order: between }, isRemoved] of steps) {
        const id = `m${number}`;
        // The order of a message never changes.
        const own = known.get(id) ?? between ?? number;
        const one = { id, order: own };
        if (isRemoved) {
          order.remove(one);
          known.delete(id);
        } else {
          order.add(one);
          known.set(id, own);
        }
      }
      const orders = order.ids.map((id) => known.get(id));
      assert.deepEqual(
        orders,
        [...known.values()].toSorted((one, other) => one - other),
      );
      assert.deepEqual(new Set(order.ids), new Set(known.keys()));
      assert.deepEqual([...order.backwards()], order.ids.toReversed());
      for (const at of [0, 2.5, 7, 30])
        assert.equal(
          order.next(at),
          orders.find((one) => one !== undefined && one > at),
        );
    }),
  );
});

test("an order in front of a message is between it and the one before", () => {
  const order = new MessageOrder();
  for (const id of ["m2", "m3", "m9"]) order.add({ id });
  assert.deepEqual(
    ["m2", "m3", "m9"].map((id) => order.inFrontOf({ id })),
    [1.5, 2.5, 6],
  );
});
