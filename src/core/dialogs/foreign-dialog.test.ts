import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { frameOf, type FrameOptions } from "../../../test/frames.ts";
import type { ForegroundVerdict } from "../records.ts";
import { labelOf } from "./choices.ts";
import { readDialog } from "./dialog.ts";

const recorded = JSON.parse(
  readFileSync(new URL("../../../test/fixtures/dialogs/libraries.json", import.meta.url), "utf8"),
) as Record<string, string>;

function brief(text: string, options: FrameOptions & { verdict?: ForegroundVerdict } = {}): string | null {
  const { verdict = "raw", ...frame } = options;
  // "\n" of a pty is "\r\n" already.
  const shown = frameOf(text.replaceAll("\r\n", "\n"), frame);
  const dialog = readDialog(shown, { profile: undefined, verdict, prompt: null, isAtShellPrompt: false });
  if (dialog === null) return null;
  const words = dialog.options.map(
    (option) => `${option.id === dialog.selected ? "*" : ""}${option.id} ${labelOf(option)}`,
  );
  return `${dialog.layout}${dialog.isComplete ? "" : ", cut"}: ${dialog.question}: ${words.join(", ")}`;
}

const keyReader = "unknown: (it takes keys, and shows no question that is known)";
const read: Readonly<Record<string, string>> = {
  "inq-select": "list: Select a package manager: *1 npm, 2 pnpm, 3 yarn",
  "inq-search": "list: Select a country: *1 France, 2 Finland, 3 Fiji",
  "inq-confirm": "line: ? Delete the database? (y/N): y y, *n N",
  "prompts-select": "list: Pick a color: *1 Red, 2 Green",
  "prompts-confirm": "keys: Can you confirm?: y y, *n N",
  "prompts-toggle": "buttons: Can you confirm?: *1 no, 2 yes",
  "enq-select": "list: Pick a flavor: *1 apple, 2 grape, 3 cherry",
  "enq-confirm": "keys: Delete it?: y y, *n N",
  "enq-toggle": "buttons: Want to answer?: *1 Nope, 2 Yep",
  "clack-select": "list: Pick a project type.: *1 TypeScript, 2 JavaScript",
  "clack-confirm": "buttons: Do you want to continue?: *1 Yes, 2 No",
  ink: "list: Do you want to install the update?: *1 Yes, install, 2 No, later",
  "ptk-yesno": "buttons: Do you want to delete it?: *1 Yes, 2 No",
  click: "line: Do you want to delete it? [y/N]:: y y, *n N",
  raw: "line: Delete all data? (y/N): y y, *n N",
  "whip-yesno": "buttons: Do you want to continue?: *1 Yes, 2 No",
  "dialog-yesno": "buttons: Do you want to continue?: *1 Yes, 2 No",
  "inq-checkbox": "choices: Select packages: *1 [ ] alpha, 2 [ ] beta, 3 [ ] gamma, submit Submit (enter)",
  "inq-checkbox-disabled": "choices: Select packages: *1 [x] alpha, 2 [ ] gamma, submit Submit (enter)",
  "inq-checkbox-on-disabled": "choices: Select packages: 1 [x] alpha, 2 [ ] gamma, submit Submit (enter)",
  tk: "list: Choose an item:: *1 first, 2 second",
  "inq-long": "list, cut: Select one: *1 a1, 2 b2, 3 c3, 4 d4, 5 e5, 6 f6, 7 g7",
  "inq-long-scrolled": "list, cut: Select one: 1 c3, 2 d4, 3 e5, *4 f6, 5 g7, 6 h8, 7 i9",
  "prompts-multi-long":
    "choices, cut: Pick one: *1 [ ] a1, 2 [ ] b2, 3 [ ] c3, 4 [ ] d4, 5 [ ] e5, submit Submit (enter)",
  "prompts-multi-long-scrolled":
    "choices, cut: Pick one: 1 [ ] c3, 2 [ ] d4, *3 [ ] e5, 4 [ ] f6, 5 [ ] g7, submit Submit (enter)",
  "clack-long": "list, cut: Pick one?: *1 a1, 2 b2, 3 c3, 4 d4",
  "clack-long-scrolled": "list, cut: Pick one?: 1 d4, *2 e5, 3 f6",
  "whip-checklist-long":
    "choices, cut: Choose: *1 [x] a1 A, 2 [ ] b2 B, 3 [ ] c3 C, 4 [ ] d4 D, submit Submit (enter), esc Cancel (esc)",
  "dialog-menu-long": "list, cut: Choose: *1 a1 A, 2 b2 B, 3 c3 C, 4 d4 D, 5 e5 E, esc Cancel (esc)",
  "debconf-multi": "choices: Which services?: *1 [ ] one, 2 [x] two, 3 [ ] three, submit Submit (enter)",
  "inq-rawlist": "line: ? Pick one: 1 alpha, 2 beta",
  "inq-disabled": "list: Select a package manager: *1 npm, 2 yarn",
  "inq-on-disabled": "list: Select a package manager: 1 npm, 2 yarn",
  "prompts-autocomplete": "list: Pick a color: *1 Red, 2 Green",
  "prompts-disabled": "list: Pick a color: *1 Red - a warm one, 2 Blue",
  "prompts-on-disabled": "list: Pick a color: 1 Red, 2 Blue",
  "prompts-multi": "choices: Pick colors: *1 [ ] Red, 2 [ ] Green, submit Submit (enter)",
  "prompts-multi-ticked": "choices: Pick colors: 1 [ ] Red, *2 [x] Green, submit Submit (enter)",
  "enq-multi": "choices: Pick flavors: *1 [ ] apple, 2 [ ] grape, 3 [ ] cherry, submit Submit (enter)",
  "enq-multi-ticked": "choices: Pick flavors: 1 [ ] apple, *2 [x] grape, 3 [ ] cherry, submit Submit (enter)",
  "clack-multi": "choices: Select additional tools.: *1 [ ] ESLint, 2 [ ] Prettier, submit Submit (enter)",
  "clack-multi-ticked": "choices: Select additional tools.: 1 [ ] ESLint, *2 [x] Prettier, submit Submit (enter)",
  "quest-select": "list: What do you want to do?: *1 Order a pizza, 2 Make a reservation, 3 Ask for opening hours",
  "quest-checkbox":
    "choices: What do you want to do?: *1 [ ] Order a pizza, 2 [ ] Make a reservation, 3 [ ] Ask for opening hours, submit Submit (enter)",
  "quest-confirm": "line: ? Are you amazed? (Y/n): *y Y, n n",
  "whip-menu": "list: Choose one: *1 a Apple, 2 b Banana, esc Cancel (esc)",
  "whip-checklist": "choices: Choose some: *1 [x] a Apple, 2 [ ] b Banana, submit Submit (enter), esc Cancel (esc)",
  "whip-radiolist": "choices: Choose one: *1 [x] a Apple, 2 [ ] b Banana, submit Submit (enter), esc Cancel (esc)",
  "dialog-menu": "list: Choose one: *1 a Apple, 2 b Banana, esc Cancel (esc)",
  "dialog-checklist": "choices: Choose some: *1 [x] a Apple, 2 [ ] b Banana, submit Submit (enter), esc Cancel (esc)",
};
/** Not read: keys that are not named, a list behind a filter, and a button that would cancel. */
const unread: Readonly<Record<string, string>> = {
  "inq-expand": "unknown: ? Conflict on file.js (yxH): ",
  "clack-text": "unknown: What is your name?: ",
  "ptk-radio": "unknown: Which breakfast would you like?: ",
  fzf: `${keyReader}: `,
  "fzf-inline": `${keyReader}: `,
  "whip-menu-cancel": `${keyReader}: `,
};

