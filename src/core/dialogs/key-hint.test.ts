import assert from "node:assert/strict";
import { test } from "node:test";
import { isKeyHint, ticksBySpace, saysEscapeLeaves, withoutKeyHints } from "./key-hint.ts";

test("lines that name keys", () => {
  for (const line of [
    "Esc to cancel",
    "↑↓ navigate • ⏎ select",
    "↑/↓ to navigate • Enter: confirm",
    "Use arrows (Use arrow keys)",
  ])
    assert.equal(isKeyHint(line), true, line);
  for (const line of ["Press on with your work", "Enter the building", "↑ 3 commits ahead"])
    assert.equal(isKeyHint(line), false, line);
});

test("Escape leaves", () => {
  assert.equal(saysEscapeLeaves("enter to select · esc to go back"), true);
  assert.equal(saysEscapeLeaves("esc · enter to cancel"), false);
});

test("keys behind a question are no part of it", () => {
  assert.equal(withoutKeyHints("? Select a package manager: (Use arrow keys)"), "? Select a package manager:");
  assert.equal(withoutKeyHints("? Pick a color › - Use arrow-keys. Return to submit."), "? Pick a color");
  assert.equal(withoutKeyHints("? Pick a flavor …"), "? Pick a flavor");
  assert.equal(withoutKeyHints("Delete it (for good)"), "Delete it (for good)");
});

test("Space ticks where the keys say so, and Enter submits", () => {
  for (const text of [
    "↑↓ navigate • space select • a all • i invert • ⏎ submit",
    "↑/↓ to navigate • Space: select • Enter: confirm",
    "(Use arrow keys to move, <space> to select, <a> to toggle, <i> to invert)",
    "←/→/[space]: Toggle selection a: Toggle all enter/return: Complete answer",
  ])
    assert.equal(ticksBySpace(text), true, text);
  for (const text of [
    "↑↓ navigate • ⏎ select",
    "space select • tab to submit",
    "Space or Enter to toggle",
    "space: page down",
  ])
    assert.equal(ticksBySpace(text), false, text);
});
