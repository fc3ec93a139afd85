import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInAgents } from "../agents/built-in-agents.ts";
import { drawn } from "../agents/drawn-frame.test.ts";
import { Conversation } from "./conversation.ts";
import type { ChatMessage } from "./message.ts";
import { MessageLog } from "./message-log.ts";

const box = ["────────────────", "❯ ", "────────────────"];
const frame = (rows: readonly string[], seconds: number, lines = 12) => ({
  ...drawn([...rows, ...box], { lines }),
  isAlternate: true,
  offset: seconds,
  timeUs: seconds * 1e6,
});

/** Plays screens a second apart; `restore` makes a new one out of what the old one saved between any two. */
function played(screens: readonly (readonly string[])[], { restore = false, lines = 12 } = {}): ChatMessage[] {
  let log = new MessageLog();
  let conversation = new Conversation(builtInAgents.chatOf("test", ""), log, 0);
  const messages = new Map<string, ChatMessage>();
  for (const [index, rows] of screens.entries()) {
    if (restore) {
      const state = JSON.parse(JSON.stringify([log.save(), conversation.save()]));
      log = new MessageLog(state[0]);
      conversation = new Conversation(builtInAgents.chatOf("test", ""), log, state[1]);
    }
    conversation.frame(frame(rows, index + 1, lines), []);
    for (const message of log.take()) messages.set(message.id, message);
  }
  return [...messages.values()];
}

const brief = (messages: readonly ChatMessage[]): string[] => messages.map(({ role, text }) => `${role}: ${text}`);

const turn = [
  ["❯ first question"],
  ["❯ first question", "", "● first ans"],
  ["❯ first question", "", "● first answer"],
  ["● first answer", "", "● {1}Bash{0}(ls)", "  ⎿ one file"],
  ["● {1}Bash{0}(ls)", "  ⎿ one file", "", "● second answer"],
];

test("what scrolls by becomes one message each, and grows while it is drawn", () => {
  assert.deepEqual(brief(played(turn)), [
    "user: first question",
    "assistant: first answer",
    "tool-call: Bash(ls)",
    "tool-result: one file",
    "assistant: second answer",
  ]);
});

test("a conversation that was saved at any frame goes on the same", () => {
  assert.deepEqual(played(turn, { restore: true }), played(turn));
});

test("the same frame twice tells nothing new", () => {
  const log = new MessageLog();
  const conversation = new Conversation(builtInAgents.chatOf("test", ""), log, 0);
  for (const [index, rows] of turn.entries()) {
    conversation.frame(frame(rows, index + 1), []);
    log.take();
    conversation.frame(frame(rows, index + 1), []);
    assert.deepEqual(log.take(), []);
  }
});

test("the rows of a message are told with it", () => {
  const log = new MessageLog();
  const conversation = new Conversation(builtInAgents.chatOf("test", ""), log, 0);
  conversation.frame(frame(turn[2]!, 1), []);
  assert.deepEqual(conversation.changed, [
    { message: "m1", role: "user", rows: ["first question"] },
    { message: "m2", role: "assistant", rows: ["first answer"] },
  ]);
});

test("where nothing joins, the message that may have gone on says that it is incomplete", () => {
  const messages = played([turn[2]!, ["❯ tenth question", "", "● tenth answer"]]);
  assert.deepEqual(
    messages.map(({ isIncomplete }) => isIncomplete),
    [false, true, false, false],
  );
});

test("an answer goes on behind rows that were never seen, and none that it had is written over", () => {
  const row = (number: number): string => `  line ${number} has some words`;
  const rows = (from: number, to: number): string[] =>
    Array.from({ length: to - from }, (_, index) => row(from + index));
  const answer = ["❯ count", "", "● line 0 has some words", ...rows(1, 4)];
  const messages = played([["❯ count"], answer, rows(40, 44), rows(38, 44), [...rows(40, 46), "", "❯ more"]]);
  assert.deepEqual(
    messages.map(({ role, isIncomplete }) => [role, isIncomplete]),
    [
      ["user", false],
      ["assistant", true],
      ["user", false],
    ],
  );
  const numbers = [0, 1, 2, 3, "…", 38, 39, 40, 41, 42, 43, 44, 45];
  assert.equal(
    messages[1]?.text,
    numbers.map((number) => (number === "…" ? number : `line ${number} has some words`)).join("\n"),
  );
});

