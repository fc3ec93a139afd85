/** `Sanitizer` on the larger recordings, cut at every seventh byte of their first 20 kB; `npm run test:long` cuts at each. */
import { test } from "node:test";
import { assertSameAtCuts } from "../cuts.ts";

const strideBytes = process.env["LECTERN_RECORDINGS"] === "all" ? 1 : 7;

for (const name of [
  "repl-node-80x24.cast",
  "repl-fullscreen-80x24.cast",
  "claude-events-80x24.cast",
  "gemini-encode-80x24.cast.gz",
]) {
  test(`Sanitizer reads the same after cuts of the first 20 kB of ${name}`, () => {
    assertSameAtCuts(name, strideBytes);
  });
}
