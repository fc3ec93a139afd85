import assert from "node:assert/strict";
import { test } from "node:test";
import { Sightings } from "./sightings.ts";
import { readEvent, type TaggedEvent } from "./tagged-event.ts";

const event = (carrier: "text" | "wire" | "socket", id: string, text = "{}"): TaggedEvent =>
  readEvent({ name: "A", text, attributes: {}, id, carrier, trust: "unverified", offset: 0, end: 0 });

const ids = (sightings: Sightings, ...events: readonly TaggedEvent[]): string[] =>
  sightings.unify(events).map(({ id }) => id);

test("what the model wrote has the id of its first sighting, and later sightings are not reported", () => {
  let sightings = new Sightings();
  assert.deepEqual(ids(sightings, event("text", "t1"), event("text", "t2")), ["t1", "t2"]);
  assert.deepEqual(ids(sightings, event("wire", "w1")), ["t1"]);
  sightings = new Sightings(JSON.parse(JSON.stringify(sightings.save())));
  assert.deepEqual(ids(sightings, event("text", "t3")), []);
  assert.deepEqual(ids(sightings, event("wire", "w2")), ["w2"]);
  assert.deepEqual(ids(sightings, event("text", "t4", "1"), event("socket", "s1")), ["t4", "s1"]);
});

test("damaged sightings are not reported", () => {
  assert.deepEqual(ids(new Sightings(), event("text", "t1", "{broken"), event("wire", "w1", "{broken")), ["w1"]);
});
