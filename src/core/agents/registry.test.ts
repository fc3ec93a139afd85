import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf } from "../../../test/frames.ts";
import { findInputBox } from "./input-box.ts";
import { builtInAgents } from "./built-in-agents.ts";

test("names are unique, and each profile is found by its own", () => {
  assert.equal(new Set(builtInAgents.agents.map(({ name }) => name)).size, builtInAgents.agents.length);
  for (const profile of builtInAgents.agents) assert.equal(builtInAgents.named(profile.name), profile);
  assert.equal(builtInAgents.named(null), undefined);
  assert.equal(builtInAgents.named("emacs"), undefined);
});

test("each command belongs to one agent and opens its conversation", () => {
  for (const { name, commands, packages } of builtInAgents.agents) {
    for (const command of commands) assert.equal(builtInAgents.ofArguments(command.split(" ")), name);
    for (const command of packages) assert.equal(builtInAgents.ofArguments(["npx", command]), name);
  }
});

const rule = "─".repeat(80);
const screens: Record<string, string> = {
  claude: `● hi\n${rule}\n❯ \n${rule}\n  ⏸ manual mode on · ? for shortcuts`,
  codex: "• hi\n\n\n› Ask Codex to do anything\n\n  scripted-1 default · ~/proj",
  gemini: `✦ hi\n${"▄".repeat(80)}\n >   Type your message\n${"▀".repeat(80)}\n workspace (/directory)   sandbox`,
  opencode: `     hi\n  ┃\n  ┃  Build · Model\n  ╹${"▀".repeat(70)}\n   ~/proj   ctrl+p commands`,
  pi: ` hi\n${rule}\n\n${rule}\n~/proj\n0.0%/200k (auto)`,
  copilot: `● hi\n${rule}\n❯ \n${rule}\n @ files   / commands`,
  qwen: `  ◐ hi\n${rule}\n>   Type your message\n${rule}\n  Enter to steer`,
  cline: ` * hi\n${rule}\n❯ Ask anything...\n${rule}\n model (0) $0.00    ○ Plan ● Act (Tab)`,
};

for (const [agent, screen] of Object.entries(screens)) {
  test(`${agent} is recognised by its input box`, () => {
    assert.equal(builtInAgents.onScreen(frameOf(screen, { isAlternate: true, isCursorHidden: true }))?.agent, agent);
  });
}

test("opencode's box is found in the middle of a high screen, before the first prompt", () => {
  const screen = `${"\n".repeat(14)}  ┃\n  ┃  Ask anything…\n  ┃\n  ╹${"▀".repeat(70)}\n${"\n".repeat(20)}  ~/work  1.18.33`;
  const { lines } = frameOf(screen, { isAlternate: true, rows: 60 });
  assert.equal(findInputBox(lines, builtInAgents.named("opencode")?.boxes ?? [])?.bottom, 17);
});
