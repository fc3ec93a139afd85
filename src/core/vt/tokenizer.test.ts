import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { runsOf } from "../../../test/support/searches.ts";
import { nextState, type ParserState } from "./parser-state.ts";
import { Tokenizer, finalsBut, type TokenizerOptions } from "./tokenizer.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const latin1 = (data: Uint8Array): string => String.fromCharCode(...data);

/** `type start-end bytes`, the bytes only of what is whole; text that follows text is joined to it. */
function read(chunks: readonly Uint8Array[], options: TokenizerOptions = {}, isSavedBetween = false): string[] {
  const found: { type: string; start: number; end: number; rest: string }[] = [];
  let tokens = new Tokenizer(options);
  let offset = 0;
  for (const chunk of chunks) {
    tokens.feed(chunk, offset);
    for (let type = tokens.next(); type !== null; type = tokens.next()) {
      const { start, end, ending } = tokens;
      const last = found.at(-1);
      const rest = ending === "whole" ? latin1(tokens.bytes) : `(${ending})`;
      if (type === "text" && last?.type === "text" && last.end === start)
        found.splice(-1, 1, { ...last, end, rest: last.rest + rest });
      else found.push({ type, start, end, rest });
    }
    offset += chunk.length;
    if (!isSavedBetween) continue;
    const saved = tokens.save();
    tokens = new Tokenizer(options);
    tokens.restore(structuredClone(saved));
  }
  return found.map(({ type, start, end, rest }) => `${type} ${start}-${end} ${rest}`.replaceAll("\u001B", "^"));
}

const readText = (text: string, options?: TokenizerOptions): string[] => read([bytes(text)], options);

test("Tokenizer reads text and each kind of sequence with its place", () => {
  assert.deepEqual(readText("a\n\u001B[1;2mb\u001B(0\u001B]0;t\u0007\u001BPq\u001B\\\u001B^p\u001B\\c"), [
    "text 0-2 a\n",
    "csi 2-8 ^[1;2m",
    "text 8-9 b",
    "escape 9-12 ^(0",
    "osc 12-18 ^]0;t\u0007",
    "dcs 18-23 ^Pq^\\",
    "string 23-28 ^^p^\\",
    "text 28-29 c",
  ]);
});

test("Tokenizer reads C1 controls in UTF-8, and no raw ones", () => {
  assert.deepEqual(readText("\u009B1m\u0084\u009D0;t\u009C\u00A0"), [
    "csi 0-4 \u00C2\u009B1m",
    "escape 4-6 \u00C2\u0084",
    "osc 6-13 \u00C2\u009D0;t\u00C2\u009C",
    "text 13-15 \u00C2\u00A0",
  ]);
  assert.deepEqual(read([Uint8Array.of(0x9b, 0x31, 0x6d)]), ["text 0-3 \u009B1m"]);
});

test("Tokenizer gives a control within a sequence in front of the sequence, and the sequence without it", () => {
  assert.deepEqual(readText("\u001B[1\n2\u007FmA"), ["control 3-4 \n", "csi 0-7 ^[12m", "text 7-8 A"]);
  // A terminal opens a control sequence here.
  assert.deepEqual(readText("\u001B\n[5L"), ["control 1-2 \n", "csi 0-5 ^[5L"]);
});

test("Tokenizer reports what CAN, another sequence or a letter beyond ASCII cuts off", () => {
  assert.deepEqual(readText("\u001B[1\u0018m"), ["csi 0-4 (cut)", "text 4-5 m"]);
  assert.deepEqual(readText("\u001B]0;a\u001B[m"), ["osc 0-5 (cut)", "csi 5-8 ^[m"]);
  assert.deepEqual(readText("\u001B]0;a\u009Bm"), ["osc 0-5 (cut)", "csi 5-8 \u00C2\u009Bm"]);
  assert.deepEqual(readText("\u001B[1é"), ["csi 0-3 (cut)", "text 3-5 \u00C3\u00A9"]);
  assert.deepEqual(readText("\u001B\u001B[m"), ["escape 0-1 (cut)", "csi 1-4 ^[m"]);
});

test("Tokenizer reports a sequence that is too long, and goes on behind its end", () => {
  const options = { sequenceBytesMax: 8 };
  assert.deepEqual(readText("\u001B]0;1234\u0007", options), ["osc 0-9 (too-long)"]);
  assert.deepEqual(readText("\u001B]0;123\u0007a", options), ["osc 0-8 ^]0;123\u0007", "text 8-9 a"]);
  assert.deepEqual(readText("\u001B[1234567ma", options), ["csi 0-10 (too-long)", "text 10-11 a"]);
});

test("Tokenizer takes what follows for text where nothing ends an opener", () => {
  assert.deepEqual(readText("\u001BP1234567", { releaseBytesMax: 4 }), ["dcs 0-6 (released)", "text 6-9 567"]);
});

test("Tokenizer holds a bounded part of a sequence that does not end", () => {
  const tokens = new Tokenizer({ sequenceBytesMax: 1000 });
  tokens.feed(bytes("\u001B]0;"), 0);
  for (let count = 0; count < 100; count++) {
    assert.equal(tokens.next(), null);
    assert.ok(tokens.held.length <= 1000);
    tokens.feed(bytes("t".repeat(100)), count * 100);
  }
  assert.equal(tokens.next(), null);
  assert.equal(tokens.isTooLong, true);
});

