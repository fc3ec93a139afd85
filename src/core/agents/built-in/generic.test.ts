import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInAgents } from "../built-in-agents.ts";
import { drawn, readings } from "../drawn-frame.test.ts";

const generic = builtInAgents.chatOf("other", "");

test("marks that most agents share tell who speaks", () => {
  const rows = [
    "Welcome",
    "> a question",
    "● An answer",
    "  goes on",
    "● {1}Read{0}(a.txt)",
    "  ⎿ 3 lines",
    "{31}Error: failed",
    "⠏ Thinking...",
    "╭──────────────╮",
    "│ > typed      │",
    "╰──────────────╯",
  ];
  const frame = drawn(rows);
  const profile = generic;
  assert.deepEqual(readings(profile, frame), [
    "assistant: Welcome",
    "+ user: a question",
    "+ assistant: An answer",
    "assistant: goes on",
    "+ tool-call: Read(a.txt)",
    "+ tool-result: 3 lines",
    "+ error: Error: failed",
  ]);
  assert.equal(profile.window(frame)?.isBusy, true);
});

test("a line editor at the end is no part of what was said", () => {
  assert.deepEqual(readings(generic, drawn(["An answer", "other> typed"])), ["assistant: An answer"]);
});
