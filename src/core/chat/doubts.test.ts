import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInAgents } from "../agents/built-in-agents.ts";
import type { ChatMessage, MessageRole } from "./message.ts";
import { Doubts } from "./doubts.ts";

const said = (role: MessageRole, text: string): ChatMessage => ({
  id: "m1",
  role,
  agent: "pi",
  text,
  source: "screen",
  isPartial: false,
  isIncomplete: false,
  offset: 0,
  end: 0,
  timeUs: 0,
  endTimeUs: 0,
});

function begun(welcome = "pi"): Doubts {
  const doubts = new Doubts(builtInAgents);
  doubts.see([said("conversation-start", "pi"), said("welcome", welcome)]);
  return doubts;
}

test("prompts of which none appears are a doubt, once there were two", () => {
  const doubts = begun();
  for (const [line, count] of [
    ["Write the first test", 0],
    ["And the second one", 0],
    ["/help me", 2],
    ["Now a third one", 2],
  ] as const) {
    doubts.typed(line);
    assert.deepEqual(
      doubts.now.found,
      count === 0 ? [] : [`${count} prompts were typed, but none appears as a message`],
    );
    assert.equal(doubts.isIncomplete, count > 0);
  }
  doubts.see([said("user", "Write the first test")]);
  doubts.judge();
  assert.deepEqual([doubts.now.found, doubts.isIncomplete], [[], false]);
});

test("answers of which none appears are a doubt; one answer may end several times", () => {
  const doubts = begun();
  doubts.typed("Write the first test");
  doubts.answered();
  doubts.answered();
  doubts.see([said("user", "Write the first test")]);
  doubts.judge();
  assert.deepEqual(doubts.now.found, []);
  doubts.typed("Write another one");
  doubts.answered();
  doubts.judge();
  assert.deepEqual(doubts.now.found, ["2 answers came, but none appears as a message"]);
  const again = new Doubts(builtInAgents, JSON.parse(JSON.stringify(doubts.save())));
  assert.deepEqual([again.now.found, again.isIncomplete, again.now.start], [doubts.now.found, true, "m1"]);
});

test("words in menus and commands are no prompts", () => {
  const doubts = begun();
  for (const line of ["gpt", "/model sonnet 4", "!ls -la *.ts", "2", "yes"]) doubts.typed(line);
  doubts.judge();
  assert.deepEqual(doubts.now.found, []);
});

test("a newer release than the recorded one is a doubt, but no sign that something is missing", () => {
  const doubts = begun("pi v99.0.1");
  assert.match(
    doubts.now.found.join(),
    /^pi 99\.0\.1 is newer than the release [\d.]+ that its rules were measured on$/,
  );
  assert.equal(doubts.isIncomplete, false);
  doubts.see([said("conversation-start", "pi"), said("welcome", "pi v0.80.0")]);
  assert.deepEqual(doubts.now.found, []);
});