test("Tokenizer leaves plain control sequences in the text", () => {
  const numbers = { plain: { finals: "m", parameters: "numbers" } } as const;
  assert.deepEqual(readText("a\u001B[1;31mb\u001B[?1mc\u001B[K", numbers), [
    "text 0-9 a^[1;31mb",
    "csi 9-14 ^[?1m",
    "text 14-15 c",
    "csi 15-18 ^[K",
  ]);
  assert.deepEqual(readText("\u001B[12345m", numbers), ["csi 0-8 ^[12345m"]);
  assert.deepEqual(readText("\u001B[?25l\u001B[J", { plain: { finals: finalsBut("J"), parameters: "any" } }), [
    "text 0-6 ^[?25l",
    "csi 6-9 ^[J",
  ]);
});

test("Tokenizer forgets what is open on reset", () => {
  const tokens = new Tokenizer();
  tokens.feed(bytes("\u001B]0;t"), 0);
  assert.equal(tokens.next(), null);
  tokens.reset();
  tokens.feed(bytes("x"), 9);
  assert.deepEqual([tokens.next(), tokens.start, tokens.end], ["text", 9, 10]);
});

test("Tokenizer gives the parts of a sequence", () => {
  const tokens = new Tokenizer();
  tokens.feed(bytes("\u001B]0;é\u001B\\\u001B[?25h\u001B(B\u0084\u009B1m"), 0);
  assert.equal(tokens.next(), "osc");
  assert.equal(tokens.body, "0;é");
  const texts = [1, 2, 3, 4].map(() => (tokens.next(), tokens.text));
  assert.deepEqual(texts, ["?25h", "(B", "D", "1m"]);
  assert.deepEqual([tokens.length, tokens.byteAt(2), tokens.byteAt(4), tokens.final], [4, 0x31, 0, 0x6d]);
});

const piece = fc.oneof(
  fc.constantFrom("\u001B", "[", "]", "P", "X", "\\", "c", "(", "?", "1", ";", "m", "\u0007", "\u0018", "\n", "\u007F"),
  fc.constantFrom("\u009B", "\u009C", "\u009D", "\u0084", "\u00A0", "é", "漢", "😀", "text", "t".repeat(20)),
  fc.constantFrom("\u001B[", "\u001B]0;", "\u001B\\", "\u001B[1m", "\u001BP"),
);
const stream = fc.oneof(
  fc.array(piece, { maxLength: 20 }).map((pieces) => bytes(pieces.join(""))),
  fc
    .array(fc.oneof(piece.map(bytes), fc.uint8Array({ maxLength: 3 })), { maxLength: 12 })
    .map((parts) => Uint8Array.from(parts.flatMap((part) => [...part]))),
);
const limits = { sequenceBytesMax: 16, releaseBytesMax: 30 };

test("Tokenizer gives what is left of a code point whose beginning was released as text", () => {
  const data = Uint8Array.from([...bytes(`\u001B]0;${"t".repeat(27)}`), 0xe0, 0xa0]);
  const expected = ["osc 0-32 (released)", "text 32-33 \u00A0"];
  assert.deepEqual(read([data], limits), expected);
  assert.deepEqual(read([data.subarray(0, 32), data.subarray(32)], limits), expected);
});

test("Tokenizer gives the same at any chunking, also where it is saved between chunks", () => {
  fc.assert(
    fc.property(stream, fc.array(fc.nat(), { maxLength: 6 }), (data, places) => {
      const whole = read([data], limits);
      const cuts = places.map((place) => place % (data.length + 1)).toSorted((one, other) => one - other);
      const chunks = [0, ...cuts].map((cut, index) => data.subarray(cut, cuts[index] ?? data.length));
      assert.deepEqual(read(chunks, limits), whole);
      assert.deepEqual(read(chunks, limits, true), whole);
      assert.deepEqual(
        read(
          Array.from(data, (byte) => Uint8Array.of(byte)),
          limits,
        ),
        whole,
      );
    }),
    { numRuns: runsOf(2_000) },
  );
});

test("Tokenizer stands behind each byte where the table of states does", () => {
  fc.assert(
    fc.property(stream, (data) => {
      const tokens = new Tokenizer();
      let state: ParserState = "ground";
      for (const [index, byte] of data.entries()) {
        tokens.feed(Uint8Array.of(byte), index);
        while (tokens.next() !== null);
        state = nextState(state, byte);
        assert.equal(tokens.state, state === "ground-lead" ? "ground" : state);
      }
    }),
  );
});

test("Tokenizer gives each byte once", () => {
  fc.assert(
    fc.property(stream, (data) => {
      const tokens = new Tokenizer();
      const seen = new Uint8Array(data.length);
      tokens.feed(data, 0);
      for (let type = tokens.next(); type !== null; type = tokens.next())
        for (let at = tokens.start; at < tokens.end; at++) seen[at] = (seen[at] ?? 0) + (type === "control" ? 0 : 1);
      const held = data.length - seen.indexOf(0);
      assert.ok(seen.every((count, at) => count === 1 || (count === 0 && at >= data.length - held)));
    }),
  );
});
