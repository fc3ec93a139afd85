import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { runsOf } from "../../../test/support/searches.ts";
import { incompleteTailLength, isSecondByte, sealTail, sequenceLength, Utf8Decoder, utf8SafeEnd } from "./utf8.ts";

const whole = (bytes: Uint8Array): string => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

test("Utf8Decoder joins a code point split at each of its bytes", () => {
  const decoder = new Utf8Decoder();
  const texts = [...new TextEncoder().encode("😀é")].map((byte) => decoder.feed(Uint8Array.of(byte)));
  assert.deepEqual(texts, ["", "", "", "😀", "", "é"]);
});

test("Utf8Decoder replaces what is left at the end by one character", () => {
  const decoder = new Utf8Decoder();
  assert.equal(decoder.feed(Uint8Array.of(0x61, 0xf0, 0x9f, 0x98)), "a");
  assert.equal(decoder.end(), "\u{fffd}");
  assert.equal(decoder.end(), "");
});

test("Utf8Decoder keeps a byte order mark wherever it stands", () => {
  const decoder = new Utf8Decoder();
  assert.equal(decoder.feed(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61)), "\u{feff}a");
});

test("utf8SafeEnd waits only for what can still become a code point", () => {
  const cases: [number[], number][] = [
    [[], 0],
    [[0x61], 1],
    [[0xc3], 0],
    [[0xc0], 1],
    [[0xe0, 0x80], 2],
    [[0xe0, 0xa0], 0],
    [[0xed, 0xa0], 2],
    [[0xf4, 0x90], 2],
    [[0xf5], 1],
    [[0xf0, 0x9f, 0x98], 0],
    [[0x80, 0x80, 0x80], 3],
  ];
  for (const [bytes, end] of cases) assert.equal(utf8SafeEnd(Uint8Array.from(bytes)), end, bytes.join(" "));
});

// Bytes that are near the borders of the encoding are far more likely to find a mistake than any byte.
const edge = fc.constantFrom(0x61, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc2, 0xdf, 0xe0, 0xe2, 0xed, 0xef);
const high = fc.constantFrom(0xf0, 0xf1, 0xf4, 0xf5, 0xff);
const chunks = fc.array(fc.array(fc.oneof(edge, high), { maxLength: 6 }), { maxLength: 8 });

test("any split of any bytes gives the text of the whole", () => {
  fc.assert(
    fc.property(chunks, (parts) => {
      const decoder = new Utf8Decoder();
      const text = parts.map((part) => decoder.feed(Uint8Array.from(part))).join("") + decoder.end();
      assert.equal(text, whole(Uint8Array.from(parts.flat())));
    }),
    { numRuns: runsOf(3000) },
  );
});

test("a cut at utf8SafeEnd changes no text and leaves at most three bytes", () => {
  fc.assert(
    fc.property(chunks, (parts) => {
      const bytes = Uint8Array.from(parts.flat());
      const end = utf8SafeEnd(bytes);
      assert.ok(bytes.length - end <= 3);
      assert.equal(whole(bytes.subarray(0, end)) + whole(bytes.subarray(end)), whole(bytes));
    }),
    { numRuns: runsOf(2000) },
  );
});

test("incompleteTailLength counts the beginning of a sequence, and nothing that cannot be completed", () => {
  const cases: readonly (readonly [readonly number[], number])[] = [
    [[], 0],
    [[0x41], 0],
    [[0x41, 0xc3], 1],
    [[0xc3, 0xa9], 0],
    [[0xe2, 0x82], 2],
    [[0xf0, 0x9f, 0x98], 3],
    [[0xf0, 0x9f, 0x98, 0x80], 0],
    [[0xe0, 0x80], 0],
    [[0xed, 0xa0], 0],
    [[0xc0], 0],
    [[0x80], 0],
    [[0xc3, 0x80, 0x80], 0],
  ];
  for (const [bytes, expected] of cases)
    assert.equal(incompleteTailLength(Uint8Array.from(bytes)), expected, bytes.join());
});

test("incompleteTailLength is what a streaming TextDecoder holds back", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 6 }), (bytes) => {
      const streamed = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true });
      assert.equal(whole(bytes.subarray(0, bytes.length - incompleteTailLength(bytes))), streamed);
    }),
    { numRuns: runsOf(2_000) },
  );
});

test("sequenceLength and isSecondByte know the leads of UTF-8", () => {
  assert.deepEqual([0x41, 0xc1, 0xc2, 0xe0, 0xf4, 0xf5].map(sequenceLength), [1, 1, 2, 3, 4, 1]);
  assert.equal(isSecondByte(0xe0, 0x9f), false);
  assert.equal(isSecondByte(0xe0, 0xa0), true);
});

test("sealTail replaces what is left of a sequence, and nothing else", () => {
  const out = Uint8Array.of(0x61, 0xe2, 0x82, 0, 0);
  assert.equal(sealTail(out, 3), 4);
  assert.equal(whole(out.subarray(0, 4)), "a\uFFFD");
  assert.equal(sealTail(Uint8Array.of(0x61), 1), 1);
});
