/** `Sanitizer` on true recordings; the larger ones are cut in `e2e/sanitizer-recordings.test.ts`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Sanitizer } from "../src/core/text/sanitizer.ts";
import { assertSameAtCuts } from "./cuts.ts";
import { recordedOutput } from "./recordings.ts";

for (const name of ["repl-bash-color-80x24.cast", "repl-slow-80x24.cast"]) {
  test(`Sanitizer reads the same after each single cut of ${name}`, () => {
    assertSameAtCuts(name);
  });
}

test("Sanitizer shows the progress bar of a recording at its end only", () => {
  const sanitizer = new Sanitizer();
  const text = sanitizer.feed(recordedOutput("repl-slow-80x24.cast")) + sanitizer.end();
  assert.match(text, /^progress 100% \[#{20}\]$/m);
  assert.doesNotMatch(text, /progress {2}50%/);
});
