/** What `npm run report:chat` counts as lost in silence. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChatMessage } from "../src/core/chat/message.ts";
import { measureChat } from "./chat-measure.ts";

const answers = ["The first answer has six words", "Another answer comes second here", "The third one ends it all"];
const truth = { timeline: answers.map((text) => ({ role: "assistant", text })) };

function message(text: string, more: Partial<ChatMessage> = {}): ChatMessage {
  const times = { offset: 0, end: 0, timeUs: 0, endTimeUs: 0 };
  const state = { isPartial: false, isIncomplete: false };
  return { id: "m1", role: "assistant", agent: "claude", text, source: "screen", ...state, ...times, ...more };
}

const silentOf = (...messages: readonly ChatMessage[]): number => measureChat(truth, messages, []).silent;

test("a message that is not found is lost in silence, unless one in its place is marked incomplete", () => {
  const [first = "", second = "", third = ""] = answers;
  assert.equal(silentOf(message(first), message(second), message(third)), 0);
  assert.equal(silentOf(message(first), message(third)), 1);
  assert.equal(silentOf(message(first), message("Something else was read"), message(third)), 1);
  assert.equal(silentOf(message(first), message("Another …", { isIncomplete: true }), message(third)), 0);
  assert.equal(silentOf(message(first), message(second), message("The …", { isIncomplete: true })), 0);
  assert.equal(silentOf(message("The …", { isIncomplete: true }), message(second)), 1);
  assert.equal(silentOf(), 3);
});

test("an answer that was interrupted before any of it was drawn is not lost", () => {
  const interrupted = { timeline: [{ role: "assistant", text: "Never drawn at all", interrupted: true }] };
  assert.equal(measureChat(interrupted, [], []).silent, 0);
});
