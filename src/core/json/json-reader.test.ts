import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { runsOf } from "../../../test/support/searches.ts";
import { type HealResult, JsonReader, type JsonStringPiece } from "./json-reader.ts";

function readPieces(pieces: readonly string[]): { result: HealResult; strings: JsonStringPiece[] } {
  const reader = new JsonReader();
  const strings = pieces.flatMap((piece) => reader.feed(piece));
  return { result: reader.end(), strings };
}

/** In one piece, character by character, and with each one cut: all must be alike. */
function readEveryWay(text: string): HealResult {
  const whole = readPieces([text]).result;
  assert.deepEqual(readPieces(text.split("")).result, whole, "one by one");
  for (let cut = 1; cut < text.length; cut += 1) {
    assert.deepEqual(readPieces([text.slice(0, cut), "", text.slice(cut)]).result, whole, `cut at ${cut}`);
  }
  return whole;
}

const valid = [
  "{}",
  "[]",
  "null",
  "true",
  "false",
  "0",
  "-0",
  "12",
  "-1.5e+3",
  "1E5",
  "0.1",
  '""',
  '"a"',
  " \t\r\n[ ] ",
  '{"a":1,"b":[true,null,{"c":"d"}]}',
  '{"a":{"a":{"a":[[[]]]}}}',
  '{"":0}',
  '{"a":1,"a":2,"b":3,"a":4}',
  String.raw`"\"\\\/\b\f\n\r\t\u0041\u00e9\ud83d\ude00"`,
  String.raw`"\ud800"`,
  String.raw`"\udc00\ud800x"`,
  String.raw`{"k\"":1,"k\\":2,"\u006b":3}`,
  '{"__proto__":{"a":1},"constructor":2}',
  '"\u007f\u2028é漢👩"',
  "[1,2 ,3\n,4]",
  "123456789012345678901234567890",
  "1e999",
  '{"1":1,"0":0}',
  "[-0.0,1e-400]",
];

for (const text of valid) {
  test(`JsonReader reads under every chunking: ${text}`, () => {
    const result = readEveryWay(text);
    assert.ok(result.ok && result.complete);
    assert.equal(result.json, text);
    // The values are right on every engine; the keys of this list do not meet the fault of nodejs/node#63785.
    assert.deepEqual(result.value, JSON.parse(text));
  });
}

const invalid = [
  "{]",
  "[}",
  "}",
  "]",
  ",",
  ":",
  "x",
  "nul1",
  "tru}",
  "True",
  "NaN",
  "Infinity",
  "-x",
  "+1",
  ".5",
  "01 ",
  "1.e2 ",
  "1. ",
  "1e ",
  "-  ",
  "--1 ",
  "0x1",
  "1_0",
  "'a'",
  "[1,]",
  "[,1]",
  '{"a":1,}',
  "{,}",
  '{"a"}',
  '{"a",1}',
  "{1:2}",
  '{"a":}',
  '{"a"::1}',
  '{"a":1 "b":2}',
  "[1 2]",
  "[1;2]",
  '"\t"',
  '"\n"',
  '"\0"',
  String.raw`"\x41"`,
  "\uFEFF{}",
  String.raw`"\u12g4"`,
  String.raw`"\'"`,
  "// a\n1",
  "/* a */1",
  "{a:1}",
  "\u00a01",
  "\v1",
  "undefined",
  "[1}",
  "{} {}",
  "1 2",
  '"a" x',
  "[] ]",
  "{}}",
  "null,",
];

for (const text of invalid) {
  test(`JsonReader refuses under every chunking: ${JSON.stringify(text)}`, () => {
    assert.throws(() => JSON.parse(text), SyntaxError);
    const result = readEveryWay(text);
    assert.ok(!result.ok);
    assert.ok(result.reason === "invalid" || result.reason === "trailing", result.reason);
  });
}