test("a cleared screen begins another conversation, and keeps the one before", () => {
  const [welcome, asked] = [["Welcome to this agent"], ["❯ question", "", "● answer"]];
  const messages = played([welcome, [...welcome, ...asked], [...welcome, "❯ other question"]]);
  assert.deepEqual(brief(messages), [
    "welcome: Welcome to this agent",
    "user: question",
    "assistant: answer",
    "conversation-start: test",
    "welcome: Welcome to this agent",
    "user: other question",
  ]);
});

test("behind a clear command nothing that was said before is taken for what is shown", () => {
  const log = new MessageLog();
  let conversation = new Conversation(builtInAgents.chatOf("test", ""), log, 0);
  const turns = ["❯ question", "", "● {1}Bash{0}(ls)"];
  conversation.frame(frame(turns, 1), []);
  conversation.typed("/clear", { offset: 2, timeUs: 2e6 });
  conversation.frame(frame(turns, 3), []);
  conversation = new Conversation(conversation.rules, log, JSON.parse(JSON.stringify(conversation.save())));
  conversation.frame(frame([], 4), []);
  conversation.typed("question", { offset: 5, timeUs: 5e6 });
  conversation.frame(frame(turns, 5), []);
  assert.deepEqual(brief(log.take()), [
    "user: question",
    "tool-call: Bash(ls)",
    "command: /clear",
    "conversation-start: test",
    "user: question",
    "tool-call: Bash(ls)",
  ]);
});

test("a very long message keeps all its text, and the state is bounded", () => {
  const lines = Array.from({ length: 2000 }, (_, index) => `● `.slice(index === 0 ? 0 : 2) + `line number ${index}`);
  const screens = [["❯ count"]];
  for (let end = 20; end <= lines.length; end += 20) screens.push(lines.slice(Math.max(0, end - 30), end));
  const log = new MessageLog();
  const conversation = new Conversation(builtInAgents.chatOf("test", ""), log, 0);
  for (const [index, rows] of screens.entries()) conversation.frame(frame(rows, index + 1, 34), []);
  const answer = log.take().findLast(({ role }) => role === "assistant");
  assert.equal(answer?.text.split("\n").length, 2000);
  assert.ok(conversation.save().transcript.rows.length <= 600);
});

test("a message that an accident of drawing took away is known again where its turn is printed anew", () => {
  const first = ["❯ first question", "", "● first answer to it"];
  const second = ["❯ second question that is asked", "", "● second answer to that"];
  const third = [...second, "", "❯ third question"];
  const without = ["❯ first question", ""];
  const screens = [first, first, [...without, ...second], [...without, ...third], [...first, "", ...third]];
  assert.deepEqual(brief(played(screens)), [
    "user: first question",
    "assistant: first answer to it",
    "user: second question that is asked",
    "assistant: second answer to that",
    "user: third question",
  ]);
});

test("a welcome that is drawn in parts and again is one", () => {
  const screens = [
    ["Agent v1"],
    ["╭ Agent v1 ╮", "loading"],
    ["Another head", "of the agent"],
    ["Another head", "", "❯ asked"],
  ];
  const told = brief(played(screens).filter(({ text }) => text !== ""));
  assert.deepEqual(
    told.map((text) => text.split(":")[0]),
    ["welcome", "user"],
  );
});

test("an answer stays when prompts are answered at once, and one like it is drawn behind rows that were not seen", () => {
  const block = ["  line 0 of the code", "  line 1 of the code", "  line 2 of the code"];
  const messages = played([
    ["❯ first question", "", "● the answer follows", ...block, "  that is all"],
    [...block, "  that is all", "", "❯ second question", "", "● ok"],
    [
      "  that is all",
      "",
      "❯ second question",
      "",
      "● ok",
      "",
      "❯ third question",
      "",
      "● the answer follows",
      block[0]!,
    ],
    ["❯ fourth question", "", "● the answer follows", ...block, "  that was all"],
  ]);
  assert.equal(
    messages[1]?.text,
    "the answer follows\nline 0 of the code\nline 1 of the code\nline 2 of the code\nthat is all",
  );
});

test("a result below a new prompt is not one from before it", () => {
  const rows = ["  row one of the answer", "  row two of the answer"];
  const messages = played([
    ["❯ first question", "", "● an answer", ...rows],
    [...rows, "", "❯ second question", "", "● {1}Bash{0}(ls)", "  ⎿ 3 passed"],
    [...rows, "", "❯ third question", "", "● {1}Bash{0}(pwd)", "  ⎿ 3 passed, 1 failed", "", "● yes"],
  ]);
  const texts = messages.filter(({ text }) => text !== "").map(({ text }) => text);
  assert.deepEqual(texts.slice(-4), ["third question", "Bash(pwd)", "3 passed, 1 failed", "yes"]);
});
