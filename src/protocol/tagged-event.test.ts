import assert from "node:assert/strict";
import { test } from "node:test";
import { isEventName, readEvent } from "../core/events/tagged-event.ts";
import { eventNameSchema, taggedEventSchema } from "./tagged-event.ts";

const source = {
  attributes: { a: "b" },
  id: "socket:3",
  carrier: "socket",
  trust: "socket",
  offset: 3,
  end: 9,
} as const;

test("what the core makes of an event is what goes over the wire, valid or not", () => {
  for (const [name, text] of Object.entries({ A: '{"x":1}', B: "{", C: "null" })) {
    const event = readEvent({ ...source, name, text });
    assert.deepEqual(taggedEventSchema.parse(JSON.parse(JSON.stringify(event))), event);
  }
});

test("a name is one on both sides", () => {
  for (const name of ["A", "task.done-2", "", "1", "a b", "x".repeat(64), "x".repeat(65), "Ä"]) {
    assert.equal(eventNameSchema.safeParse(name).success, isEventName(name), name);
  }
});
