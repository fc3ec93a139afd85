import assert from "node:assert/strict";
import { test } from "node:test";
import { conversationsOf, hasLastOf, mayHaveLastOf } from "./find-conversation.ts";
import type { SaidPrompt } from "./said-files.ts";

const minute = 60_000;
const at = (...prompts: readonly (readonly [text: string, minutes: number])[]): SaidPrompt[] =>
  prompts.map(([text, minutes]) => ({ text, timeMs: minutes * minute }));
const conversation = (id: string, ...prompts: readonly (readonly [text: string, minutes: number])[]) => ({
  id,
  file: "",
  prompts: at(...prompts),
});

function found(...conversations: readonly ReturnType<typeof conversation>[]): string {
  const prompts = at(["fix the  bug", 10], ["and a test", 15]);
  return conversationsOf(conversations, { prompts, sinceMs: 9 * minute })
    .map(({ id }) => id)
    .join(" ");
}

test("a conversation is that of a session if all that was said in it was said in the session", () => {
  assert.equal(found(conversation("a", ["fix the\nbug", 10], ["and a test", 15.2])), "a");
  assert.equal(found(conversation("a", ["and a test", 15])), "a");
  assert.equal(found(conversation("a", ["fix the bug", 10], ["something else", 12])), "");
  assert.equal(found(conversation("a", ["and a test", 15], ["fix the bug", 10])), "");
  assert.equal(found(conversation("a")), "");
});

test("the same words at another time are of another conversation, and what was said before the session is not compared", () => {
  assert.equal(found(conversation("a", ["fix the bug", 12])), "");
  assert.equal(found(conversation("a", ["long ago", 2], ["and a test", 15])), "a");
  assert.equal(found(conversation("a", ["fix the bug", 2])), "");
});

test("a session is in the conversation in which its last prompt was said, and has left those before", () => {
  const [left, current] = [conversation("a", ["fix the bug", 10]), conversation("b", ["and a test", 15])];
  assert.equal(found(left), "");
  assert.equal(found(left, current), "b");
  // As the screen shows it.
  const prompts = at(["fix the bug", 10], ["rename the function in all", 15]);
  const long = conversation("b", ["rename the function in all files", 15]);
  assert.deepEqual(
    [left, current, long].map((one) => hasLastOf(one, prompts)),
    [false, false, false],
  );
  assert.deepEqual(
    [left, current, long].map((one) => mayHaveLastOf(one, prompts)),
    [false, false, true],
  );
});

test("two agents that were told the same at the same time cannot be told apart", () => {
  assert.equal(found(conversation("a", ["and a test", 15]), conversation("b", ["and a test", 15.1])), "a b");
});
