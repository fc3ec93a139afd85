import assert from "node:assert/strict";
import { test } from "node:test";
import { RequestSlots, type Slot } from "./request-slots.ts";

const never = new AbortController().signal;
const releaseOf = (slot: Slot): (() => void) => (typeof slot === "string" ? assert.fail(slot) : slot.release);

test("requests beyond the limit wait in their order, and each end lets one begin", async () => {
  const slots = new RequestSlots({ connectionsMax: 2, queueMax: 3 });
  const [one, two] = [releaseOf(await slots.take(never)), releaseOf(await slots.take(never))];
  const order: number[] = [];
  const waiting = [3, 4, 5].map(async (number) => {
    const slot = await slots.take(never);
    order.push(number);
    return releaseOf(slot);
  });
  assert.equal(await slots.take(never), "full");
  assert.deepEqual([slots.active, slots.waiting], [2, 3]);
  one();
  one();
  // Comes after those that wait, and there is no place for it.
  const late = slots.take(never);
  const three = await waiting[0]!;
  assert.deepEqual([order, slots.active, slots.waiting], [[3], 2, 3]);
  two();
  three();
  const ends = await Promise.all(waiting.slice(1));
  assert.deepEqual(order, [3, 4, 5]);
  for (const end of ends) end();
  releaseOf(await late)();
  assert.deepEqual([slots.active, slots.waiting], [0, 0]);
});

test("a request that waits too long is refused, and one whose agent goes away rejects", async () => {
  const slots = new RequestSlots({ connectionsMax: 1, queueMsMax: 1 });
  const release = releaseOf(await slots.take(never));
  assert.equal(await slots.take(never), "late");
  const patient = new RequestSlots({ connectionsMax: 1 });
  releaseOf(await patient.take(never));
  const stop = new AbortController();
  const waiting = patient.take(stop.signal);
  const reason = new Error("gone");
  stop.abort(reason);
  await assert.rejects(waiting, reason);
  await assert.rejects(patient.take(stop.signal), reason);
  assert.deepEqual([slots.waiting, patient.active, patient.waiting], [0, 1, 0]);
  release();
  assert.equal(slots.active, 0);
});
