import assert from "node:assert/strict";
import { test } from "node:test";
import { noSubject } from "../dialogs/approval.ts";
import { frameOf } from "../../../test/frames.ts";
import { builtInAgents } from "../agents/built-in-agents.ts";
import { ScreenFacts } from "../observe/screen-facts.ts";
import { agentScreenSignal, approvalSignal, promptSignal } from "./screen-signal.ts";

const rule = "─".repeat(80);
const read = (agent: string, text: string): string | null => {
  const profile = builtInAgents.named(agent);
  const screen = new ScreenFacts(frameOf(text, { isCursorHidden: true }), {
    profile,
    verdict: null,
    prompt: null,
    isAtShellPrompt: false,
  });
  const signal = profile === undefined ? null : agentScreenSignal(screen, profile);
  return signal === null ? null : `${signal.says} ${signal.rule}`;
};

const screenOf = (text: string) =>
  new ScreenFacts(frameOf(text), { profile: undefined, verdict: null, prompt: null, isAtShellPrompt: false });

const screens: readonly (readonly [agent: string, text: string, says: string | null])[] = [
  ["claude", `● hi\n${rule}\n❯ \n${rule}\n  ⏸ manual mode on · esc to interrupt`, "working"],
  ["claude", `● press esc to interrupt\n\n${rule}\n❯ \n${rule}\n  ⏸ manual mode on · ? for shortcuts`, "waiting"],
  ["claude", `✢ Scampering…\n${rule}\n❯ \n${rule}\n  ⏸ manual mode on`, "working"],
  ["claude", "  esc to interrupt\n\n● half a screen", null],
  ["codex", "• Working (3s • esc to interrupt)\n\n› Ask Codex to do anything\n\n  ? for shortcuts", "working"],
  ["codex", "• I am (always esc to interrupt) here.\n\n  more text\n\n› x\n\n  ? for shortcuts", "working"],
  ["codex", "• text\n\n› Ask Codex to do anything\n\n  ? for shortcuts", "waiting"],
  [
    "gemini",
    ` ⠹ Thinking... (esc to cancel, 0s)\n${"▄".repeat(80)}\n >   Type\n${"▀".repeat(80)}\n workspace (/directory)`,
    "working",
  ],
  [
    "qwen",
    `  ⠙ A joke that is so long that it\n  wraps (0s · esc to cancel)\n${rule}\n>   Type\n${rule}\n  Ask permissions`,
    "working",
  ],
  ["qwen", `  ◆ done\n${rule}\n>   Type\n${rule}\n  Ask permissions`, "waiting"],
  [
    "gemini",
    " > done\n\n✦ is said\n\n─────────────\n Shift+Tab to accept edits\n\n >   Type\n\n workspace (/directory)   sandbox\n ~/work",
    "waiting",
  ],
  ["pi", `hi\n${rule}\n\n${rule}\n~/proj\n0.0%/1.0M (auto)`, "waiting"],
  ["pi", `hi\n── ⠸ Working ${"─".repeat(60)}\n\n${rule}\n~/proj\n0.0%/200k (auto)`, "working"],
  ["cline", ` ⠸ What a text\n   goes on\n${rule}\n❯ Ask anything...\n${rule}\n m (0) ○ Plan ● Act (Tab)`, "working"],
  [
    "cline",
    ` * What a text ⠸\n   ⠸ goes on\n${rule}\n❯ Ask anything...\n${rule}\n m (0) ○ Plan ● Act (Tab)`,
    "waiting",
  ],
  ["opencode", `  ┃\n  ┃  Build\n  ╹${"▀".repeat(70)}\n   ■■⬝⬝⬝⬝⬝⬝  esc interrupt   ctrl+p commands`, "working"],
  ["opencode", " BUILD  ■■■■■⬝⬝⬝ esc interrupt             ctrl+p cmd", "working"],
  ["opencode", " BUILD                      1.2K (1%) · ctrl+p cmd", "waiting"],
];

for (const [agent, text, says] of screens) {
  test(`${agent} at "${text.split("\n").at(0)?.trim().slice(0, 40)}" is ${says ?? "not read"}`, () => {
    assert.equal(read(agent, text)?.split(" ")[0] ?? null, says);
  });
}

test("the evidence names the rule and its version", () => {
  const profile = builtInAgents.named("pi");
  assert.match(read("pi", `${rule}\n\n${rule}\n~/proj\n0.0%/200k (auto)`) ?? "", new RegExp(`pi@${profile?.version}$`));
});

test("a prompt that was seen before is known again, also while a line is typed", () => {
  assert.equal(promptSignal(screenOf("out\n>>> |"), ">>> ")?.says, "waiting");
  assert.equal(promptSignal(screenOf(">>> 1+1|"), ">>> ")?.says, "waiting");
  assert.equal(promptSignal(screenOf("out >>> |"), ">>> "), null);
  assert.equal(promptSignal(screenOf(">>> |"), null), null);
  assert.equal(promptSignal(screenOf("|x"), " "), null);
});

test("an approval blocks, on the screen or on the wire", () => {
  const approval = {
    id: "w1",
    source: "wire",
    kind: "permission",
    agent: null,
    question: "Run rm?",
    details: "",
    options: [],
    ...noSubject,
    selected: null,
    isComplete: true,
    whyHint: null,
    offset: 3,
    timeUs: 4,
    state: "open",
    answer: null,
  } as const;
  const signal = approvalSignal(approval);
  assert.deepEqual([signal.kind, signal.says, signal.text], ["wire", "blocked", "Run rm?"]);
});
