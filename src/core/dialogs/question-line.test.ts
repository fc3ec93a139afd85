import assert from "node:assert/strict";
import { test } from "node:test";
import type { Approval } from "./approval.ts";
import { questionLine } from "./question-line.ts";

const line = (question: string, about: Partial<Approval>): string =>
  questionLine({ source: "screen", command: null, change: null, details: "", question, ...about });

test("what is to be done comes first, its lines joined by a visible sign", () => {
  const details = "Bash command\nRemove both\n\nrm -rf ./a\nrm -rf ./b";
  assert.equal(
    line("Do you want to proceed?", { command: "rm -rf ./a\nrm -rf ./b", details }),
    "rm -rf ./a ⏎ rm -rf ./b · Do you want to proceed?",
  );
  assert.equal(line("Create it?", { change: "note.md\n1 # A note" }), "note.md ⏎ 1 # A note · Create it?");
  const held = { source: "wire", details: '{"command":"ls"}' } as const;
  assert.equal(line("May the tool run?", held), '{"command":"ls"} · May the tool run?');
});

test("if nothing shows what is to be done, the question comes first", () => {
  assert.equal(line("Go on?", { details: "Two files\nchange" }), "Go on? ⏎ Two files ⏎ change");
  assert.equal(line("Continue? [y/N]", {}), "Continue? [y/N]");
});
