import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { LecternError } from "../errors.ts";
import { EventSplitter } from "./event-splitter.ts";
import { SseReader } from "./sse-reader.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function split(chunks: readonly Uint8Array[]): { events: string[]; rest: string } {
  const splitter = new EventSplitter();
  const events = chunks.flatMap((chunk) => splitter.feed(chunk)).map((event) => decoder.decode(event));
  return { events, rest: decoder.decode(splitter.end()) };
}

test("EventSplitter cuts behind each blank line and changes no byte", () => {
  const { events, rest } = split([
    encoder.encode("event: a\ndata: 1\n\n: comment\n\ndata: 2\r\n\r\ndata: 3\r\rdata: 4\n"),
  ]);
  assert.deepEqual(events, ["event: a\ndata: 1\n\n", ": comment\n\n", "data: 2\r\n\r\n", "data: 3\r\r"]);
  assert.equal(rest, "data: 4\n");
});

test("EventSplitter gives the same bytes back at every cut, and an event of the reader lies in one piece", () => {
  const line = fc.constantFrom("data: x", "data: ", "event: n", ": c", "", "id: 1", "data: \u{1f600}");
  const ending = fc.constantFrom("\n", "\r\n", "\r");
  const stream = fc
    .array(fc.tuple(line, ending), { maxLength: 12 })
    .map((lines) => lines.map(([text, end]) => text + end).join(""));
  fc.assert(
    fc.property(stream, fc.array(fc.nat(80), { maxLength: 6 }), (text, cuts) => {
      const bytes = encoder.encode(text);
      const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).toSorted((a, b) => a - b), bytes.length];
      const chunks = places.slice(1).map((end, index) => bytes.slice(places[index], end));
      const { events, rest } = split(chunks);
      assert.equal(events.join("") + rest, text);
      const whole = new SseReader();
      const wanted = whole.feed(bytes).map(({ data }) => data);
      const pieces = new SseReader();
      const found = events.map((event) => pieces.feed(encoder.encode(event)).map(({ data }) => data));
      assert.ok(found.every((list) => list.length <= 1));
      assert.deepEqual(found.flat(), wanted);
    }),
  );
});

test("EventSplitter refuses an event that never ends", () => {
  const splitter = new EventSplitter({ eventBytesMax: 100 });
  splitter.feed(encoder.encode("data: a\n\n".repeat(50)));
  splitter.feed(encoder.encode("x".repeat(60)));
  assert.throws(
    () => splitter.feed(encoder.encode("x".repeat(60))),
    (error) => error instanceof LecternError && error.code === "TOO_LARGE",
  );
});

test("EventSplitter does not keep the caller's chunk, of a Buffer either", () => {
  const splitter = new EventSplitter();
  const chunk = Buffer.from("data: a");
  splitter.feed(chunk);
  chunk.fill(0);
  assert.deepEqual(splitter.feed(encoder.encode("b\n\n")), [encoder.encode("data: ab\n\n")]);
});
