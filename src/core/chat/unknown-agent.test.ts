import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInAgents } from "../agents/built-in-agents.ts";
import { drawn } from "../agents/drawn-frame.test.ts";
import { UnknownAgent } from "./chat-fold.ts";

const rules = builtInAgents.chatOf("newcomer", "");
const box = ["────────────────", "❯ ", "────────────────"];
const isShown = (agent: UnknownAgent, ...rows: readonly string[]): boolean => agent.isShown(drawn(rows), rules);

test("what was typed stands above an input box behind the mark of a prompt", () => {
  const agent = new UnknownAgent();
  agent.typed([{ text: "fix the tests", isKnown: true }]);
  const restored = new UnknownAgent(JSON.parse(JSON.stringify(agent.save())));
  assert.equal(isShown(restored, "> fix the tests", "", "● Done", ...box), true);
  restored.reset();
  assert.equal(isShown(restored, "> fix the tests", "", "● Done", ...box), false);
});

test("an editor, a shell in a multiplexer and a box in which something is typed are not agents", () => {
  const agent = new UnknownAgent();
  agent.typed([
    { text: "fix the tests", isKnown: true },
    { text: ":q", isKnown: true },
  ]);
  assert.equal(isShown(agent, "> fix the tests", "other text", "~", "~", "mail.txt 1,1"), false);
  assert.equal(isShown(agent, "❯ fix the tests", "fix: not found", "❯ "), false);
  assert.equal(isShown(agent, "Welcome", box[0] ?? "", "❯ fix the tests", box[2] ?? ""), false);
  assert.equal(isShown(agent, "> another prompt", "", ...box), false);
});
