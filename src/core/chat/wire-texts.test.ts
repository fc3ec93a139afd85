import assert from "node:assert/strict";
import { test } from "node:test";
import type { Mark } from "../records.ts";
import { wireRequest, wireToolCall, wireTurn } from "../../../test/marks.ts";
import type { ChatMessage } from "./message.ts";
import { WireTexts } from "./wire-texts.ts";

const message = (change: Partial<ChatMessage>): ChatMessage => ({
  id: "m1",
  role: "assistant",
  agent: "claude",
  text: "",
  source: "screen",
  isPartial: false,
  isIncomplete: false,
  offset: 0,
  end: 0,
  timeUs: 0,
  endTimeUs: 0,
  ...change,
});

const turn = (text: string): Mark => wireTurn({ text });
const request = (text: string, tools = 3): Mark => wireRequest({ tools, parts: [{ type: "user", text }] });

test("what the screen shows gets the exact text of the wire", () => {
  const wire = new WireTexts();
  assert.equal(wire.mark(turn("A **bold** answer, with `code` in it.")), true);
  const refined = wire.refine(message({ text: "A bold answer, with code in it." }));
  assert.deepEqual([refined.source, refined.text], ["wire", "A **bold** answer, with `code` in it."]);
  assert.equal(refined.screenText, undefined);
  assert.equal(wire.refine(message({ text: "Another answer, not on the wire." })).source, "screen");
});

test("where letters differ, what the screen shows is kept beside it", () => {
  const wire = new WireTexts();
  wire.mark(request("A question of a user, with a long end"));
  const shown = message({ role: "user", text: "A question of a user, with another end" });
  assert.equal(wire.refine(shown).screenText, shown.text);
  assert.equal(wire.refine({ ...shown, isIncomplete: true }).screenText, undefined);
});

test("one text is one message, and asides are none", () => {
  const wire = new WireTexts();
  wire.mark(turn("The very same answer."));
  assert.equal(wire.refine(message({ text: "The very same answer." })).source, "wire");
  assert.equal(wire.refine(message({ id: "m2", text: "The very same answer." })).source, "screen");
  assert.equal(wire.mark(request("Write a title", 0)), false);
  assert.equal(wire.mark(turn("A title")), false);
  assert.equal(wire.mark({ type: "unknown", name: "later" }), false);
});

test("a call is found by its arguments, also after the texts were saved", () => {
  const wire = new WireTexts();
  wire.mark(wireToolCall({ argumentsText: '{"command":"ls -l out"}' }));
  const restored = new WireTexts(JSON.parse(JSON.stringify(wire.save())));
  const shown = message({
    role: "tool-call",
    text: "$ ls -l out",
    tool: { name: "shell", input: "ls -l out", call: null },
  });
  const refined = restored.refine(shown);
  assert.deepEqual([refined.source, refined.tool?.name, refined.text], ["wire", "Bash", "$ ls -l out"]);
});
