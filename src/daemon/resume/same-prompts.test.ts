import assert from "node:assert/strict";
import { test } from "node:test";
import { conversationsOf } from "./same-prompts.ts";
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
  assert.equal(found(conversation("a", ["fix the bug", 10])), "a");
  assert.equal(found(conversation("a", ["fix the bug", 10], ["something else", 12])), "");
  assert.equal(found(conversation("a", ["and a test", 15], ["fix the bug", 10])), "");
  assert.equal(found(conversation("a")), "");
});

test("the same words at another time are of another conversation, and what was said before the session is not compared", () => {
  assert.equal(found(conversation("a", ["fix the bug", 12])), "");
  assert.equal(found(conversation("a", ["long ago", 2], ["fix the bug", 10])), "a");
  assert.equal(found(conversation("a", ["fix the bug", 2])), "");
});

test("two agents that were told the same at the same time cannot be told apart", () => {
  assert.equal(found(conversation("a", ["fix the bug", 10]), conversation("b", ["fix the bug", 10.1])), "a b");
});