for (const [name, text] of Object.entries(recorded))
  test(`the question of ${name}`, () => {
    if (name === "select") {
      const wanted = "line: #?: 1 apple, 2 banana, 3 quit";
      return assert.equal(brief(text, { verdict: "prompt" }), wanted);
    }
    assert.equal(name in read, !(name in unread));
    assert.equal(brief(text), read[name] ?? unread[name]);
  });

test("a list with the pointer of quoted text, where the program has hidden the cursor", () => {
  const list = "Do you trust the contents of this project?\n\n> Yes, I trust this folder\n  No, exit\n\n";
  const keys = "  ↑/↓ Navigate · enter Confirm";
  const wanted = "list: Do you trust the contents of this project?: *1 Yes, I trust this folder, 2 No, exit";
  assert.equal(brief(list + keys, { isCursorHidden: true }), wanted);
  assert.equal(brief(list + keys), null);
  const inquirer = "? Select one: (Use arrow keys)\n❯ npm\n  yarn";
  assert.equal(brief(inquirer, { isCursorHidden: true }), "list: Select one:: *1 npm, 2 yarn");
});

test("check boxes are choices where their keys are named", () => {
  const boxes = (
    keys: string,
    [pointer = "", on = "", off = ""]: readonly string[] = ["❯", "◉ ", "◯ "],
  ): string | null => {
    const others = " ".repeat(pointer.length);
    const rows = [`${pointer}${off}ham`, `${others}${on}cheese`, `${others}${off}olives`];
    return brief(`? Which toppings?\n${rows.join("\n")}\n\n${keys}`, { isCursorHidden: true });
  };
  const wanted = "choices: Which toppings?: *1 [ ] ham, 2 [x] cheese, 3 [ ] olives, submit Submit (enter)";
  for (const form of [
    ["❯", "◉ ", "◯ "],
    ["❯ ", "◼ ", "◻ "],
    ["> ", "[x] ", "[ ] "],
    ["❯ ", "(*) ", "( ) "],
  ])
    assert.equal(boxes("↑↓ navigate • space select • ⏎ submit", form), wanted);
  assert.equal(boxes("(Press <space> to select, <a> to toggle all, and <enter> to proceed)"), wanted);
  for (const keys of [
    "↑↓ navigate • ⏎ select",
    "enter to toggle • tab to submit",
    "space to select • ctrl+s to save",
    "space to toggle • enter to select",
    "",
  ])
    assert.equal(boxes(keys), "unknown: Which toppings?: ", keys);
  const torn = "? Which toppings?\n❯◯ ham\n  ◉ cheese\n  ◯ olives\n\nspace select • ⏎ submit";
  assert.equal(brief(torn, { isCursorHidden: true }), "unknown: Which toppings?: ");
});

