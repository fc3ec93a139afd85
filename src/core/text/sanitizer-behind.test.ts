import assert from "node:assert/strict";
import { test } from "node:test";
import { LecternError } from "../errors.ts";
import { LOOK_BACK_BYTES, nothingBeyondEnd, sanitizerBehind } from "./sanitizer-behind.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const output = (offset: number, text: string) => ({ type: "output", offset, bytes: bytes(text) });

test("a reader that starts at any byte of a mark shows none of it, and what follows", () => {
  const text =
    "one\r\n\u001b]133;D;0;n=AbCdEfGhIjKl\u0007\u001b]133;A\u0007$ \u001b]133;B;n=AbCdEfGhIjKl\u001b\\ls\r\n";
  for (let from = 0; from <= text.length; from += 1) {
    const records = [
      output(0, text.slice(0, 20)),
      { type: "mark", offset: 20, bytes: undefined },
      output(20, text.slice(20)),
    ];
    const sanitizer = sanitizerBehind(records, from);
    const shown = sanitizer.feed(bytes(text.slice(from))) + sanitizer.end();
    assert.ok("one\n$ ls\n".endsWith(shown), `${from}: ${shown}`);
  }
});

test("in a sequence that is longer than what is read, and behind a gap, a mark is known by its terminator", () => {
  for (const records of [[], [{ type: "gap", offset: LOOK_BACK_BYTES, bytes: undefined }]]) {
    const sanitizer = sanitizerBehind(records, 2 * LOOK_BACK_BYTES);
    assert.equal(sanitizer.feed(bytes("3;A;n=AbCdEfGhIjKl\u0007$ ls\n")), "$ ls\n");
  }
  assert.equal(sanitizerBehind([], 100).feed(bytes("bell\u0007\n")), "bell\n");
});

test("only an offset beyond the end has no records before it", () => {
  assert.deepEqual(nothingBeyondEnd(new LecternError("OFFSET_BEYOND_END", "too far")), { records: [] });
  const other = new LecternError("JOURNAL_CORRUPT", "damaged");
  assert.throws(() => nothingBeyondEnd(other), other);
});
