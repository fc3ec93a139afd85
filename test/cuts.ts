/** Holds `Sanitizer` to the same text at cuts of a recording. */
import assert from "node:assert/strict";
import { Sanitizer } from "../src/core/text/sanitizer.ts";
import { recordedOutput } from "./recordings.ts";

/** How much is read behind each cut: enough for a difference to show. */
const WINDOW_BYTES = 1_000;

/** Cuts the first 20 kB in two, at each byte unless there are `strideBytes` between two cuts. */
export function assertSameAtCuts(name: string, strideBytes = 1): void {
  const bytes = recordedOutput(name).subarray(0, 20_000);
  const expected = readings(bytes);
  const whole = new Sanitizer();
  assert.equal(whole.feed(bytes) + whole.end(), expected.at(-1));
  for (let cut = 1; cut < bytes.length; cut += strideBytes) {
    const end = Math.min(bytes.length, cut + WINDOW_BYTES);
    const sanitizer = new Sanitizer();
    const text = sanitizer.feed(bytes.subarray(0, cut)) + sanitizer.feed(bytes.subarray(cut, end)) + sanitizer.pending;
    if (text !== expected[end]) assert.equal(text, expected[end], `cut at ${cut}`);
  }
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
