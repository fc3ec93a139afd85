import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { runsOf } from "../../../test/support/searches.ts";
import { Sanitizer, type SanitizerOptions } from "./sanitizer.ts";

const encoder = new TextEncoder();

/** Each character up to U+00FF is one byte, so that raw bytes can be written as `\x9b`. */
const raw = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));

function sanitize(chunks: readonly Uint8Array[], options?: SanitizerOptions): string {
  const sanitizer = new Sanitizer(options);
  return chunks.map((chunk) => sanitizer.feed(chunk)).join("") + sanitizer.end();
}

/** The kinds of input at which other strippers fail: [name, input as UTF-8, what a person reads]. */
const kinds: readonly (readonly [string, string, string])[] = [
  ["plain text", "a b\tc\n", "a b\tc\n"],
  ["colours", "\u001B[1;31mred\u001B[0m", "red"],
  ["colours with colons", "\u001B[38:2::1:2:3mx\u001B[m", "x"],
  ["cursor movement between lines", "\u001B[2J\u001B[10;20Hx\u001B[Ay\u001B[2J\r\u001B[1Bz", "x\ny\nz"],
  [
    "rows that are drawn one by one do not overwrite each other",
    "\u001B[Hlong row\r\u001B[1Brow\u001B[3;1Hlast",
    "long row\nrow\nlast",
  ],
  ["erase below, as the REPL of Node does", "> 1+1 preview\u001B[6G\u001B[0J2", "> 1+12"],
  ["a prompt that Python 3.13 draws", "2\r\n\u001B[?25l\u001B[1A\n>>> \u001B[?25h", "2\n>>> "],
  ["one row up and no line feed", "2\r\n\u001B[Ax\n\u001B[2A\ny\u001B[A\nz", "2\nx\n\ny\n\nz"],
  ["private modes", "\u001B[?2004h$ \u001B[?25l", "$ "],
  ["XTVERSION query", "\u001B[>qx", "x"],
  ["secondary attributes and kitty keys", "\u001B[>4;2m\u001B[>1u\u001B[<u\u001B[=1;2ux", "x"],
  ["cursor style", "\u001B[2 qx", "x"],
  ["soft reset, with an intermediate byte", "\u001B[!px", "x"],
  ["title ended by BEL", "\u001B]0;title\u0007x", "x"],
  ["title ended by ST", "\u001B]2;title\u001B\\x", "x"],
  ["link", "\u001B]8;;http://h/\u001B\\text\u001B]8;;\u001B\\", "text"],
  ["title with letters whose UTF-8 holds 0x9C", "\u001B]0;✜œ\u0007x", "x"],
  ["DCS", "a\u001BP1$r0m\u001B\\b", "ab"],
  ["DCS with BEL inside", "a\u001BPq\u0007q\u001B\\b", "ab"],
  ["APC", "a\u001B_Gf=100;AAAA\u001B\\b", "ab"],
  ["PM", "a\u001B^private\u001B\\b", "ab"],
  ["SOS", "a\u001BXstring\u001B\\b", "ab"],
  ["charsets", "\u001B(0\u001B)B\u001B%Gx\u001B#8", "x"],
  ["two-byte escapes", "\u001B7a\u001B8\u001B=\u001B>\u001BMb\u001Bc", "ab"],
  ["C1 as UTF-8: CSI", "\u009B31mred\u009B0m", "red"],
  ["C1 as UTF-8: OSC and ST", "\u009D0;title\u009Cx", "x"],
  ["C1 as UTF-8: DCS, SOS, PM, APC", "a\u0090q\u009Cb\u0098s\u009Cc\u009Ep\u009Cd\u009Fa\u009Ce", "abcde"],
  ["C1 as UTF-8: NEL and others", "a\u0085b\u008Dc\u0080", "abc"],
  ["C0 controls", "a\u0000b\u0007c\u000Ed\u000Fe\u007Ff\u000B\u000Cg", "abcdefg"],
  ["CAN ends a control sequence", "a\u001B[31\u0018mb", "amb"],
  ["SUB ends a string", "a\u001B]0;t\u001Ab", "ab"],
  ["ESC in a control sequence begins the next", "a\u001B[3\u001B[31mb", "ab"],
  ["ESC in a string begins the next", "a\u001B]0;title\u001B[31mb", "ab"],
  ["line feed in a control sequence is obeyed", "a\u001B[3\n1mb", "a\nb"],
  ["delete in a control sequence is nothing", "a\u001B[3\u007F1mb", "ab"],
  ["a letter beyond ASCII in a control sequence ends it", "a\u001B[3éb", "aéb"],
  ["unfinished escape", "a\u001B", "a"],
  ["unfinished control sequence", "a\u001B[31", "a"],
  ["unfinished OSC", "a\u001B]0;title", "a"],
  ["unfinished DCS over lines", "a\u001BPq\nb\nc", "a"],
  ["CRLF", "a\r\nb\r\r\nc\r\n", "a\nb\nc\n"],
  ["progress", "  5%\r 50%\r100%\n", "100%\n"],
  ["a shorter line over a longer one", "abcdef\rxy\n", "xycdef\n"],
  ["a carriage return at the end", "50%\r", "50%"],
  ["backspace", "abc\b\bX", "aXc"],
  ["backspace at the start", "\b\ba", "a"],
  ["erased with blanks", "abc\b \b\b \b\n", "a\n"],
  ["blanks before the cursor stay", "$ x\b \b", "$ "],
  ["blanks that were written stay", "a  \r\n", "a  \n"],
  ["erase to the end of the line", "long text\r\u001B[Kok", "ok"],
  ["erase the whole line", "text\u001B[2K\rok", "ok"],
  ["erase to the start", "abcd\b\b\u001B[1Kx", "  xd"],
  ["column and relative movement", "abcdef\u001B[3GX\u001B[2DY\u001B[CZ", "aYXZef"],
  ["delete and insert", "abcdef\r\u001B[2P\u001B[@X", "Xcdef"],
  ["erase characters", "abcdef\r\u001B[2Xz", "z cdef"],
  ["movement over nothing leaves blanks", "a\u001B[3Cb", "a   b"],
  ["wide letters take two columns", "中x\b\b\bab", "abx"],
  ["half of a wide letter overwritten", "中x\rab", "abx"],
  ["the right half of a wide letter overwritten", "中x\b\bb", " bx"],
  ["combining marks are part of their letter", "e\u0301x\b\bo", "ox"],
  ["emoji beyond the basic plane", "😀x\b\b\bab", "abx"],
  ["a tab that is moved over", "a\tb\r\tc", "a\tc"],
  ["a tab that is written into", "a\tb\r12", "12      b"],
  ["text beyond ASCII", "żółw 日本 😀\n", "żółw 日本 😀\n"],
];

