import assert from "node:assert/strict";
import { test } from "node:test";
import { transcriptBytes } from "../../../test/support/transcript-fixtures.ts";
import { transcriptReader, type TranscriptFormat } from "./transcript-reader.ts";

const fixtures: readonly (readonly [TranscriptFormat, string])[] = [
  ["claude", "claude-2.1.332.jsonl"],
  ["claude", "claude-2.1.332-rewind-compact.jsonl"],
];

test("each split of the bytes gives the same entries", () => {
  for (const [format, file] of fixtures) {
    const bytes = transcriptBytes(file);
    const whole = transcriptReader(format).read(bytes);
    for (const size of [1, 2, 7, 1000, 4096]) {
      const reader = transcriptReader(format);
      const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        reader.read(bytes.subarray(index * size, (index + 1) * size)),
      );
      assert.deepEqual(parts.flat(), whole, `${file} in parts of ${size}`);
    }
  }
});
