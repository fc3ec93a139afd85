import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInAgents } from "../agents/built-in-agents.ts";
import type { Block } from "./blocks.ts";
import { MessageLog } from "./message-log.ts";
import { squash } from "../text/squash.ts";
import { isSimilar, MessageMatcher, type LiveMessage } from "./message-matcher.ts";

const block = (role: Block["role"], text: string, start: number): Block => ({
  role,
  text,
  start,
  end: start + 1,
  isSummary: false,
  isIncomplete: false,
});

/** Messages as they stand in rows 0, 10, 20, ... and who finds them again. */
function shown(
  ...messages: readonly (readonly [role: "user" | "assistant" | "tool-call" | "welcome", text: string])[]
) {
  const log = new MessageLog();
  const live = messages.map(([role, text], index): LiveMessage => {
    const id = log.say({ id: null, role, agent: "claude", text }, { offset: index, timeUs: 0 });
    return { id, start: index * 10, isSummary: false, head: "", isCut: false, seenUs: 0 };
  });
  const matcher = new MessageMatcher(builtInAgents.chatOf("claude", ""), log);
  return { live, matcher };
}

test("a message is found where it stood, and by how it begins where it stands elsewhere", () => {
  const { live, matcher } = shown(["assistant", "It is seven o'clock"], ["assistant", "Shall we go on?"]);
  const [first] = live;
  assert.ok(first);
  assert.equal(matcher.isSame(first, block("assistant", "Another text", 0)), true);
  assert.equal(matcher.isSame(first, block("assistant", "It is seven\no'clock in Rome", 40)), true);
  assert.equal(matcher.isSame(first, block("assistant", "Another text", 40)), false);
  assert.equal(matcher.isSame(first, block("user", "It is seven o'clock", 0)), false);
  const again = block("assistant", "Shall we go on?", 40);
  assert.equal(matcher.indexOf(live, again, [again]), 1);
});

test("of several calls the one with the same input is it, and none where that one is shown by itself", () => {
  const { live, matcher } = shown(
    ["tool-call", "Bash(ls -a /one/very/long/path)"],
    ["tool-call", "Bash(ls -a /one/very/long/road)"],
  );
  const [path, road] = [
    block("tool-call", "Bash(ls -a /one/very/long/path)", 30),
    block("tool-call", "Bash(ls -a /one/very/long/road)", 40),
  ];
  assert.equal(matcher.indexOf(live, road, [path, road]), 1);
  assert.equal(matcher.indexOf(live.slice(0, 1), road, [path, road]), -1);
  assert.equal(matcher.indexOf(live.slice(0, 1), road, [road]), 0);
});

test("a summary becomes the first call that is shown in its place, also if another summary follows", () => {
  const { live, matcher } = shown(["tool-call", "~ Writing command…"]);
  const blocks = [block("tool-call", "$ ls", 0), block("tool-call", "~ Writing command…", 2)];
  const summary = live.map((each) => ({ ...each, isSummary: true }));
  assert.equal(matcher.indexOf(summary, blocks[0]!, blocks), 0);
});

test("all that welcomes is one welcome", () => {
  const { live, matcher } = shown(["welcome", "Welcome back"]);
  assert.equal(matcher.isSame(live[0]!, block("welcome", "Tips for getting started", 5)), true);
});

test("a message is shown in a block that begins with all of it", () => {
  const { live, matcher } = shown(["assistant", "One two"]);
  const [said] = live;
  assert.ok(said);
  assert.equal(matcher.isShown(said, block("assistant", "One\ntwo three", 30)), true);
  assert.equal(matcher.isShown(said, block("assistant", "One three", 30)), false);
  assert.equal(matcher.isShowing(said.id, "assistant", squash("One two")), true);
  assert.equal(matcher.isShowing(said.id, "user", squash("One two")), false);
});

test("texts are similar where one begins as the other does", () => {
  assert.equal(isSimilar("The answer", "The answer is longer now"), true);
  assert.equal(isSimilar("The answer is that A", "The answer is that B"), true);
  assert.equal(isSimilar("Yes", "No"), false);
});