for (const [name, input, expected] of kinds) {
  test(`Sanitizer, ${name}: right as a whole and cut in two anywhere`, () => {
    const bytes = encoder.encode(input);
    assert.equal(sanitize([bytes]), expected);
    for (let cut = 0; cut <= bytes.length; cut++) {
      assert.equal(sanitize([bytes.subarray(0, cut), bytes.subarray(cut)]), expected, `cut at ${cut}`);
    }
  });
}

test("Sanitizer replaces invalid UTF-8, raw C1 bytes among it", () => {
  assert.equal(sanitize([raw("a\xffb")]), "a\uFFFDb");
  assert.equal(sanitize([raw("a\x93quoted\x94 \x9b31m")]), "a\uFFFDquoted\uFFFD \uFFFD31m");
  assert.equal(sanitize([raw("a\xe2\x82")]), "a\uFFFD");
  assert.equal(sanitize([raw("\xc2\u001B[1m")]), "\uFFFD");
});

test("Sanitizer does not join the halves of a letter over a removed sequence", () => {
  assert.equal(sanitize([raw("\xe2\u001B[1m\x82\xac\n")]), "\uFFFD\uFFFD\uFFFD\n");
});

test("Sanitizer obeys raw C1 bytes where it is asked to, but not those inside UTF-8", () => {
  assert.equal(sanitize([raw("\x9b31mred\x9bm")], { rawC1: true }), "red");
  assert.equal(sanitize([raw("\x9d0;title\x9cx")], { rawC1: true }), "x");
  assert.equal(sanitize([raw("\xe2\x9c\x9c\xc5\x93")], { rawC1: true }), "✜œ");
});

test("Sanitizer returns finished lines and shows the open one", () => {
  const sanitizer = new Sanitizer();
  assert.equal(sanitizer.feed(raw("one\r\ntwo\r\n$ ")), "one\ntwo\n");
  assert.equal(sanitizer.pending, "$ ");
  assert.equal(sanitizer.feed(raw("x\r# ")), "");
  assert.equal(sanitizer.pending, "# x");
  assert.equal(sanitizer.end(), "# x");
  assert.equal(sanitizer.pending, "");
});

test("Sanitizer lets go of a line that is longer than the limit, without losing any of it", () => {
  assert.equal(sanitize([raw("abcdefghij\rX")], { lineCharsMax: 4 }), "abcdefghXj");
  assert.equal(sanitize([raw("ab\r\u001B[3Cabcdefgh")], { lineCharsMax: 8 }), "ab abcdefgh");
});

