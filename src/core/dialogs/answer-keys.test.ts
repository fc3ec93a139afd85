import assert from "node:assert/strict";
import { test } from "node:test";
import { Observed } from "../../../test/observed.ts";
import { frameOf } from "../../../test/frames.ts";
import { builtInAgents } from "../agents/built-in-agents.ts";
import { keysFor } from "./answer-keys.ts";
import type { Approval } from "./approval.ts";
import { ApprovalFold } from "../approvals/approval-fold.ts";

const context = (agent: string | null) => ({
  profile: builtInAgents.named(agent),
  verdict: null,
  prompt: null,
  isAtShellPrompt: false,
});
const openOn = (text: string, agent: string): Approval => {
  const fold = new Observed(new ApprovalFold());
  fold.step({ type: "start", command: [agent], offset: 0, timeUs: 0 });
  const [approval] = fold.step({ type: "frame", frame: frameOf(text, { isCursorHidden: true }) });
  if (approval === undefined) throw new Error("No approval");
  return approval;
};
const codexList = (marked: number): string =>
  `  Would you like to run the following command?\n\n  $ ls\n\n${["Yes, proceed (y)", "Always (p)", "No (esc)"]
    .map((label, index) => `${index + 1 === marked ? "›" : " "} ${index + 1}. ${label}`)
    .join("\n")}\n\n  Press enter to confirm or esc to cancel`;
const press = (approval: Approval, option: string, text: string, agent = "codex") =>
  keysFor(approval, option, { frame: frameOf(text, { isCursorHidden: true }), context: context(agent) });

test("the mark is moved step by step, and Enter comes only when it stands right", () => {
  const approval = openOn(codexList(1), "codex");
  assert.deepEqual(press(approval, "3", codexList(1)), { keys: ["Down"], isComplete: false });
  assert.deepEqual(press(approval, "3", codexList(2)), { keys: ["Down"], isComplete: false });
  assert.deepEqual(press(approval, "3", codexList(3)), { keys: ["Enter"], isComplete: true });
  assert.deepEqual(press(approval, "1", codexList(2)), { keys: ["Up"], isComplete: false });
});

test("another dialog, none, or an option that is not there gets no keys", () => {
  const approval = openOn(codexList(1), "codex");
  assert.equal(press(approval, "1", codexList(1).replace("$ ls", "$ rm -rf /")), null);
  assert.equal(press(approval, "1", "• Done.\n\n› Ask Codex to do anything\n\n  ? for shortcuts"), null);
  assert.equal(press(approval, "9", codexList(1)), null);
});

test("a folded dialog is still the one that was read, and a list that was cut is left by Escape or scrolled", () => {
  const approval = openOn(codexList(1), "codex");
  const cut =
    "  Would you like to run the following command?\n\n  [… 9 lines] ^a view all\n› 1. Yes, proceed (y)\n  2. Always (p)\n  Press enter to confirm or esc to cancel";
  assert.deepEqual(press(approval, "3", cut), { keys: ["Escape"], isComplete: true });
  assert.deepEqual(press(approval, "2", cut), { keys: ["Down"], isComplete: false });
  assert.deepEqual(press(approval, "3", cut.replace(" or esc to cancel", "")), { keys: ["Down"], isComplete: false });
});

test("buttons with keys are pressed by their keys", () => {
  const text = "Approve tool call?\nrun_commands\n\n  $ ls\n [y] Approve   [n] Deny";
  assert.deepEqual(press(openOn(text, "cline"), "n", text, "cline"), { keys: ["n"], isComplete: true });
});

test("a line is answered with its word and Enter", () => {
  const text = "Remove all? (yes/no) |";
  const fold = new Observed(new ApprovalFold());
  fold.step({ type: "foreground", verdict: "prompt", program: "ask", offset: 0, timeUs: 0 });
  const [approval] = fold.step({ type: "frame", frame: frameOf(text) });
  assert.ok(approval);
  const reading = { ...context(null), verdict: "prompt" } as const;
  assert.deepEqual(keysFor(approval, "yes", { frame: frameOf(text), context: reading }), {
    keys: ["y", "e", "s", "Enter"],
    isComplete: true,
  });
});

const boxes = (marked: number, ticks: string, isDisabled = false): string =>
  `? Which toppings?\n${["ham", "cheese", "olives"]
    .map((label, index) => {
      const pointer = index + 1 === marked ? "❯" : " ";
      return isDisabled && index === 1
        ? `${pointer}- ${label} (disabled)`
        : `${pointer}${ticks[index] === "x" ? "◉" : "◯"} ${label}`;
    })
    .join("\n")}\n\n↑↓ navigate • space select • ⏎ submit`;
const foreign = { ...context(null), verdict: "raw" } as const;
const choose = (option: string, now: string, asked = boxes(1, "   ")) => {
  const fold = new Observed(new ApprovalFold());
  fold.step({ type: "foreground", verdict: "raw", program: "node", offset: 0, timeUs: 0 });
  const [approval] = fold.step({ type: "frame", frame: frameOf(asked, { isCursorHidden: true }) });
  assert.ok(approval);
  return keysFor(approval, option, { frame: frameOf(now, { isCursorHidden: true }), context: foreign });
};

test("a choice is ticked with Space when the mark is at it, and only the option that submits presses Enter", () => {
  assert.deepEqual(choose("2", boxes(1, "   ")), { keys: ["Down"], isComplete: false });
  assert.deepEqual(choose("2", boxes(2, "   ")), { keys: ["Space"], isComplete: true });
  assert.deepEqual(choose("submit", boxes(3, " x "), boxes(1, " x ")), { keys: ["Enter"], isComplete: true });
  // Somebody has ticked one since it was asked.
  assert.equal(choose("submit", boxes(3, " x ")), null);
});

test("a mark on a row that cannot be chosen goes on in the same direction", () => {
  const asked = boxes(1, "   ", true);
  assert.deepEqual(choose("2", boxes(2, "   ", true), asked), { keys: ["Down"], isComplete: false });
  assert.deepEqual(choose("1", boxes(2, "   ", true), asked), { keys: ["Up"], isComplete: false });
});
