import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { runsOf } from "../../../../test/support/searches.ts";
import { DATA_BYTES_MAX, decodeTunnelFrame, encodeTunnelFrame, type TunnelContent } from "./tunnel-frame.ts";

const contents = fc.oneof<fc.Arbitrary<TunnelContent>[]>(
  fc.record({ kind: fc.constant("open"), head: fc.string({ unit: "binary" }) }),
  fc.record({ kind: fc.constant("data"), isText: fc.boolean(), isFinal: fc.boolean(), bytes: fc.uint8Array() }),
  fc.record({ kind: fc.constant("end"), trailers: fc.string({ unit: "binary" }) }),
  fc.record({ kind: fc.constantFrom("ping", "ack"), consumedBytes: fc.maxSafeNat() }),
  fc.record({
    kind: fc.constant("close"),
    code: fc.nat(65_535),
    reason: fc.string({ unit: "binary", maxLength: 30 }),
  }),
);

test("decodeTunnelFrame reads back what encodeTunnelFrame wrote", () => {
  fc.assert(
    fc.property(contents, fc.nat(2 ** 32 - 1), (content, sequence) => {
      assert.deepEqual(decodeTunnelFrame(encodeTunnelFrame(sequence, content)), { ...content, sequence });
    }),
  );
});

test("decodeTunnelFrame names what is wrong with any other bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const frame = decodeTunnelFrame(bytes);
      if (typeof frame === "string") assert.notEqual(frame, "");
      else assert.deepEqual(encodeTunnelFrame(frame.sequence, frame), bytes);
    }),
    { numRuns: runsOf(2000) },
  );
  for (const bytes of [
    [],
    [7, 0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0, 0],
    [2, 4, 0, 0, 0, 0],
    [3, 1, 0, 0, 0, 0],
    [4, 0, 0, 0, 0, 0, 1],
    [5, 0, 0, 0, 0, 0, 0xff, 0, 0, 0, 0, 0, 0, 0],
    [6, 0, 0, 0, 0, 0, 3],
    [1, 0, 0, 0, 0, 0, 0xff],
  ]) {
    assert.equal(typeof decodeTunnelFrame(Uint8Array.from(bytes)), "string", bytes.join(" "));
  }
});

test("a frame over its limit is not sent and not read, and a long reason is cut between characters", () => {
  const data = { kind: "data", isText: false, isFinal: true, bytes: new Uint8Array(DATA_BYTES_MAX + 1) } as const;
  assert.throws(() => encodeTunnelFrame(0, data), RangeError);
  assert.throws(() => encodeTunnelFrame(0, { kind: "open", head: "x".repeat(70_000) }), RangeError);
  const longest = encodeTunnelFrame(0, { ...data, bytes: new Uint8Array(DATA_BYTES_MAX) });
  assert.equal(typeof decodeTunnelFrame(Uint8Array.from([...longest, 0])), "string");
  const close = decodeTunnelFrame(encodeTunnelFrame(0, { kind: "close", code: 1011, reason: "ä".repeat(100) }));
  assert.deepEqual(close, { kind: "close", code: 1011, reason: "ä".repeat(61), sequence: 0 });
});
