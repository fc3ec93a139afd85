import assert from "node:assert/strict";
import { test } from "node:test";
import { dialogRows } from "./dialog-rows.ts";
import { lastOptionList } from "./option-list.ts";

const listOf = (text: string, pointer?: string) =>
  lastOptionList(dialogRows(text.split("\n").map((row) => ({ text: row, isWrapped: false, spans: [] }))), pointer);
const shown = (text: string): string[] =>
  (listOf(text)?.options ?? []).map(({ id, label, isSelected }) => `${isSelected ? "*" : ""}${id} ${label}`);

test("a numbered list with a mark", () => {
  assert.deepEqual(shown("Proceed?\n❯ 1. Yes\n  2. No\n\nEsc to cancel"), ["*1 Yes", "2 No"]);
  assert.deepEqual(shown("│ ● 1. Allow once      │\n│   2. No, thanks (esc) │"), [
    "*1 Allow once",
    "2 No, thanks (esc)",
  ]);
});

test("labels that wrap are joined, words cut at a slash without a blank", () => {
  assert.deepEqual(shown("› 1. Yes, for `cat /srv/\n     user/x` (p)\n  2. No, and\n     tell why"), [
    "*1 Yes, for `cat /srv/user/x` (p)",
    "2 No, and tell why",
  ]);
});

test("below check boxes a row without a number submits them, and belongs to no label", () => {
  const boxes = "❯ 1. [✔] Dark mode\n         d\n  2. [ ] Deny all\n     Submit\n────\n  3. Chat about this";
  assert.deepEqual(shown(boxes), ["*1 [✔] Dark mode d", "2 [ ] Deny all", "submit Submit"]);
  assert.deepEqual(shown("  1. [✔] Dark mode\n  2. [ ] Deny all\n❯    Submit").at(-1), "*submit Submit");
});

test("the last list counts, and it ends where the numbers do", () => {
  assert.deepEqual(shown("1. one\n2. two\n\n❯ 1. Yes\n  2. No\n  5. other"), ["*1 Yes", "2 No"]);
});

test("a list without numbers has a mark and rows of the same margin", () => {
  const list = listOf("? Pick one\n  red\n❯ green\n  blue\n\nUse arrows");
  assert.deepEqual(
    list?.options.map(({ id, label, isSelected }) => [id, label, isSelected]),
    [
      ["1", "red", false],
      ["2", "green", true],
      ["3", "blue", false],
    ],
  );
});

test("one option is no choice", () => {
  assert.equal(listOf("❯ 1. Yes"), null);
  assert.equal(listOf("❯ hello"), null);
  assert.equal(listOf("nothing"), null);
});

test("an agent's own pointer counts in place of the common ones", () => {
  const text = "● Bash(ls)\n  and more\n\n> Continue (tab)\n  No (esc)";
  assert.deepEqual(
    listOf(text, ">")?.options.map(({ label, isSelected }) => [label, isSelected]),
    [
      ["Continue (tab)", true],
      ["No (esc)", false],
    ],
  );
  assert.deepEqual(
    listOf(text)?.options.map(({ label }) => label),
    ["Bash(ls)", "and more"],
  );
});
