import assert from "node:assert/strict";
import { test } from "node:test";
import type { Mark } from "../records.ts";
import { wireRequest, wireToolCall, wireTurn } from "../../../test/marks.ts";
import type { ChatMessage } from "./message.ts";
import { nextRevision, revised } from "./revision.ts";
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

/** The message with what the wire says of it. */
function refined(wire: WireTexts, shown: ChatMessage): ChatMessage {
  const saying = wire.find(shown);
  return revised(shown, (saying && nextRevision(undefined, shown.source, saying)) ?? undefined);
}

const turn = (text: string): Mark => wireTurn({ text });
const request = (text: string, tools = 3): Mark => wireRequest({ tools, parts: [{ type: "user", text }] });

test("what the screen shows gets the exact text of the wire", () => {
  const wire = new WireTexts();
  assert.equal(wire.mark(turn("A **bold** answer, with `code` in it.")), true);
  const exact = refined(wire, message({ text: "A bold answer, with code in it." }));
  assert.deepEqual([exact.source, exact.text, exact.revision], ["wire", "A **bold** answer, with `code` in it.", 1]);
  assert.equal(exact.replaced, undefined);
  assert.equal(refined(wire, message({ text: "Another answer, not on the wire." })).source, "screen");
});

test("where letters differ, what the screen shows is kept beside it", () => {
  const wire = new WireTexts();
  wire.mark(request("A question of a user, with a long end"));
  const shown = message({ role: "user", text: "A question of a user, with another end" });
  assert.equal(refined(wire, shown).replaced?.text, shown.text);
  assert.equal(refined(wire, { ...shown, isIncomplete: true }).replaced, undefined);
});

test("one text is one message, and asides are none", () => {
  const wire = new WireTexts();
  wire.mark(turn("The very same answer."));
  assert.equal(refined(wire, message({ text: "The very same answer." })).source, "wire");
  assert.equal(refined(wire, message({ id: "m2", text: "The very same answer." })).source, "screen");
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
  const exact = refined(restored, shown);
  assert.deepEqual([exact.source, exact.tool?.name, exact.text], ["wire", "Bash", "$ ls -l out"]);
});
