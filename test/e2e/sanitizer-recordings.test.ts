/** `Sanitizer` on the larger recordings, cut at every single byte of their first 20 kB: half a minute. */
import { test } from "node:test";
import { assertSameAtEachCut } from "../cuts.ts";

for (const name of [
  "repl-node-80x24.cast",
  "repl-fullscreen-80x24.cast",
  "claude-events-80x24.cast",
  "gemini-encode-80x24.cast.gz",
]) {
  test(`Sanitizer reads the same after each single cut of the first 20 kB of ${name}`, () => {
    assertSameAtEachCut(name);
  });
}
