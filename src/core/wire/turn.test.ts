import assert from "node:assert/strict";
import { test } from "node:test";
import { closeSlot, type Finish, type ToolSlot } from "./turn.ts";

const whole: ToolSlot = {
  slot: 0,
  kind: "function",
  id: "a",
  idSynthetic: false,
  name: "f",
  text: "",
  started: true,
  ended: true,
  numberIsWhole: false,
};

const finishes: readonly Finish[] = ["stop", "tool_calls", "length", "content_filter", "error", "truncated"];

/** The ends of a turn with which the call is committable. */
const committable = (text: string, more?: Partial<ToolSlot>): string =>
  finishes.filter((finish) => closeSlot({ ...whole, text, ...more }, finish).committable).join(" ");

function shown(text: string, more?: Partial<ToolSlot>): unknown[] {
  const call = closeSlot({ ...whole, text, ...more }, "stop");
  return [call.status, call.provenance, call.arguments, call.partialString ?? call.dropped?.kind ?? null];
}

test("closeSlot lets only whole, named calls of a turn that the provider ended commit", () => {
  assert.equal(committable("{}"), "stop tool_calls length");
  assert.equal(committable(""), "stop tool_calls");
  assert.equal(committable('{"a'), "");
  assert.equal(committable("}"), "");
  assert.equal(committable("{}", { name: "" }), "");
  assert.equal(committable("any text", { kind: "custom" }), "stop tool_calls");
  assert.equal(committable("any text", { kind: "custom", ended: false }), "");
});

test("closeSlot names what it did", () => {
  assert.deepEqual(shown('{"a":1}'), ["complete", "wire", { a: 1 }, null]);
  assert.deepEqual(shown(" "), ["complete", "empty", {}, null]);
  assert.deepEqual(shown('{"a":"b'), ["healed", "healed", { a: "b" }, "/a"]);
  assert.deepEqual(shown('{"a":1'), ["healed", "healed", {}, "number"]);
  assert.deepEqual(shown('{"a":1', { numberIsWhole: true }), ["healed", "healed", { a: 1 }, null]);
  assert.deepEqual(shown("{a:1}"), ["invalid", "wire", null, null]);
  assert.deepEqual(shown("[".repeat(600)), ["invalid", "wire", null, null]);
});
