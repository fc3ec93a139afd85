import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { runsOf } from "../../../test/support/searches.ts";
import { JsonString } from "./json-string.ts";

interface Seen {
  readonly value: string;
  readonly safeEnd: number;
  readonly closed: boolean;
  /** Offset of what came behind the string, or -1 - offset of what cannot be. */
  readonly end: number;
}

/** What there is after `text` was read in pieces of `size`. */
function seen(text: string, size: number): Seen {
  const string = new JsonString();
  string.begin(0);
  let end = 0;
  for (let start = 0; start < text.length && end >= 0 && !string.closed; start += size) {
    const next = string.read(text.slice(start, start + size), 0, start);
    end = next < 0 ? next - start : next + start;
  }
  return { value: string.value, safeEnd: string.safeEnd, closed: string.closed, end };
}

const long = "x".repeat(300);

test("JsonString reads up to the closing quote and tells where a cut would be", () => {
  const string = new JsonString();
  string.begin(10);
  assert.equal(string.read("ab", 0, 10), 2);
  assert.deepEqual([string.value, string.safeEnd, string.closed], ["ab", 12, false]);
  assert.equal(string.read('c"rest', 0, 12), 2);
  assert.deepEqual([string.value, string.safeEnd, string.closed], ["abc", 13, true]);
});

test("JsonString holds half an escape and half a surrogate pair back", () => {
  const string = new JsonString();
  string.begin(0);
  string.read(String.raw`a\ud83d`, 0, 0);
  assert.deepEqual([string.value, string.safeEnd], ["a", 1]);
  string.read(String.raw`\ude`, 0, 7);
  assert.deepEqual([string.value, string.safeEnd], ["a", 1]);
  string.read("00", 0, 11);
  assert.deepEqual([string.value, string.safeEnd], ["a😀", 13]);
});

test("JsonString keeps a lone surrogate that something else follows", () => {
  const string = new JsonString();
  string.begin(0);
  string.read(String.raw`\ud83d\ud83dx"`, 0, 0);
  assert.equal(string.value, "\ud83d\ud83dx");
  assert.ok(string.closed);
});

test("JsonString says at which character it cannot go on", () => {
  const string = new JsonString();
  string.begin(0);
  assert.equal(string.read("ab\tc", 0, 0), -1 - 2);
  string.begin(0);
  assert.equal(string.read(String.raw`\x`, 0, 0), -1 - 1);
  string.begin(0);
  assert.equal(string.read(String.raw`\u12G`, 0, 0), -1 - 4);
});

test("JsonString reads a long piece as it reads it letter by letter, wherever it ends", () => {
  const piece = fc.constantFrom(
    "a",
    "\\",
    "\\\\",
    "\\n",
    '\\"',
    '"',
    "\\u",
    "00e9",
    "\\ud83d",
    "\\ude00",
    "\ud83d",
    "\ude00",
    "ż",
    "\\x",
    "\t",
    "\u2028",
    long,
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.boolean(), (pieces, startsLong) => {
      const text = (startsLong ? long : "") + pieces.join("");
      const letters = seen(text, 1);
      assert.deepEqual(seen(text, Math.max(1, text.length)), letters);
      assert.deepEqual(seen(text, 290), letters);
    }),
    { numRuns: runsOf(5_000) },
  );
});
