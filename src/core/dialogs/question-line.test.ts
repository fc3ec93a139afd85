import assert from "node:assert/strict";
import { test } from "node:test";
import { questionLine } from "./question-line.ts";

const line = (question: string, details: string, source: "screen" | "wire" = "screen"): string =>
  questionLine({ source, question, details });

test("the command comes first, in front of the question and of what the agent's vendor adds", () => {
  const tip = 'Tip: auto mode handles these prompts for you — choose "switch to auto mode"\nbelow';
  assert.equal(
    line("Do you want to proceed?", `Bash command\n${tip}\nRemove both\n\nrm -rf ./a\nrm -rf ./b`),
    "rm -rf ./a ⏎ rm -rf ./b · Do you want to proceed?",
  );
  assert.equal(
    line("Run it?", "Environment: local\n\nReason: It is outside\n\n$ touch a;\n  touch b"),
    "$ touch a; ⏎ touch b · Run it?",
  );
  assert.equal(line("May the tool run?", '{"command":"ls"}', "wire"), '{"command":"ls"} · May the tool run?');
});

test("without a command that is known as one the question comes first", () => {
  assert.equal(
    line("Create note.md?", "Create file\nnote.md\n\n1 # A note"),
    "Create note.md? ⏎ Create file ⏎ note.md ⏎ 1 # A note",
  );
  assert.equal(line("Continue? [y/N]", ""), "Continue? [y/N]");
});
