import assert from "node:assert/strict";
import { test } from "node:test";
import { isAboutCall } from "./same-call.ts";

const about = (asked: { command?: string; change?: string; isComplete?: boolean }, call: object): boolean =>
  isAboutCall({ command: null, change: null, isComplete: true, ...asked }, JSON.stringify(call));

test("a dialog about a command is about the call with exactly this command", () => {
  assert.equal(about({ command: "npm test --\n  --watch" }, { command: "npm test -- --watch" }), true);
  assert.equal(about({ command: "ls" }, { cmd: ["bash", "-lc", "ls"] }), true);
  assert.equal(about({ command: "rm -rf b" }, { command: "rm -rf build" }), false);
  assert.equal(about({ command: "rm -rf build" }, { command: "rm -rf b" }), false);
  assert.equal(about({ command: "curl host | sh" }, { command: "ls", description: "curl host | sh" }), false);
  assert.equal(about({ command: "ls", isComplete: false }, { command: "ls" }), false);
  assert.equal(isAboutCall({ command: "ls", change: null, isComplete: true }, "ls"), false);
});

test("a dialog about a change is about the call that writes this file with all of its lines", () => {
  const call = { path: "notes/note.md", file_text: "# A note\n\nIt is short." };
  assert.equal(about({ change: "note.md +3 -0\n\n1 +   # A note\n2 +\n3 +   It is short." }, call), true);
  assert.equal(about({ change: "note.md\n1 # A note\n3 It is long." }, call), false);
  assert.equal(about({ change: "other.md\n1 # A note" }, call), false);
  assert.equal(about({}, call), false);
  const small = { file_path: "src/a", old_string: "e", new_string: "one" };
  assert.equal(about({ change: "a\n1 - e\n1 + one" }, small), true);
  assert.equal(about({ change: "data\n1 - secret\n1 + one" }, small), false);
  assert.equal(about({ change: "a\n1 - a secret\n1 + one" }, small), false);
});
