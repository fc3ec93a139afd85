import assert from "node:assert/strict";
import { test } from "node:test";
import { ToolSlots } from "./tool-slots.ts";

const none = { index: undefined, id: undefined, name: undefined, text: "" };

test("ToolSlots finds a known id before anything else", () => {
  const slots = new ToolSlots();
  const first = slots.open(0, { id: "a", name: "f" });
  slots.open(1, { id: "b", name: "g" });
  assert.equal(slots.find({ ...none, index: 1, id: "a" }), first);
});

test("ToolSlots opens another call for a new id at a used index", () => {
  const slots = new ToolSlots();
  slots.open(0, { id: "a", name: "f" });
  assert.equal(slots.find({ ...none, index: 0, id: "b", name: "f" }), undefined);
});

test("ToolSlots continues the latest call without id and index", () => {
  const slots = new ToolSlots();
  assert.equal(slots.find(none), undefined);
  slots.open(0, { id: "a", name: "f" });
  const latest = slots.open(1, { id: "b", name: "g" });
  assert.equal(slots.find(none), latest);
});

test("ToolSlots gives the tail of a displaced head to it, once", () => {
  const slots = new ToolSlots();
  slots.open(0, { id: "a", name: "f" });
  const displaced = slots.open(0, { id: "b", name: "g" });
  assert.equal(slots.find({ ...none, index: 1, text: "{" }), displaced);
  assert.equal(slots.find({ ...none, index: 1, text: "}" }), displaced);
  assert.equal(slots.find({ ...none, index: 2, id: "c", name: "h" }), undefined);
});

test("ToolSlots takes a repeated name for another call only behind whole arguments", () => {
  const slots = new ToolSlots();
  const slot = slots.open(0, { name: "f" });
  slot.text = '{"a":';
  assert.equal(slots.find({ ...none, index: 0, name: "f", text: "1" }), slot);
  slot.text = '{"a":1}';
  assert.equal(slots.find({ ...none, index: 0, name: "f", text: "{}" }), undefined);
  assert.equal(slots.find({ ...none, index: 0, name: "f" }), slot, "a name alone repeats");
  assert.equal(slots.find({ ...none, index: 0, name: "g" }), undefined);
});

test("ToolSlots makes up ids that are unique", () => {
  const slots = new ToolSlots();
  slots.open(0, { id: "call_synthetic_1" });
  const second = slots.open(1, {});
  assert.ok(second.idSynthetic);
  assert.notEqual(second.id, "call_synthetic_1");
  slots.adoptId(second, "real");
  assert.equal(slots.withId("real"), second);
  assert.ok(!second.idSynthetic);
});
