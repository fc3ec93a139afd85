import assert from "node:assert/strict";
import { test } from "node:test";
import { shellAfter, shellAtStart, type ShellWait } from "./shell-wait.ts";

const steps = {
  C: { type: "command-start" },
  D: { type: "command-end", exitCode: 0 },
  B: { type: "prompt" },
  "2": { type: "continuation" },
} as const;

/** The states after each mark, from `typed` or `silent`. */
function statesAfter(state: "typed" | "silent", marks: string): string {
  let shell: ShellWait = { state };
  return [...marks]
    .map((mark, index) => {
      shell = shellAfter(shell, steps[mark as "C"], index);
      return "atMs" in shell ? `${shell.state} ${shell.atMs}` : shell.state;
    })
    .join(", ");
}

test("behind a typed line a prompt counts only after the start of a command", () => {
  assert.equal(statesAfter("typed", "BBCDB"), "redrawn 0, redrawn 1, running, ended 3, prompt");
  assert.equal(statesAfter("typed", "2C"), "continuation, running");
  assert.equal(statesAfter("silent", "BCD"), "prompt, running, ended 2");
});

test("a wait begins with what the shell has reported before", () => {
  const at = (place: "prompt" | "typed" | "running", typedAt: "prompt" | "between" | null): string =>
    shellAtStart({ place, typedAt }, 0).state;
  assert.equal(at("prompt", null), "prompt");
  assert.equal(at("typed", "prompt"), "typed");
  assert.equal(at("prompt", "prompt"), "redrawn");
  assert.equal(at("prompt", "between"), "silent", "it was the prompt of the command before");
  assert.equal(at("running", "prompt"), "running");
  assert.equal(at("running", null), "silent");
});
