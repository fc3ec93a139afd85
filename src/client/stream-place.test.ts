import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { StreamPosition } from "./stream-place.ts";

const output = (offset: number, text: string) => ({ type: "output" as const, offset, bytes: Buffer.from(text) });
const short = (place: StreamPosition, ...frames: Parameters<StreamPosition["take"]>[0][]) =>
  frames
    .flatMap((frame) => place.take(frame))
    .map(
      (item) =>
        `${item.offset}-${item.next} ${item.type === "output" ? Buffer.from(item.bytes).toString() : item.type}`,
    );

test("StreamPosition gives each byte once where frames overlap after a reconnect", () => {
  assert.deepEqual(short(new StreamPosition(0), output(0, "abc"), output(0, "abc"), output(1, "bcde")), [
    "0-3 abc",
    "3-5 de",
  ]);
});

test("StreamPosition declares a gap where the server left something out", () => {
  assert.deepEqual(short(new StreamPosition(2), output(5, "x")), ["2-5 gap", "5-6 x"]);
});

test("StreamPosition starts where the server says when nobody asked for an offset", () => {
  const place = new StreamPosition(undefined);
  place.startAt(40);
  place.startAt(50);
  assert.equal(place.next, 40);
  assert.deepEqual(short(place, output(40, "x")), ["40-41 x"]);
});

test("StreamPosition follows a gap and a snapshot to their ends", () => {
  const place = new StreamPosition(0);
  const gap = { type: "gap" as const, offset: 0, to: 100, reason: "behind" };
  const snapshot = { type: "snapshot" as const, offset: 120, columns: 80, rows: 24, text: "" };
  assert.deepEqual(short(place, gap, snapshot, output(120, "x")), ["0-100 gap", "120-120 snapshot", "120-121 x"]);
});

test("StreamPosition passes a message once and reads the gap of a record", () => {
  const exit = {
    type: "exit" as const,
    offset: 3,
    next: 9,
    timeUs: 1,
    exit: { reason: "exited", code: 0, signal: null },
  } as const;
  const lost = { type: "gap" as const, offset: 0, next: 3, timeUs: 1, gap: { reason: "torn", bytesMax: 4 } } as const;
  assert.deepEqual(short(new StreamPosition(0), lost, exit, exit), ["0-3 gap", "3-9 exit"]);
});

test("however a stream is cut and repeated, StreamPosition gives the same bytes", () => {
  const whole = "0123456789abcdefghij";
  const cuts = fc.array(fc.tuple(fc.nat(whole.length), fc.nat(6)), { maxLength: 20 });
  fc.assert(
    fc.property(cuts, (given) => {
      const place = new StreamPosition(0);
      let text = "";
      for (const [at, length] of [...given, [0, whole.length] as const]) {
        const from = Math.min(at, place.next ?? 0);
        for (const item of place.take(output(from, whole.slice(from, from + length)))) {
          if (item.type === "output") text += Buffer.from(item.bytes).toString();
        }
      }
      assert.equal(text, whole);
    }),
  );
});
