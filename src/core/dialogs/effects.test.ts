import assert from "node:assert/strict";
import { test } from "node:test";
import { effectOf, kindOf } from "./effects.ts";

const effects = {
  allow: ["Yes", "Yes, proceed (y)", "Allow once", "Approve", "y", "Yes, allow once", "Run this time"],
  "allow-always": [
    "Yes, and don't ask again for `ls` commands",
    "Yes, and switch to auto mode",
    "Always allow run 'rm *' commands in this project",
    "Allow always",
    "Allow for this session",
    "Yes, allow all edits during this session",
  ],
  deny: ["No", "No, suggest changes (esc)", "Reject", "Deny", "n", "Cancel", "Don't ask again", "Exit"],
  other: ["Modify with external editor", "Blue", "fingerprint"],
} as const;

for (const [effect, labels] of Object.entries(effects)) {
  test(`labels that mean "${effect}"`, () => {
    assert.deepEqual(
      labels.map((label) => [label, effectOf(label)]),
      labels.map((label) => [label, effect]),
    );
  });
}

const optionsOf = (...labels: readonly string[]) =>
  labels.map((label, index) => ({ id: String(index + 1), label, effect: effectOf(label) }));

test("the kind is told by the question and by what can be answered", () => {
  const yesNo = optionsOf("Yes", "No");
  assert.equal(kindOf("Do you want to proceed?", yesNo), "permission");
  assert.equal(kindOf("Do you trust the files in this folder?", optionsOf("Yes, proceed", "No, exit")), "trust");
  assert.equal(kindOf("Is this a project you created?", optionsOf("Yes, I trust this folder", "No, exit")), "trust");
  assert.equal(
    kindOf("How would you like to authenticate?", optionsOf("Login with Google", "Use an API key")),
    "login",
  );
  assert.equal(kindOf("Which colour?", optionsOf("Blue", "Red")), "question");
  assert.equal(kindOf("Are you happy?", yesNo), "question");
});