test("Sanitizer reads on as text where a sequence is longer than the limit, and counts it", () => {
  const sanitizer = new Sanitizer({ sequenceBytesMax: 100 });
  assert.equal(sanitizer.feed(raw(`a\u001B]${"x".repeat(100)}b\n`)), "ab\n");
  assert.equal(sanitizer.feed(raw(`a\u001B[${"1".repeat(100)}b\n`)), "ab\n");
  assert.equal(sanitizer.sequencesCut, 2);
});

test("Sanitizer bounds what movement and combining marks can ask for", () => {
  const moved = sanitize([raw("\u001B[9999Cx".repeat(100))]);
  assert.ok(moved.length <= 100 * 257, `${moved.length}`);
  const marks = sanitize([encoder.encode(`\re${"\u0301".repeat(10_000)}`)], { lineCharsMax: 100 });
  assert.equal(marks.length, 10_001);
});

test("Sanitizer reads a flood of carriage returns in linear time", () => {
  const flood = new Uint8Array(4_194_304).fill(0x0d);
  for (const portable of [false, true]) assert.equal(sanitize([raw("a\n"), flood, raw("b")], { portable }), "a\nb");
});

const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...kinds.map(([, input]) => input)).map((text) => encoder.encode(text)) },
  { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => encoder.encode(text)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 12 }) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(
        "\r",
        "\n",
        "\b",
        "\t",
        "\u001B",
        "\u001B[K",
        "\u001B[J",
        "\u001B[B",
        "\u001B[5C",
        "\u001B]",
        "\u0090",
        "\u009C",
      )
      .map((text) => encoder.encode(text)),
  },
);

test("Sanitizer keeps the lines in front of a tab that stands where the carriage returned", () => {
  assert.equal(sanitize([encoder.encode("one\n \u001B\r\t")]), "one\n ");
  assert.equal(sanitize([encoder.encode("one\n two\u001B\r\t")]), "one\n two");
});

test("Sanitizer gives the same text at any chunking of any bytes", () => {
  const options = fc.record({
    lineCharsMax: fc.constantFrom(2, 7, 65_536),
    sequenceBytesMax: fc.constantFrom(64, 1_000),
    rawC1: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 12 }),
      fc.array(fc.nat(), { maxLength: 8 }),
      options,
      (pieces, at, limits) => {
        const bytes = new Uint8Array(Buffer.concat(pieces));
        const cuts = at.map((cut) => cut % (bytes.length + 1)).toSorted((one, two) => one - two);
        const chunks = [0, ...cuts].map((cut, index) => bytes.subarray(cut, cuts[index] ?? bytes.length));
        const bytewise = Array.from(bytes, (byte) => Uint8Array.of(byte));
        const whole = sanitize([bytes], limits);
        assert.equal(sanitize(chunks, limits), whole);
        assert.equal(sanitize(chunks, { ...limits, portable: true }), whole);
        assert.equal(sanitize(bytewise, limits), whole);
      },
    ),
    { numRuns: runsOf(1_000) },
  );
});

test("Sanitizer leaves no control but line feed and tab, whatever the bytes are", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = sanitize([new Uint8Array(Buffer.concat(pieces))]);
      assert.doesNotMatch(text, /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/);
      assert.ok(text.isWellFormed());
    }),
    { numRuns: runsOf(1_000) },
  );
});

test("behind a gap the rest of a cut sequence is no text, at any cut and any chunking", () => {
  const mark = "\u001B]133;D;0;n=AbCdEfGhIjKl\u0007";
  for (let cut = 1; cut <= mark.length; cut += 1) {
    for (const length of [1, 5, 1000]) {
      const sanitizer = new Sanitizer();
      const bytes = encoder.encode(`${mark.slice(cut)}$ ls\nend`);
      let text = sanitizer.feed(encoder.encode(`one\n${mark.slice(0, cut)}`));
      sanitizer.gap();
      for (let at = 0; at < bytes.length; at += length) text += sanitizer.feed(bytes.subarray(at, at + length));
      assert.equal(text + sanitizer.end(), "one\n$ ls\nend");
    }
  }
});

test("what is skipped is not returned, and a sequence that it opens goes on", () => {
  const sanitizer = new Sanitizer();
  sanitizer.skip(encoder.encode("one\ntwo\u001B]2;ti"));
  assert.equal(sanitizer.feed(encoder.encode("tle\u0007three\n")), "three\n");
});
