import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { runsOf } from "../../../test/support/searches.ts";
import { Tokenizer } from "../vt/tokenizer.ts";
import { OscReader, readOsc, type OscSequence } from "./osc-reader.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function read(...chunks: readonly Uint8Array[]): OscSequence[] {
  const reader = new OscReader({ sequenceBytesMax: 64 });
  let offset = 0;
  return chunks.flatMap((chunk) => {
    const found = reader.feed(chunk, offset);
    offset += chunk.length;
    return found;
  });
}

test("reads sequences that BEL and ST end, with their places", () => {
  assert.deepEqual(read(bytes("a\u001b]0;title\u0007b\u001b]133;D;0\u001b\\c")), [
    { offset: 1, end: 11, command: 0, data: "title" },
    { offset: 12, end: 23, command: 133, data: "D;0" },
  ]);
});

test("drops what a control character or another sequence cuts, and goes on behind it", () => {
  const input = "\u001b]0;a\u0018\u001b]0;b\u001b[31m\u001b]0;c\u001b]2;d\u0007\u001b\u001b]1;é\u001b\\";
  assert.deepEqual(
    read(bytes(input)).map(({ command, data }) => [command, data]),
    [
      [2, "d"],
      [1, "é"],
    ],
  );
});

test("swallows a sequence that is too long, and has no use for one without a number", () => {
  const input = `\u001b]0;${"x".repeat(100)}\u0007\u001b]hello\u0007\u001b]7\u0007`;
  assert.deepEqual(
    read(bytes(input)).map(({ command, data }) => [command, data]),
    [[7, ""]],
  );
});

test("forgets a beginning at a gap", () => {
  const reader = new OscReader();
  reader.feed(bytes("\u001b]0;a"), 0);
  reader.gap();
  assert.deepEqual(reader.feed(bytes("b\u0007"), 100), []);
});

test("reads the same at every cut", () => {
  const input = bytes("x\u001b]0;é\u001b\\y\u001b]7501;state=idle:app=a\u0007\u001b]0;cut\u001b]133;A\u001b\\");
  const whole = read(input);
  assert.equal(whole.length, 3);
  for (let cut = 0; cut <= input.length; cut += 1)
    assert.deepEqual(read(input.subarray(0, cut), input.subarray(cut)), whole, `cut at ${cut}`);
  assert.deepEqual(read(...Array.from(input, (byte) => Uint8Array.of(byte))), whole);
});

/** Token by token, without leaving anything out. */
function readAll(chunks: readonly Uint8Array[]): OscSequence[] {
  const tokens = new Tokenizer({ sequenceBytesMax: 64 });
  const found: OscSequence[] = [];
  let offset = 0;
  for (const chunk of chunks) {
    tokens.feed(chunk, offset);
    offset += chunk.length;
    for (let type = tokens.next(); type !== null; type = tokens.next()) {
      const sequence = type === "osc" ? readOsc(tokens) : undefined;
      if (sequence !== undefined) found.push(sequence);
    }
  }
  return found;
}

test("leaves out only what holds no command, at any chunking", () => {
  const parts = [
    "\u001b",
    "\u001b]",
    "\u001b]0;",
    "\u001bP",
    "\u001b[",
    "\u001b\\",
    "\u009d1;",
    "\u0090",
    "\u009c",
    "é",
    "\u00b0",
  ];
  const part = fc.constantFrom(...parts, "\u0007", "\u0018", "\n", "\u007f", "]", "m", "x", "1;");
  const bytesOf = fc.array(part, { maxLength: 30 }).map((all) => bytes(all.join("")));
  let commands = 0;
  fc.assert(
    fc.property(bytesOf, fc.array(fc.nat(60), { maxLength: 4 }), (input, cuts) => {
      const at = [0, ...cuts.map((cut) => Math.min(cut, input.length)).toSorted((a, b) => a - b), input.length];
      const chunks = at.slice(1).map((to, index) => input.subarray(at[index], to));
      const expected = readAll(chunks);
      commands += expected.length;
      assert.deepEqual(read(...chunks), expected);
    }),
    { numRuns: runsOf(5000) },
  );
  assert.ok(commands > runsOf(5000) / 50, `${commands} commands`);
});
