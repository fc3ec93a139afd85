import assert from "node:assert/strict";
import { test } from "node:test";
import { LecternError } from "../errors.ts";
import { encodeSseEvent } from "./encode-sse-event.ts";

const invalid = (error: unknown): boolean => error instanceof LecternError && error.code === "INVALID_INPUT";

test("encodeSseEvent writes fields in a fixed order and closes the event", () => {
  assert.equal(
    encodeSseEvent({ data: "{}", event: "ping", id: "4", retryMs: 100, comment: "hi" }),
    ": hi\nevent: ping\nid: 4\nretry: 100\ndata: {}\n\n",
  );
});

test("encodeSseEvent writes one data field for each line, whatever ends it", () => {
  assert.equal(encodeSseEvent({ data: "a\nb\r\nc\rd" }), "data: a\ndata: b\ndata: c\ndata: d\n\n");
  assert.equal(encodeSseEvent({ data: "" }), "data: \n\n");
});

test("encodeSseEvent writes a comment alone, to keep a connection open", () => {
  assert.equal(encodeSseEvent({ comment: "waiting" }), ": waiting\n\n");
});

test("encodeSseEvent refuses what would break out of its field", () => {
  assert.throws(() => encodeSseEvent({ event: "a\ndata: b" }), invalid);
  assert.throws(() => encodeSseEvent({ id: "a\r" }), invalid);
  assert.throws(() => encodeSseEvent({ id: "a\0" }), invalid);
  assert.throws(() => encodeSseEvent({ retryMs: 1.5 }), invalid);
});