function refusal(text: string): unknown {
  const { result } = readPieces([text]);
  return result.ok ? null : [result.reason, result.at];
}

test("JsonReader names why and where it refuses", () => {
  assert.deepEqual(refusal(""), ["empty", 0]);
  assert.deepEqual(refusal("  "), ["empty", 2]);
  assert.deepEqual(refusal('{"a":x}'), ["invalid", 5]);
  assert.deepEqual(refusal("[1,01]"), ["invalid", 4]);
  assert.deepEqual(refusal("{} x"), ["trailing", 3]);
  assert.deepEqual(refusal("[".repeat(513)), ["depth", 512]);
});

/** Writes a value with each character of each string escaped or not, as `pick` says: no JSON.parse is involved. */
function writeWithEscapes(value: unknown, pick: () => boolean): string {
  if (typeof value === "string") {
    const units = value.split("").map((unit) => {
      const mustEscape = /["\\\u0000-\u001f]/.test(unit);
      return mustEscape || pick() ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}` : unit;
    });
    return `"${units.join("")}"`;
  }
  if (Array.isArray(value)) return `[${value.map((item) => writeWithEscapes(item, pick)).join(" ,")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).map(([key, item]) => {
    return `${writeWithEscapes(key, pick)}: ${writeWithEscapes(item, pick)}`;
  });
  return `{${members.join(",\n")}}`;
}

const units = ["a", "b", "k", "\\", '"', "/", "é", "漢", "\ud83d", "\ude00", "\u0000", "\n", "__proto__", "👩"];
const anyText = fc.string({ unit: fc.constantFrom(...units) });
const anyValue = fc
  .jsonValue({ maxDepth: 4 })
  .chain((value) =>
    fc.tuple(fc.constant(value), fc.dictionary(anyText, anyText)).map(([first, second]) => [first, second]),
  );

test("JsonReader gives back any value, however it was escaped and cut", () => {
  fc.assert(
    fc.property(anyValue, fc.array(fc.boolean(), { minLength: 1 }), fc.array(fc.nat(9)), (value, picks, sizes) => {
      let picked = 0;
      const text = writeWithEscapes(value, () => picks[picked++ % picks.length]!);
      const pieces: string[] = [];
      let start = 0;
      for (const size of sizes) {
        pieces.push(text.slice(start, start + size));
        start += size;
      }
      pieces.push(text.slice(start));
      const { result } = readPieces(pieces);
      assert.ok(result.ok && result.complete);
      // -0 is written as 0.
      assert.equal(
        writeWithEscapes(result.value, () => false),
        writeWithEscapes(value, () => false),
      );
    }),
    { numRuns: runsOf(300) },
  );
});

test("JsonReader makes __proto__ an ordinary own key", () => {
  const { result } = readPieces(['{"__proto__":{"polluted":true},"a":{"__proto__":1}}']);
  assert.ok(result.ok);
  const value = result.value as Record<string, unknown>;
  assert.deepEqual(Object.keys(value), ["__proto__", "a"]);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.equal((value as { polluted?: boolean }).polluted, undefined);
});

test("JsonReader shows the live value after each piece", () => {
  const reader = new JsonReader();
  assert.equal(reader.value, undefined);
  reader.feed('{"a":"he');
  const live = reader.value;
  assert.deepEqual(live, { a: "he" });
  reader.feed('llo","b":[1,2');
  assert.equal(reader.value, live, "it is the same object");
  assert.deepEqual(live, { a: "hello", b: [1] });
  reader.feed(",tru");
  assert.deepEqual(live, { a: "hello", b: [1, 2] });
  reader.feed('e,{"c":""');
  assert.deepEqual(live, { a: "hello", b: [1, 2, true, { c: "" }] });
  reader.feed("}]}");
  assert.ok(reader.end().ok);
});

test("JsonReader shows valid text of an open string at every cut", () => {
  const text = String.raw`{"a":"x\n\ud83d\ude00y👩é\\\"\u00e9"}`;
  const whole = 'x\n😀y👩é\\"é';
  for (let cut = 6; cut < text.length; cut += 1) {
    const reader = new JsonReader();
    reader.feed(text.slice(0, cut));
    const { a } = reader.value as { a: string };
    assert.ok(whole.startsWith(a) && a.isWellFormed(), `${cut}: ${a}`);
  }
});

test("JsonReader says what is partial, by JSON Pointer", () => {
  const reader = new JsonReader();
  assert.ok(reader.isPartial(""));
  reader.feed('{"a":[1,{"b/c~d":"x');
  assert.equal(reader.openPath, "/a/1/b~1c~0d");
  assert.ok(reader.isPartial("/a/1/b~1c~0d"));
  assert.ok(reader.isPartial("/a/1"));
  assert.ok(!reader.isPartial("/a/0"));
  assert.ok(!reader.isPartial("/a/1/b"));
  reader.feed('"},23');
  assert.equal(reader.openPath, "/a/2");
  assert.ok(!reader.isPartial("/a/1"));
  reader.feed("]");
  assert.equal(reader.openPath, "");
  assert.ok(!reader.isPartial("/a"));
  reader.feed("}");
  assert.equal(reader.openPath, null);
  assert.ok(!reader.isPartial(""));
});

test("JsonReader streams the first string argument in the feed that brings it, and no other", () => {
  const reader = new JsonReader();
  assert.deepEqual(reader.feed('{"n":1,"o":{"p":"q"},"command":"l'), [{ path: "/command", text: "l", end: false }]);
  assert.deepEqual(reader.feed("s\\"), [{ path: "/command", text: "s", end: false }]);
  assert.deepEqual(reader.feed("n"), [{ path: "/command", text: "\n", end: false }]);
  assert.deepEqual(reader.feed('","other":"x'), [{ path: "/command", text: "", end: true }]);
  assert.deepEqual(reader.feed('y"}'), []);
});

test("JsonReader streams the first string argument whole under any chunking", () => {
  const text = String.raw`{"command":"echo \"a\" \ud83d\ude00 é","x":"y"}`;
  for (let size = 1; size < text.length; size += 1) {
    const reader = new JsonReader();
    const pieces: JsonStringPiece[] = [];
    for (let start = 0; start < text.length; start += size)
      pieces.push(...reader.feed(text.slice(start, start + size)));
    assert.equal(pieces.map((piece) => piece.text).join(""), 'echo "a" 😀 é');
    assert.deepEqual(
      pieces.map((piece) => piece.end),
      pieces.map((_, index) => index === pieces.length - 1),
    );
  }
});

test("JsonReader ignores what comes after a refusal", () => {
  const reader = new JsonReader();
  reader.feed("{]");
  assert.deepEqual(reader.refusal, { reason: "invalid", at: 1 });
  reader.feed('"a":1}');
  assert.deepEqual(reader.end(), { ok: false, reason: "invalid", at: 1 });
});

test("JsonReader refuses more than its limits", () => {
  const sized = new JsonReader({ textCharsMax: 10 });
  sized.feed('["12345');
  sized.feed('6"]');
  assert.equal(sized.refusal, null);
  sized.feed(" ");
  assert.deepEqual(sized.end(), { ok: false, reason: "size", at: 10 });
  const deep = new JsonReader({ depthMax: 2 });
  deep.feed('[{"a":1}');
  assert.equal(deep.refusal, null);
  deep.feed(',{"a":[');
  assert.deepEqual(deep.end(), { ok: false, reason: "depth", at: 14 });
});

test("JsonReader reads 512 open brackets and stops at the first one more", () => {
  const reader = new JsonReader();
  reader.feed("[".repeat(512));
  assert.equal(reader.refusal, null);
  const result = reader.end();
  assert.ok(result.ok);
  assert.equal(result.json, "[".repeat(512) + "]".repeat(512));
});
