import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { EventStreamReader, type StreamEvent } from "./event-stream.ts";

const stream =
  ': hello\r\n\r\nid: 7\r\nevent: output\r\ndata: {"a":\r\ndata: 1}\r\n\r\nretry: 5\ndata:é\n\nevent: empty\n\ndata: cut';
const expected: StreamEvent[] = [
  { event: "output", data: '{"a":\n1}', id: "7" },
  { event: "message", data: "é", id: "7" },
];

test("at every split the same events come out and an unfinished one is dropped", () => {
  const bytes = Buffer.from(stream);
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
      const reader = new EventStreamReader();
      const events = places.slice(1).flatMap((to, index) => reader.feed(bytes.subarray(places[index], to)));
      assert.deepEqual(events, expected);
    }),
  );
});
