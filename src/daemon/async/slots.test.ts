import assert from "node:assert/strict";
import { test } from "node:test";
import { Slots } from "./slots.ts";

test("as many run as there are slots, the others in the order of asking, also after a failure", async () => {
  const slots = new Slots(2);
  const started: number[] = [];
  const ends = new Map<number, (error?: Error) => void>();
  const run = async (id: number): Promise<void> =>
    await slots.run(async () => {
      started.push(id);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      ends.set(id, (error) => (error === undefined ? resolve() : reject(error)));
      await promise;
    });
  const all = [1, 2, 3, 4].map(async (id) => await run(id).catch((error: unknown) => (error as Error).message));
  await Promise.resolve();
  assert.deepEqual(started, [1, 2]);
  ends.get(2)?.(new Error("no"));
  await all[1];
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(started, [1, 2, 3]);
  ends.get(1)?.();
  await new Promise((resolve) => setImmediate(resolve));
  ends.get(3)?.();
  ends.get(4)?.();
  assert.deepEqual(await Promise.all(all), [undefined, "no", undefined, undefined]);
});
