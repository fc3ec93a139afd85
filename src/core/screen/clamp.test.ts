import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { runsOf } from "../../../test/support/searches.ts";
import { Clamp } from "./clamp.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (data: Uint8Array): string => new TextDecoder("latin1").decode(data);

/** What comes out of one feed for each part, joined. */
function clampAll(parts: readonly Uint8Array[], options: { sequenceBytesMax?: number } = {}): string {
  const clamp = new Clamp({ columns: 80, rows: 24, ...options });
  return parts.map((part) => text(clamp.feed(part))).join("");
}

const clamped = (input: string, options: { sequenceBytesMax?: number } = {}): string =>
  clampAll([bytes(input)], options);

test("Clamp bounds the count of each costly function and keeps the length", () => {
  const expected: Record<string, string> = {
    L: "0000000024",
    M: "0000000024",
    S: "0000000024",
    T: "0000000024",
    E: "0000000024",
    F: "0000000024",
    I: "0000000080",
    Z: "0000000080",
    "@": "0000000080",
    P: "0000000080",
    X: "0000000080",
    " @": "0000000080",
    " A": "0000000080",
    "'}": "0000000080",
    "'~": "0000000080",
    b: "0000001920",
  };
  for (const [name, number] of Object.entries(expected)) {
    assert.equal(clamped(`a\u001B[2147483647${name}b`), `a\u001B[${number}${name}b`);
  }
});

test("Clamp passes counts within their bounds and every other sequence as they are", () => {
  for (const input of ["\u001B[24L", "\u001B[80I", "\u001B[38;2;255;128;64m", "\u001B[9999;9999H", "\u001B[?2026h"]) {
    assert.equal(clamped(input), input);
  }
});

test("Clamp finds sequences behind C1 controls in UTF-8", () => {
  assert.equal(
    new TextDecoder().decode(new Clamp({ columns: 80, rows: 24 }).feed(bytes("\u009B99999L"))),
    "\u009B00024L",
  );
});

test("Clamp takes controls out of a number that they cut in two", () => {
  assert.equal(clamped("\u001B[99\n99L"), "\n\u001B[0024L");
});

test("Clamp bounds a control sequence that a control splits behind its ESC", () => {
  assert.equal(clamped("\u001B\n[2147483647L"), "\n\u001B[0000000024L");
  assert.equal(clamped("\u001B\u007F[2147483647b"), "\u001B[0000001920b");
});

test("Clamp executes the controls of a sequence that is cut off, as a terminal does", () => {
  assert.equal(clamped("a\u001B[1\n\u001B[1m"), "a\n\u001B[1m");
});

test("Clamp follows a new size", () => {
  const clamp = new Clamp({ columns: 80, rows: 24 });
  clamp.resize(100, 50);
  assert.equal(text(clamp.feed(bytes("\u001B[999L\u001B[999X"))), "\u001B[050L\u001B[100X");
});

test("Clamp returns plain text without copying it", () => {
  const input = bytes("plain text \u001B[1mbold\u001B[0m\r\n");
  assert.equal(new Clamp({ columns: 80, rows: 24 }).feed(input).buffer, input.buffer);
});

test("Clamp drops strings that are too long and goes on behind their end", () => {
  const options = { sequenceBytesMax: 16 };
  assert.equal(clamped(`a\u001B]0;${"t".repeat(99)}\u0007b`, options), "ab");
  assert.equal(clamped(`a\u001BP${"t".repeat(99)}\u0007t\u001B\\b`, options), "ab");
  assert.equal(clamped(`a\u001B]0;${"t".repeat(99)}\u001B[1mb`, options), "a\u001B[1mb");
  assert.equal(clamped(`a\u001B[${"1;".repeat(99)}mb`, options), "ab");
  assert.equal(clamped("a\u001B]0;short\u0007b", options), "a\u001B]0;short\u0007b");
});

test("Clamp drops hyperlinks and strings that the screen has no use for", () => {
  assert.equal(clamped("\u001B]8;;https://example.org\u0007link\u001B]08;;\u001B\\."), "link.");
  assert.equal(clamped("a\u001B_Gf=100;AAAA\u001B\\b\u001B^x\u001B\\c\u001BXy\u0018d"), "abcd");
  assert.equal(clamped("\u001B]80;x\u0007"), "\u001B]80;x\u0007");
});

test("Clamp holds an unterminated title of 50 MB back in bounded memory", () => {
  const clamp = new Clamp({ columns: 80, rows: 24 });
  clamp.feed(bytes("\u001B]0;"));
  const part = bytes("t".repeat(1024 * 1024));
  for (let count = 0; count < 50; count += 1) {
    assert.equal(clamp.feed(part).length, 0);
    assert.ok(clamp.pending.length <= 8192);
  }
  assert.equal(text(clamp.feed(bytes("\u0007after"))), "after");
});

