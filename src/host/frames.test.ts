import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  decodeInputFrame,
  decodeTailFrame,
  encodeFrame,
  encodeInputFrame,
  encodeTailFrame,
  FRAME_BYTES_MAX,
  HostFrameReader,
} from "./frames.ts";

const frames = fc.array(fc.record({ type: fc.nat(255), payload: fc.uint8Array({ maxLength: 40 }) }), { maxLength: 6 });

test("the same frames come out wherever the stream is cut", () => {
  fc.assert(
    fc.property(frames, fc.array(fc.nat(300), { maxLength: 8 }), (given, cuts) => {
      const stream = Buffer.concat(given.map((frame) => encodeFrame(frame.type, frame.payload)));
      const places = [0, ...cuts.map((cut) => Math.min(cut, stream.length)), stream.length].toSorted((a, b) => a - b);
      const reader = new HostFrameReader();
      const seen = places.flatMap((place, index) =>
        reader
          .feed(stream.subarray(places[index - 1] ?? 0, place))
          .map((frame) => ({ type: frame.type, payload: new Uint8Array(frame.payload) })),
      );
      assert.deepEqual(
        seen,
        given.map((frame) => ({ ...frame })),
      );
    }),
  );
});

test("a length that no peer sends is refused", () => {
  const huge = Buffer.alloc(5);
  huge.writeUInt32BE(FRAME_BYTES_MAX + 1, 0);
  assert.throws(() => new HostFrameReader().feed(huge), { code: "MALFORMED" });
  assert.throws(() => new HostFrameReader().feed(Buffer.alloc(5)), { code: "MALFORMED" });
});

test("input and tail come back from their frames as they were", () => {
  const plain = {
    request: 7,
    handle: 9,
    secret: true,
    key: undefined,
    conditions: undefined,
    bytes: Buffer.from("ls\r"),
  };
  const reader = { group: 7, pid: 8, startTicks: 9, image: null };
  const keyed = { ...plain, secret: false, key: "schlüssel-1" };
  for (const given of [
    plain,
    keyed,
    { ...plain, key: "" },
    { ...plain, conditions: { reader } },
    { ...keyed, conditions: { acts: true, asked: 7 } },
  ]) {
    const [input] = new HostFrameReader().feed(encodeInputFrame(given));
    assert.deepEqual(decodeInputFrame(input!.payload), given);
  }
  const [tail] = new HostFrameReader().feed(encodeTailFrame(3, Number.MAX_SAFE_INTEGER));
  assert.deepEqual(decodeTailFrame(tail!.payload), { handle: 3, end: Number.MAX_SAFE_INTEGER });
});
