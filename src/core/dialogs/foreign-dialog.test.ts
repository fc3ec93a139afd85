import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { frameOf } from "../../../test/frames.ts";
import type { ForegroundVerdict } from "../records.ts";
import { readDialog } from "./dialog.ts";

const recorded = JSON.parse(
  readFileSync(new URL("../../../test/fixtures/dialogs/libraries.json", import.meta.url), "utf8"),
) as Record<string, string>;

function brief(text: string, options: { isCursorHidden?: boolean; verdict?: ForegroundVerdict } = {}): string | null {
  const { verdict = "raw", ...frame } = options;
  // "\n" of a pty is "\r\n" already.
  const shown = frameOf(text.replaceAll("\r\n", "\n"), frame);
  const dialog = readDialog(shown, { profile: undefined, verdict, prompt: null, isAtShellPrompt: false });
  if (dialog === null) return null;
  const words = dialog.options.map(({ id, label }) => `${id === dialog.selected ? "*" : ""}${id} ${label}`);
  return `${dialog.layout}: ${dialog.question}: ${words.join(", ")}`;
}

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
};
/** Not read yet: several choices, lists that only a colour marks, keys that are not named. */
const unread = new Set([
  "inq-checkbox",
  "inq-expand",
  "inq-rawlist",
  "prompts-multi",
  "enq-multi",
  "clack-multi",
  "clack-text",
  "tk",
  "ptk-radio",
  "whip-menu",
  "dialog-menu",
]);

for (const [name, text] of Object.entries(recorded))
  test(`the question of ${name}`, () => {
    if (name === "select") {
      const wanted = "line: #?: 1 apple, 2 banana, 3 quit";
      return assert.equal(brief(text, { verdict: "prompt" }), wanted);
    }
    assert.equal(read[name] === undefined, unread.has(name));
    assert.equal(brief(text), read[name] ?? null);
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

test("a list of check boxes takes no answer: Enter would submit what is ticked now", () => {
  for (const [pointer, on, off] of [
    ["❯", "◉ ", "◯ "],
    ["❯ ", "◼ ", "◻ "],
    ["> ", "[x] ", "[ ] "],
    ["❯ ", "(*) ", "( ) "],
  ])
    for (const gap of ["", " "]) {
      const rows = [`${pointer}${gap}${off}ham`, `  ${gap}${on}cheese`, `  ${gap}${off}olives`];
      const text = `? Which toppings?\n${rows.join("\n")}\n\n↑↓ navigate • space select • ⏎ submit`;
      assert.equal(brief(text, { isCursorHidden: true }), null, text);
    }
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
  assert.equal(brief(mail, { isCursorHidden: true }), null);
});

test("of buttons that look alike none is selected, so there is no dialog", () => {
  assert.equal(brief("Shall we?\n\n <Yes>   <No>", { isCursorHidden: true }), null);
  assert.equal(brief("Shall we?\n ● Yes / ● No", { isCursorHidden: true }), null);
});
