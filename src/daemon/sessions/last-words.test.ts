import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChatMessage } from "../../core/chat/message.ts";
import { LastWords } from "./last-words.ts";

// Only what is looked at here.
const message = (id: string, role: string, text: string): ChatMessage =>
  ({ id, role, text, endTimeUs: 5 }) as ChatMessage;

test("the last line of what was said last is kept, and what tools say is not", () => {
  const words = new LastWords();
  words.take(message("m1", "user", "do it"));
  words.take(message("m2", "assistant", "I did.\n\nIs that all?\n"));
  words.take(message("m3", "tool-result", "12 tests passed"));
  assert.deepEqual(words.last, { role: "assistant", text: "Is that all?", timeUs: 5 });
  words.take(message("m4", "user", "Yes."));
  assert.equal(words.last?.text, "Yes.");
});

test("of a shell the command counts, from when it was typed", () => {
  const words = new LastWords();
  const shell = { command: "npm test", exitCode: null };
  words.take({ ...message("m1", "shell", "much output"), timeUs: 2, endTimeUs: 99, shell });
  assert.deepEqual(words.last, { role: "shell", text: "npm test", timeUs: 2 });
  words.take(message("m2", "assistant", "said meanwhile"));
  assert.equal(words.last?.text, "said meanwhile");
});

test("what was told later and is older was not said last", () => {
  const words = new LastWords();
  words.take({ ...message("m1", "assistant", "the answer"), endTimeUs: 9 });
  words.take({ ...message("m2", "user", "the question"), endTimeUs: 3 });
  assert.equal(words.last?.text, "the answer");
});

test("a message that was withdrawn was not the last", () => {
  const words = new LastWords();
  words.take(message("m1", "user", "do it"));
  words.take(message("m2", "assistant", "I"));
  words.take(message("m2", "assistant", ""));
  assert.equal(words.last?.text, "do it");
  words.take(message("m1", "user", ""));
  assert.equal(words.last, null);
});

test("few are kept and long ones are cut", () => {
  const words = new LastWords();
  for (let ordinal = 1; ordinal < 40; ordinal += 1)
    words.take(message(`m${ordinal}`, "user", `${ordinal}`.repeat(300)));
  assert.equal(words.last?.text.length, 240);
  for (let ordinal = 39; ordinal > 31; ordinal -= 1) words.take(message(`m${ordinal}`, "user", ""));
  assert.equal(words.last, null);
});
