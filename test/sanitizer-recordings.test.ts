/** `Sanitizer` on true recordings, cut at every byte. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Sanitizer } from "../src/core/text/sanitizer.ts";
import { recordedOutput } from "./recordings.ts";

function sanitize(bytes: Uint8Array): string {
  const sanitizer = new Sanitizer();
  return sanitizer.feed(bytes) + sanitizer.end();
}

/** What can be read after each byte of `bytes`, fed one by one: finished lines and the open one. */
function readings(bytes: Uint8Array): string[] {
  const sanitizer = new Sanitizer();
  let finished = "";
  return [
    "",
    ...Array.from(bytes, (byte) => {
      finished += sanitizer.feed(Uint8Array.of(byte));
      return finished + sanitizer.pending;
    }),
  ];
}

const WINDOW_BYTES = 1_000;
for (const name of [
  "repl-bash-color-80x24.cast",
  "repl-slow-80x24.cast",
  "repl-node-80x24.cast",
  "claude-events-80x24.cast",
]) {
  test(`Sanitizer reads the same ${WINDOW_BYTES} bytes after each single cut of the first 20 kB of ${name}`, () => {
    const bytes = recordedOutput(name).subarray(0, 20_000);
    const expected = readings(bytes);
    assert.equal(sanitize(bytes), expected.at(-1));
    for (let cut = 1; cut < bytes.length; cut++) {
      const end = Math.min(bytes.length, cut + WINDOW_BYTES);
      const sanitizer = new Sanitizer();
      const text =
        sanitizer.feed(bytes.subarray(0, cut)) + sanitizer.feed(bytes.subarray(cut, end)) + sanitizer.pending;
      if (text !== expected[end]) assert.equal(text, expected[end], `cut at ${cut}`);
    }
  });
}

test("Sanitizer shows the progress bar of a recording at its end only", () => {
  const text = sanitize(recordedOutput("repl-slow-80x24.cast"));
  assert.match(text, /^progress 100% \[#{20}\]$/m);
  assert.doesNotMatch(text, /progress {2}50%/);
});
