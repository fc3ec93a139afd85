import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf } from "../../../test/frames.ts";
import { builtInAgents } from "../agents/built-in-agents.ts";
import { readDialog } from "./dialog.ts";

const read = (text: string, agent: string) => {
  const context = { profile: builtInAgents.named(agent), verdict: null, prompt: null, isAtShellPrompt: false };
  const dialog = readDialog(frameOf(text, { isCursorHidden: true, rows: 30 }), context);
  return dialog === null ? null : [dialog.tool, dialog.command, dialog.change, dialog.reason];
};
const rule = "─".repeat(80);
const dashes = "╌".repeat(80);
const options = " ❯ 1. Yes\n   2. No\n\n Esc to cancel";

test("the frame holds what is to be done, the title the tool and the reason; an advertisement is dropped", () => {
  const tip = ' Tip: auto mode handles these prompts for you — choose "switch to auto mode"\n below';
  const text = `${rule}\n Bash command\n${tip}\n Removes both\n${dashes}\n rm -rf ./a\n rm -rf ./b\n${dashes}\n Do you want to proceed?\n${options}`;
  assert.deepEqual(read(text, "claude"), ["Bash command", "rm -rf ./a\nrm -rf ./b", null, "Removes both"]);
  const file = `${rule}\n Create file\n note.md\n${dashes}\n 1 # A note\n${dashes}\n Do you want to create note.md?\n${options}`;
  assert.deepEqual(read(file, "claude"), ["Create file", null, "note.md\n1 # A note", null]);
});

test("a command behind its mark has all of its lines", () => {
  const text =
    "  Would you like to run the following command?\n\n  Reason: It is outside\n\n  $ touch a\n\n  touch b\n\n\n› 1. Yes, proceed (y)\n  2. No (esc)\n\n  Press enter to confirm or esc to cancel";
  assert.deepEqual(read(text, "codex"), [null, "touch a\n\ntouch b", null, "It is outside"]);
});
