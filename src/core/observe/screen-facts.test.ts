import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf } from "../../../test/frames.ts";
import { builtInAgents } from "../agents/built-in-agents.ts";
import { ScreenFacts } from "./screen-facts.ts";

const rule = "─".repeat(80);
const box = `● hi\n${rule}\n❯ \n${rule}\n  ? for shortcuts`;
const facts = (text: string, agent: string | null) =>
  new ScreenFacts(frameOf(text), {
    profile: builtInAgents.named(agent),
    verdict: null,
    prompt: null,
    isAtShellPrompt: false,
  });

test("the box is that of the agent in the foreground", () => {
  assert.deepEqual([facts(box, "claude").box?.first, facts(box, null).box], [2, null]);
});

test("a dialog and the cursor's line are read from the same frame", () => {
  const asked = facts("Proceed? [y/N] |", null);
  assert.deepEqual([asked.cursorLine.before, asked.dialog?.question], ["Proceed? [y/N] ", "Proceed? [y/N]"]);
  assert.equal(asked.dialog, asked.dialog);
});