test("rows of which one is inverse are a list below a question, if nothing else is there", () => {
  const inverse = "Choose an item:\n\n\u001B[7m first \u001B[m\n second";
  assert.equal(brief(`${inverse}\u001B[1G`), "list: Choose an item:: *1 first, 2 second");
  assert.equal(brief(inverse), null);
  assert.equal(brief(`${inverse}\u001B[1G`, { isAlternate: true }), null);
  const box = "What shall I do?\n\n\u001B[7mT\u001B[mype your message\n\u001B[2m? for shortcuts\u001B[m";
  assert.equal(brief(`${box}\u001B[1G`), null);
  assert.equal(brief("Files:\none\n\u001B[7m(END)\u001B[m"), null);
  assert.equal(brief("Choose an item:\n\n\u001B[7m first \u001B[m\n\u001B[7m second\u001B[1G"), null);
});

test("text that resembles a dialog is none", () => {
  for (const text of [
    "Shall we?\n<Yes> <No>\nmore text",
    "Shall we?\n<Yes> <No>\n$ |",
    "Legend: ● open / ● closed",
    "What is it?\n> quoted\n  text\n",
    "git › main / origin",
    "Really? (y/N)\nall of it is gone\n",
  ])
    assert.equal(brief(text), null, text);
  const mail = "Shall we meet at noon?\n> I would like to\n  see you";
  assert.equal(brief(mail, { isCursorHidden: true }), "unknown: Shall we meet at noon?: ");
  // The input box of an agent without rules.
  const rule = "─".repeat(80);
  const agent = `What should I do instead?\n\n${rule}\n❯ Run it\n${rule}\n  manual mode on`;
  assert.equal(brief(agent, { isCursorHidden: true, verdict: "listening" }), null);
});

test("of buttons that look alike none is selected, so nobody can tell what a key does", () => {
  assert.equal(brief("Shall we?\n\n <Yes>   <No>", { isCursorHidden: true }), "unknown: Shall we?: ");
  assert.equal(brief("Shall we?\n ● Yes / ● No", { isCursorHidden: true }), "unknown: Shall we?: ");
});
