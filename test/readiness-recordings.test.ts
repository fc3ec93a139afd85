/** The readers of readiness on true recordings of shells and REPLs; the largest is cut in `e2e/readiness-recordings.test.ts`. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CommandTracker } from "../src/core/readiness/command-tracker.ts";
import { Sanitizer } from "../src/core/text/sanitizer.ts";
import { assertReadyAtEachCut } from "./readiness-cuts.ts";
import { recordedOutput } from "./recordings.ts";

for (const name of ["bash-osc133", "bash-color", "bash-twoline", "python3", "gdb", "sqlite3", "slow", "fullscreen"]) {
  test(`readiness is the same after each single cut of the recording of ${name}`, () => {
    assertReadyAtEachCut(`repl-${name}-80x24.cast`);
  });
}

interface RecordedCommand {
  readonly role: string;
  readonly text: string;
  readonly expected_output: string | null;
  readonly exit_code?: number;
}

test("CommandTracker gives the outputs and exit codes of the recorded shell with marks, also where a program forges some", () => {
  const truth = JSON.parse(
    readFileSync(join(import.meta.dirname, "fixtures/recordings/repl-bash-osc133-80x24.json"), "utf8"),
  ) as { readonly timeline: readonly RecordedCommand[] };
  const commands = truth.timeline.filter(({ role }) => role === "command");
  const tracker = new CommandTracker();
  const found: { output: string; exitCode: number | null }[] = [];
  for (const step of tracker.feed(recordedOutput("repl-bash-osc133-80x24.cast"), 0)) {
    const last = found.at(-1);
    if (step.type === "command-start") found.push({ output: "", exitCode: null });
    else if (last !== undefined && step.type === "output") last.output += textOf(step.bytes);
    else if (last !== undefined && step.type === "command-end") last.exitCode = step.exitCode;
  }
  assert.equal(found.length, commands.length);
  for (const [index, { text, expected_output: expected, exit_code: exitCode }] of commands.entries()) {
    const { output, exitCode: actual } = found[index]!;
    if (expected !== null) assert.equal(output.replace(/\n$/, ""), expected, text);
    if (exitCode !== undefined) assert.equal(actual, exitCode, text);
  }
});

function textOf(bytes: Uint8Array): string {
  const sanitizer = new Sanitizer();
  return sanitizer.feed(bytes) + sanitizer.end();
}
