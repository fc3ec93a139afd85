import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInAgents } from "../built-in-agents.ts";
import { drawn, readings } from "../drawn-frame.test.ts";

const copilot = builtInAgents.chatOf("copilot", "");

/** With a scrollbar in the last column. */
const scrolled = (row: string): string => `${row}${" ".repeat(39 - row.replaceAll(/\{\d*\}/g, "").length)}┃`;
const conversation = [
  " [Current]  Sessions   Issues",
  "",
  scrolled(" ❯ a question                    08:50 "),
  "",
  scrolled(" {94}●{0} An {1}answer{0}"),
  scrolled("   goes on"),
  "",
  scrolled(" {33}${0} {1}Shell{0} Lists files 1 line…     5s "),
  scrolled("   ls out"),
  "",
];
const read = [
  "",
  "+ user: a question",
  "",
  "+ assistant: An answer",
  "... goes on",
  "",
  "+ tool-call: Shell Lists files",
  "... ls out",
];
const edge = "─".repeat(40);

test("Copilot's colours tell an answer from a call, below its tabs and above its folder and its box", () => {
  const screen = (footer: string) => drawn([...conversation, " ~/work", edge, "❯ ", edge, footer], { lines: 16 });
  assert.deepEqual(readings(copilot, screen(" / commands · ? help")), read);
  assert.equal(copilot.window(screen(" / commands · ? help"))?.isBusy, false);
  assert.equal(copilot.window(screen(" {94}●{0}  Working esc esc interrupt"))?.isBusy, true);
});

test("a dialog of Copilot takes the place of its box", () => {
  const dialog = [`╭${"─".repeat(38)}╮`, "│ ls out", "│ Do you want to run this command?", "│ ❯ 1. Yes", "│   2. No"];
  assert.deepEqual(readings(copilot, drawn([...conversation, ...dialog], { lines: 16 })), read);
});

test("with true colours Copilot's box and prompts are shaded, and its blue is another", () => {
  const shade = (text: string) => ` {48;2;20;27;34}${text.padEnd(37)}{0} `;
  const screen = drawn(
    [
      "  Current   Sessions   Issues",
      "{38;2;20;27;34} ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄{0}",
      shade(" ❯ a question              08:50"),
      shade("   of two rows"),
      " ▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀",
      " {38;2;68;147;248}●{0} An answer",
      "",
      " {38;2;59;120;255}●{0} Started a fresh session. Execution mode",
      " {38;2;248;81;73}✗{0} {1}Shell{0} Lists files Failed with exit code 3",
      "   ls out",
      "",
      " ~/work",
      "╻▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄",
      "┃ more",
      "╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀",
      " / commands · ? help",
    ],
    { columns: 50, lines: 16 },
  );
  assert.deepEqual(readings(copilot, screen), [
    "",
    "+ user: a question",
    "user: of two rows",
    "",
    "+ assistant: An answer",
    "",
    "notice: ",
    "+ tool-call: Shell Lists files Failed with exit code 3",
    "... ls out",
  ]);
});
