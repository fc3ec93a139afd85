/** Recordings that were read wrong once, each with what is right in them. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { builtInAgents } from "../src/core/agents/built-in-agents.ts";
import { findInputBox } from "../src/core/agents/input-box.ts";
import type { Approval } from "../src/core/dialogs/approval.ts";
import { castSteps, readCast } from "./chat-replay.ts";
import { messagesIn, replay } from "./session-replay.ts";

const castOf = (name: string) => readCast(join(import.meta.dirname, "fixtures", "recordings", `${name}.cast.gz`));

const approvalsOf = (name: string, agent: string): Approval[] =>
  replay(castOf(name), { command: [agent] }).flatMap((change) => (change.kind === "approval" ? [change.approval] : []));

test("pi with a background that was never seen: prompts are prompts, and answers are answers", () => {
  const messages = messagesIn(replay(castOf("pi-first-turns-100x32"), { command: ["pi"] }));
  const roles = messages.map(({ role }) => role);
  assert.deepEqual(
    [roles.filter((role) => role === "user").length, roles.filter((role) => role === "assistant").length],
    [9, 9],
  );
  assert.deepEqual(
    // One that is withdrawn has no text.
    messages.filter(({ role, text }) => role === "tool-result" && text !== "").map(({ text }) => text),
    ["alpha-C02\nbeta-C02\ngamma-C02"],
  );
});

test("a footer that Gemini leaves below its box is no part of the box", () => {
  const rules = builtInAgents.named("gemini")?.boxes ?? [];
  let boxes = 0;
  for (const step of castSteps(castOf("gemini-stale-footer-100x32"))) {
    const box = step.type === "frame" ? findInputBox(step.frame.lines, rules) : null;
    if (step.type !== "frame" || box === null) continue;
    boxes += 1;
    for (const { text } of step.frame.lines.slice(box.first, box.last + 1)) assert.doesNotMatch(text, /[▀▄]/);
  }
  assert.ok(boxes > 50);
});

test("Gemini's question whether a folder is trusted, which is indented, is a question", () => {
  const [approval] = approvalsOf("gemini-trust-dialog-100x32", "gemini");
  assert.equal(approval?.question, "Do you trust the files in this folder?");
  assert.deepEqual(
    approval.options.map(({ effect }) => effect),
    ["allow", "allow", "deny"],
  );
});

test("Claude's question of several choices can be submitted", () => {
  const asked = approvalsOf("claude-multi-select-60x20", "claude").filter(({ question }) =>
    question.includes("features shall"),
  );
  assert.ok(asked.length > 0);
  for (const { options } of asked) assert.ok(options.some(({ label }) => label === "Submit"));
});

test("an agent on a busy machine that shows no sign of work is not taken to have answered", () => {
  const states = replay(castOf("opencode-slow-start-100x32"), { command: ["opencode"] }).flatMap((change) =>
    change.kind === "status" && change.timeUs >= 93_090_000 ? [change.status.state] : [],
  );
  assert.deepEqual([...new Set(states)], ["working", "unknown"]);
});
