import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ByteRing } from "./byte-ring.ts";

test("a ring keeps the last bytes and their offsets", () => {
  const ring = new ByteRing({ bytesMax: 4, start: 100 });
  assert.equal(ring.append(new Uint8Array([1, 2, 3])), 103);
  assert.equal(ring.append(new Uint8Array([4, 5])), 105);
  assert.equal(ring.start, 101);
  assert.deepEqual([...ring.tail(2)], [4, 5]);
  assert.deepEqual([...ring.tail(99)], [2, 3, 4, 5]);
});

test("a read before the start begins at the start and says so", () => {
  const ring = new ByteRing({ bytesMax: 2 });
  ring.append(new Uint8Array([1, 2, 3]));
  const { offset, bytes } = ring.read(0, 1);
  assert.equal(offset, 1);
  assert.deepEqual([...bytes], [2]);
});

test("a read at the end is empty, one beyond it is an error that names both offsets", () => {
  const ring = new ByteRing();
  ring.append(new Uint8Array(3));
  assert.equal(ring.read(3, 10).bytes.length, 0);
  assert.throws(() => ring.read(4, 1), { code: "OFFSET_BEYOND_END", message: /"4".*"3"/ });
});

test("what a ring returns does not change when more is appended", () => {
  const ring = new ByteRing({ bytesMax: 2 });
  ring.append(new Uint8Array([1, 2]));
  const tail = ring.tail(2);
  ring.append(new Uint8Array([3, 4]));
  assert.deepEqual([...tail], [1, 2]);
});

test("a ring of no bytes is refused", () => {
  assert.throws(() => new ByteRing({ bytesMax: 0 }), { code: "INVALID_INPUT" });
});

test("any split of the same bytes gives the same ring, and it equals the end of the stream", () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 9000 }), { maxLength: 12 });
  fc.assert(
    fc.property(chunks, fc.integer({ min: 1, max: 20_000 }), fc.nat(30_000), (parts, bytesMax, from) => {
      const ring = new ByteRing({ bytesMax });
      for (const part of parts) ring.append(part);
      const whole = Buffer.concat(parts);
      const kept = whole.subarray(Math.max(0, whole.length - bytesMax));
      assert.equal(ring.end, whole.length);
      assert.equal(ring.start, whole.length - kept.length);
      assert.ok(kept.equals(ring.tail(bytesMax)));
      const at = Math.min(from, whole.length);
      const { offset, bytes } = ring.read(at, 1000);
      assert.ok(whole.subarray(offset, offset + 1000).equals(bytes));
    }),
    { numRuns: 60 },
  );
});
