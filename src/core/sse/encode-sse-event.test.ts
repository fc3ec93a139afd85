import assert from "node:assert/strict";
import { test } from "node:test";
import { LecternError } from "../errors.ts";
import { encodeSseEvent } from "./encode-sse-event.ts";

const invalid = (error: unknown): boolean => error instanceof LecternError && error.code === "INVALID_INPUT";

test("encodeSseEvent writes the name before the data and closes the event", () => {
  assert.equal(encodeSseEvent({ data: "{}", event: "ping" }), "event: ping\ndata: {}\n\n");
});

test("encodeSseEvent writes one data field for each line, whatever ends it", () => {
  assert.equal(encodeSseEvent({ data: "a\nb\r\nc\rd" }), "data: a\ndata: b\ndata: c\ndata: d\n\n");
  assert.equal(encodeSseEvent({ data: "" }), "data: \n\n");
});

test("encodeSseEvent refuses a name that would break out of its field", () => {
  assert.throws(() => encodeSseEvent({ event: "a\ndata: b", data: "" }), invalid);
});
