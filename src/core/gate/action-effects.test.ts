import assert from "node:assert/strict";
import { test } from "node:test";
import { actionEffects } from "./action-effects.ts";
import { selectLeaves } from "./pointers.ts";
import type { CallFacts } from "./rules.ts";
import { analyzeShell } from "./shell.ts";

const session = { workingDirectory: "/project", home: null };
const facts: CallFacts = {
  tool: "Read",
  labels: [],
  arguments: { file_path: "a" },
  values: selectLeaves({}, []),
  session,
  folder: null,
  begins: [session],
  starts: [session],
  real: null,
  made: null,
};

test("the form of a redirection and the table of tools name effects, and a variable has none", () => {
  const [command, redirect] = analyzeShell("foo > out").actions;
  assert.ok(command !== undefined && redirect !== undefined);
  assert.deepEqual(
    actionEffects(redirect, facts)?.effects.map(({ kind, target }) => [kind, target?.value]),
    [["write", "out"]],
  );
  assert.deepEqual(
    actionEffects({ type: "call" }, facts)?.effects.map(({ kind, target }) => [kind, target?.value]),
    [["read", "a"]],
  );
  assert.equal(actionEffects({ type: "call" }, { ...facts, tool: "x" })?.isKnown, false);
  const assignment = analyzeShell("PATH=x foo").actions.find(({ type }) => type === "assignment");
  assert.ok(assignment);
  assert.equal(actionEffects(assignment, facts), undefined);
});
