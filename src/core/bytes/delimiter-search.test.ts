import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DelimiterSearch } from "./delimiter-search.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("a delimiter is found by its absolute position", () => {
  const search = new DelimiterSearch(bytes("\r\n"), 10);
  assert.deepEqual(search.feed(bytes("ab\r\ncd\r\n")), [12, 16]);
  assert.equal(search.position, 18);
});

test("a delimiter split across chunks is found when it is complete", () => {
  const search = new DelimiterSearch(bytes("<END>"));
  assert.deepEqual(search.feed(bytes("x<E")), []);
  assert.deepEqual(search.feed(bytes("N")), []);
  assert.deepEqual(search.feed(bytes("D>y<END>")), [1, 7]);
});

test("a false start inside a delimiter does not hide the true one", () => {
  assert.deepEqual(new DelimiterSearch(bytes("aab")).feed(bytes("aaab")), [1]);
});

test("occurrences do not overlap", () => {
  assert.deepEqual(new DelimiterSearch(bytes("aa")).feed(bytes("aaaaa")), [0, 2]);
});

test("an empty delimiter is refused", () => {
  assert.throws(() => new DelimiterSearch(new Uint8Array()), { code: "INVALID_INPUT" });
});

function naive(whole: Buffer, delimiter: Uint8Array): number[] {
  const found: number[] = [];
  for (let at = whole.indexOf(delimiter); at !== -1; at = whole.indexOf(delimiter, at + delimiter.length)) {
    found.push(at);
  }
  return found;
}

test("any split of the same bytes gives the positions of a search over the whole", () => {
  const few = fc.integer({ min: 0, max: 1 });
  const chunks = fc.array(fc.array(few, { maxLength: 12 }), { maxLength: 12 });
  fc.assert(
    fc.property(chunks, fc.array(few, { minLength: 1, maxLength: 5 }), (parts, pattern) => {
      const delimiter = Uint8Array.from(pattern);
      const search = new DelimiterSearch(delimiter);
      const found = parts.flatMap((part) => search.feed(Uint8Array.from(part)));
      assert.deepEqual(found, naive(Buffer.from(parts.flat()), delimiter));
    }),
    { numRuns: 500 },
  );
});