test("Clamp holds back the start of a sequence and of a code point", () => {
  const clamp = new Clamp({ columns: 80, rows: 24 });
  assert.equal(text(clamp.feed(bytes("a\u001B[1234"))), "a");
  assert.equal(text(clamp.pending), "\u001B[1234");
  assert.equal(text(clamp.feed(bytes("567L"))), "\u001B[0000024L");
  assert.equal(clamp.feed(Uint8Array.of(0xe2, 0x82)).length, 0);
  assert.deepEqual([...clamp.feed(Uint8Array.of(0xac))], [0xe2, 0x82, 0xac]);
});

test("Clamp forgets what it holds at a gap", () => {
  const clamp = new Clamp({ columns: 80, rows: 24 });
  clamp.feed(bytes("\u001B]0;title"));
  clamp.reset();
  assert.equal(text(clamp.feed(bytes("text"))), "text");
});

const piece = fc.oneof(
  fc.constantFrom("\u001B", "[", "]", "P", "\\", ";", "8", "99999", "L", "b", "m", "\u0007", "\u0018", "\n", "\u007F"),
  fc.constantFrom("\u009B", "\u009D", "\u009C", "é", "漢", "\u001B[9999999L", "\u001B]0;a\u001B\\", "\u001B_x\u001B\\"),
  fc.constantFrom("\u001B]8;;x\u0007", "t".repeat(20), "0", ":", "?", " ", "\u001B(0", "\u001B[1;2"),
);
const stream = fc.oneof(
  fc.array(piece, { maxLength: 30 }).map((pieces) => bytes(pieces.join(""))),
  fc.uint8Array({ maxLength: 60 }),
);

/** `data` in parts that end at `cuts`. */
function split(data: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const ends = [...new Set(cuts.map((cut) => cut % (data.length + 1)))].toSorted((one, other) => one - other);
  return [...ends, data.length].map((end, index) => data.subarray(index === 0 ? 0 : ends[index - 1], end));
}

test("Clamp gives the same at any chunking", () => {
  fc.assert(
    fc.property(stream, fc.array(fc.nat(), { maxLength: 8 }), (data, cuts) => {
      const options = { sequenceBytesMax: 16 };
      assert.equal(clampAll(split(data, cuts), options), clampAll([data], options));
    }),
    { numRuns: runsOf(2000) },
  );
});

/** Without the sequence that stands for a dropped one. */
const withoutIgnored = (output: string): string =>
  output.replace(/^\u001B(\]7777777;|\[0<).*?(\u0007|\u001B\\|[@-~])/s, "");

test("Clamp goes on from the pending bytes of another as that one does", () => {
  fc.assert(
    fc.property(stream, stream, (before, after) => {
      const options = { columns: 80, rows: 24, sequenceBytesMax: 64 };
      const first = new Clamp(options);
      first.feed(before);
      const second = new Clamp(options);
      assert.equal(second.feed(first.pending).length, 0);
      assert.equal(withoutIgnored(text(second.feed(after))), withoutIgnored(text(first.feed(after))));
    }),
    { numRuns: runsOf(500) },
  );
});

test("Clamp keeps the length of text and control sequences, whatever their numbers", () => {
  const sequence = fc
    .tuple(
      fc.array(fc.bigInt({ min: 0n, max: 10n ** 12n }), { maxLength: 3 }),
      fc.constantFrom(..."LMSTEFIZ@PXbmHJK".split("")),
    )
    .map(([numbers, final]) => `\u001B[${numbers.join(";")}${final}`);
  fc.assert(
    fc.property(fc.array(fc.oneof(sequence, fc.constantFrom("text", "漢字", "\r\n"))), (parts) => {
      const input = parts.join("");
      const output = clamped(input);
      assert.equal(output.length, bytes(input).length);
      assert.deepEqual(output.replaceAll(/\d+/g, ""), text(bytes(input)).replaceAll(/\d+/g, ""));
    }),
  );
});

test("Clamp counts each byte once: passed, dropped or held", () => {
  fc.assert(
    fc.property(stream, (data) => {
      const clamp = new Clamp({ columns: 80, rows: 24, sequenceBytesMax: 16 });
      const passed = clamp.feed(data).length + clamp.feed(Uint8Array.of(0x18, 0x18)).length;
      assert.equal(passed + clamp.bytesDropped, data.length + 2);
    }),
  );
});

test("Clamp leaves the caller's chunk as it is, a Buffer too", () => {
  const chunk = Buffer.from("a\u001B[99999b");
  const passed = new Clamp({ columns: 80, rows: 24 }).feed(chunk);
  assert.notEqual(text(passed), "a\u001B[99999b");
  assert.equal(chunk.toString(), "a\u001B[99999b");
});
