import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { LecternError } from "../core/errors.ts";
import { InputQueue } from "./input-queue.ts";

/** A kernel that takes so many bytes at each try, in turn, and 0 when the list is used up. */
function kernelThatTakes(counts: number[]): {
  readonly taken: number[];
  readonly tryWrite: (data: Uint8Array) => number;
} {
  const taken: number[] = [];
  return {
    taken,
    tryWrite: (data) => {
      const count = Math.min(counts.shift() ?? 0, data.length);
      taken.push(...data.subarray(0, count));
      return count;
    },
  };
}

const refused = (error: unknown): boolean => error instanceof LecternError && error.code === "LIMIT_EXCEEDED";

test("InputQueue hands bytes on in order, however they are pushed and taken", () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 }),
      fc.array(fc.nat(50), { maxLength: 60 }),
      (pushes, counts) => {
        const kernel = kernelThatTakes(counts);
        const queue = new InputQueue(kernel.tryWrite, 10_000);
        for (const data of pushes) queue.push(data);
        const wanted = pushes.flatMap((data) => [...data]);
        assert.equal(queue.queuedBytes, wanted.length - kernel.taken.length);
        counts.push(10_000);
        while (queue.queuedBytes > 0) {
          queue.flush(0);
          counts.push(10_000);
        }
        queue.close();
        assert.deepEqual(kernel.taken, wanted);
      },
    ),
  );
});

test("InputQueue takes all or nothing, and its limit exactly", () => {
  const kernel = kernelThatTakes([2]);
  const queue = new InputQueue(kernel.tryWrite, 10);
  queue.push(Uint8Array.of(1, 2, 3, 4));
  queue.push(new Uint8Array(8));
  assert.equal(queue.queuedBytes, 10);
  assert.throws(() => queue.push(Uint8Array.of(9)), refused);
  assert.equal(queue.queuedBytes, 10);
  assert.throws(() => new InputQueue(kernel.tryWrite, 10).push(new Uint8Array(11)), refused);
  assert.deepEqual(kernel.taken, [1, 2]);
  queue.close();
});

test("InputQueue asks a kernel that takes nothing less and less often, and soon again after progress", () => {
  const counts = [0, 0, 0, 0, 0, 0, 0, 0, 1];
  const queue = new InputQueue(kernelThatTakes(counts).tryWrite, 10);
  queue.push(new Uint8Array(5));
  const waits = Array.from({ length: 8 }, () => {
    queue.flush(0);
    return queue.retryAtMs;
  });
  assert.deepEqual(waits, [2, 4, 8, 16, 32, 32, 32, 1]);
  queue.close();
});

test("InputQueue copies what it keeps, and forgets it when closed", () => {
  const kernel = kernelThatTakes([0, 3]);
  const queue = new InputQueue(kernel.tryWrite, 10);
  const data = Uint8Array.of(1, 2, 3);
  queue.push(data);
  data.fill(9);
  queue.flush(0);
  assert.deepEqual(kernel.taken, [1, 2, 3]);
  queue.push(Uint8Array.of(4));
  queue.close();
  queue.push(Uint8Array.of(5));
  assert.equal(queue.queuedBytes, 0);
});

test("InputQueue hands on what is pushed after a pass in which the last queue got stuck again and was then drained", async () => {
  const counts = [0, 1, 4];
  const kernel = kernelThatTakes(counts);
  const slow = new InputQueue((data) => {
    // Longer than until the next try is due: it is tried twice in one pass.
    for (const untilMs = performance.now() + 3; performance.now() < untilMs;);
    return kernel.tryWrite(data);
  }, 10);
  slow.push(new Uint8Array(5));
  while (counts.length > 0) await new Promise(setImmediate);
  assert.equal(slow.queuedBytes, 0);
  const { promise, resolve } = Promise.withResolvers<void>();
  let tries = 0;
  const next = new InputQueue((data) => {
    tries += 1;
    if (tries < 3) return 0;
    resolve();
    return data.length;
  }, 10);
  next.push(new Uint8Array(5));
  await promise;
  assert.equal(tries, 3);
});
