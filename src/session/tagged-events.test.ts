import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeJson } from "../protocol/payloads.ts";
import type { JournalRecord, SessionEvent } from "../protocol/records.ts";
import { schemaProblem, TaggedEvents } from "./tagged-events.ts";

const mark = (event: SessionEvent, offset = 7): JournalRecord => ({
  offset,
  timeUs: 1,
  type: "mark",
  secret: false,
  payload: encodeJson(event),
});
const sent = (name: string, payload: unknown): SessionEvent => ({
  type: "event",
  name,
  payload,
  carrier: "socket",
  trust: "socket",
  pid: 42,
});

test("an event of the socket is one of the four carriers' kind", () => {
  assert.deepEqual(new TaggedEvents().feed(mark(sent("DONE", { ok: true }))), [
    {
      type: "tagged-event",
      id: "socket:7",
      name: "DONE",
      attributes: {},
      carrier: "socket",
      trust: "socket",
      offset: 7,
      end: 104,
      valid: true,
      payload: { ok: true },
    },
  ]);
});

test("an event that does not match the schema of its name is kept with the error", () => {
  const events = new TaggedEvents();
  const schema = { type: "object", required: ["ok"], properties: { ok: { type: "boolean" } } };
  events.feed(mark({ type: "event-schema", name: "DONE", schema }));
  assert.equal(events.feed(mark(sent("DONE", { ok: true })))[0]?.valid, true);
  assert.equal(events.feed(mark(sent("OTHER", {})))[0]?.valid, true);
  const [wrong] = events.feed(mark(sent("DONE", { ok: 1 })));
  assert.ok(wrong !== undefined && !wrong.valid);
  assert.equal(wrong.text, '{"ok":1}');
  assert.equal(wrong.error.code, "schema-mismatch");
  assert.match(wrong.error.message, /\/ok/);
});

test("a schema that cannot be used passes nothing", () => {
  assert.match(schemaProblem({ $schema: "http://other" }) ?? "", /\$schema/);
  assert.equal(schemaProblem({ type: "object" }), undefined);
  const events = new TaggedEvents();
  events.feed(mark({ type: "event-schema", name: "DONE", schema: 3 }));
  const [event] = events.feed(mark(sent("DONE", 3)));
  assert.ok(event !== undefined && !event.valid);
  assert.match(event.error.message, /Cannot use the schema: it is not an object/);
});

test("other records bring no event", () => {
  const events = new TaggedEvents();
  assert.deepEqual(events.feed(mark({ type: "marker", label: "x" })), []);
  assert.deepEqual(events.feed({ ...mark(sent("A", 1)), type: "output" }), []);
});
