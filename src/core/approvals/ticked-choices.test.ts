import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf } from "../../../test/frames.ts";
import { Observed } from "../../../test/observed.ts";
import type { Step } from "../observe/step.ts";
import { ApprovalFold } from "./approval-fold.ts";

const choices = (red: string, marked: number): string =>
  `${"─".repeat(80)}\n☐ Colours\n\nWhich colours should it have?\n\n${[`1. [${red}] Red`, "2. [ ] Blue", "   Submit"]
    .map((row, index) => `${index + 1 === marked ? "❯" : " "} ${row}`)
    .join("\n")}\n\nEnter to select · Esc to cancel`;
const shown = (text: string, milliseconds: number): Step => ({
  type: "frame",
  frame: { ...frameOf(text, { isCursorHidden: true, timeUs: milliseconds * 1000 }), offset: milliseconds },
});
const enter = (milliseconds: number): Step => ({
  type: "input",
  bytes: new Uint8Array([0x0d]),
  isSecret: false,
  offset: milliseconds,
  timeUs: milliseconds * 1000,
});

test("a tick is a change of the same question, and only what submits the choices answers it", () => {
  const fold = new Observed(new ApprovalFold());
  const steps: readonly Step[] = [
    { type: "start", command: ["claude"], offset: 0, timeUs: 0 },
    shown(choices(" ", 1), 100),
    enter(900),
    shown(choices("✔", 1), 950),
    shown(choices("✔", 3), 1000),
    enter(1100),
    shown("● Red it is.", 1150),
  ];
  const seen = steps
    .flatMap((step) => fold.step(step))
    .map(({ answer, id, options, state }) => [id, state, options[0]?.checked, answer?.option]);
  assert.deepEqual(seen, [
    ["a100", "open", false, undefined],
    ["a100", "open", true, undefined],
    ["a100", "open", true, undefined],
    ["a100", "answered", true, "submit"],
  ]);
});

test("half of a dialog that is drawn again is the same question, and what stays in its place is another one", () => {
  const fold = new Observed(new ApprovalFold());
  const list = "Which one?\n\n❯ apple\n  pear\n\n↑↓ navigate • ⏎ select";
  const seen = [
    { type: "foreground", verdict: "raw", program: "ask", offset: 0, timeUs: 0 } as const,
    shown(list, 100),
    shown("Which one?", 900),
    shown(list.replace("❯ apple", "  apple").replace("  pear", "❯ pear"), 950),
    shown("Which one?", 2000),
    { type: "tick", timeUs: 4_000_000 } as const,
  ]
    .flatMap((step) => fold.step(step))
    .map(({ id, options, selected, state }) => [id, state, selected, options.length]);
  assert.deepEqual(seen, [
    ["a100", "open", "1", 2],
    ["a100", "open", "2", 2],
    ["a100", "gone", "2", 2],
    ["a2000", "hint", null, 0],
  ]);
});

test("a hint beside the marked choice changes nothing, and a key that submitted nothing is no answer to what comes later", () => {
  const fold = new Observed(new ApprovalFold());
  const tools = (marked: number): string =>
    `◆  Which tools?\n${["ESLint", "Prettier"]
      .map((name, index) => (index === marked ? `› ◻ ${name} (hint)` : `  ◻ ${name}`))
      .join("\n")}\n\nSpace: select • Enter: confirm`;
  const seen = [
    { type: "foreground", verdict: "raw", program: "ask", offset: 0, timeUs: 0 } as const,
    shown(tools(0), 100),
    enter(1000),
    shown(tools(0), 1010),
    shown(tools(1), 5000),
    shown("Bye", 6000),
    { type: "tick", timeUs: 8_000_000 } as const,
  ]
    .flatMap((step) => fold.step(step))
    .map(({ id, options, selected, state }) => [id, state, selected, ...options.map(({ label }) => label).slice(0, 2)]);
  assert.deepEqual(seen, [
    ["a100", "open", "1", "ESLint (hint)", "Prettier"],
    ["a100", "open", "2", "ESLint (hint)", "Prettier"],
    ["a100", "gone", "2", "ESLint (hint)", "Prettier"],
    ["a6000", "hint", null],
  ]);
});
