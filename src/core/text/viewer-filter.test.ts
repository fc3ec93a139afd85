import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { runsOf } from "../../../test/support/searches.ts";
import { ViewerFilter } from "./viewer-filter.ts";
import type { ViewerMode } from "./viewer-policy.ts";

const raw = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));

function filter(chunks: readonly Uint8Array[], mode: ViewerMode = "live"): string {
  const viewer = new ViewerFilter({ mode });
  const out = chunks.map((chunk) => viewer.feed(chunk));
  return Buffer.concat([...out, viewer.end()]).toString("utf8");
}

const filtered = (text: string, mode?: ViewerMode): string => filter([new TextEncoder().encode(text)], mode);

test("ViewerFilter returns a chunk without controls of interest as it is", () => {
  const viewer = new ViewerFilter({ mode: "replay" });
  for (const text of ["plain\r\n\ttext\b \u0007", "żółw 日本 😀 £", ""]) {
    const chunk = new TextEncoder().encode(text);
    assert.equal(viewer.feed(chunk), chunk);
  }
});

test("ViewerFilter passes what draws", () => {
  const text =
    "\u001B[?1049h\u001B[2J\u001B[H\u001B[1;31mred\u001B[m\u001B(0qqq\u001B(B\u001B7\u001B8\u001B[3;1Hx\u001B[?25l\u001B]2;title\u001B\\\r\n";
  assert.equal(filtered(text, "replay"), text);
});

const attacks: readonly (readonly [string, string])[] = [
  ["clipboard write", "\u001B]52;c;aGk=\u0007"],
  ["clipboard read", "\u001B]52;c;?\u001B\\"],
  ["DECRQSS", "\u001BP$qm\u001B\\"],
  ["XTGETTCAP", "\u001BP+q544e\u001B\\"],
  ["DECUDK", "\u001BP0;1|17/6869\u001B\\"],
  ["tmux passthrough", "\u001BPtmux;\u001B\u001B]52;c;aGk=\u0007\u001B\\"],
  ["title report", "\u001B[21t"],
  ["answerback", "\u0005"],
  ["media copy", "\u001B[5i"],
  ["kitty file transfer", "\u001B_Gt=f;L2V0Yy9wYXNzd2Q=\u001B\\"],
  ["notification", "\u001B]777;notify;a;b\u0007"],
  ["iTerm2 file", "\u001B]1337;File=name=eA==:AAAA\u0007"],
  ["8-bit clipboard write", "\u009D52;c;aGk=\u009C"],
  ["8-bit DCS", "\u0090$qm\u009C"],
  ["checksum of a rectangle", "\u001B[1;1;1;1;1;1*y"],
  ["7-bit to 8-bit controls", "\u001B G"],
  ["leaving UTF-8", "\u001B%@"],
];

for (const [name, attack] of attacks) {
  test(`ViewerFilter drops: ${name}`, () => {
    assert.equal(filtered(`a${attack}b`), "ab");
    assert.equal(filtered(`a${attack}b`, "replay"), "ab");
  });
}

test("ViewerFilter passes controls that reorder text to viewers that type only", () => {
  const text = "a\u202Etxt.exe\u202C \u2067b\u2069 \u05D0\u200F";
  assert.equal(filtered(text), text);
  assert.equal(filtered(text, "replay"), "atxt.exe b \u05D0\u200F");
  assert.equal(filtered(`${text}\u0005`), text);
});

for (const query of ["\u001B[c", "\u001B[6n", "\u001B[5n", "\u001B[>q", "\u001B]11;?\u0007", "\u001B[?u", "\u001BZ"]) {
  test(`ViewerFilter keeps the query ${JSON.stringify(query)} from every viewer`, () => {
    assert.equal(filtered(`a${query}b`), "ab");
    assert.equal(filtered(`a${query}b`, "replay"), "ab");
  });
}

test("ViewerFilter turns 8-bit controls into 7-bit ones and invalid bytes into U+FFFD", () => {
  assert.equal(filtered("\u009B1mx\u0085"), "\u001B[1mx\u001BE");
  assert.equal(filter([raw("a\x9b1mb\xff")]), "a\uFFFD1mb\uFFFD");
});

test("ViewerFilter obeys controls within a sequence before the sequence", () => {
  assert.equal(filtered("\u001B[1\r\n;2Hx"), "\r\n\u001B[1;2Hx");
  assert.equal(filtered("\u001B[1\u0018mx"), "mx");
  assert.equal(filtered("\u001B]0;a\u001B[1mx"), "\u001B[1mx");
});

test("ViewerFilter drops what is too long, counts it, and reads on as text behind the largest string", () => {
  const viewer = new ViewerFilter({ mode: "live" });
  assert.equal(viewer.feed(raw(`\u001B[${"1;".repeat(200)}m`)).length, 0);
  assert.equal(viewer.feed(raw(`\u001B]8;;https://h/${"a".repeat(9_000)}\u0007`)).length, 0);
  assert.equal(viewer.feed(raw(`\u001BP${"q".repeat(1_048_576)}`)).length, 0);
  assert.deepEqual(viewer.feed(raw("text")), raw("text"));
  assert.ok(viewer.sequencesDropped >= 3);
});

const piece = fc.oneof(
  fc.constantFrom(...attacks.map(([, attack]) => attack)).map((text) => new TextEncoder().encode(text)),
  fc
    .constantFrom(
      "\u001B",
      "[",
      "]",
      "0;t",
      "8;;https://h",
      "\u0007",
      "\u001B\\",
      "\u009C",
      "1;2H",
      "?25h",
      "\r\n",
      "ż",
      "\u202E",
      "c",
      "\u0018",
      "\u009B",
      "P",
      "(B",
    )
    .map((text) => new TextEncoder().encode(text)),
  fc.uint8Array({ maxLength: 8 }),
);

test("ViewerFilter gives the same bytes at any chunking of any bytes", () => {
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 12 }),
      fc.array(fc.nat(), { maxLength: 6 }),
      fc.constantFrom<ViewerMode>("live", "replay"),
      (pieces, at, mode) => {
        const bytes = new Uint8Array(Buffer.concat(pieces));
        const cuts = at.map((cut) => cut % (bytes.length + 1)).toSorted((one, two) => one - two);
        const chunks = [0, ...cuts].map((cut, index) => bytes.subarray(cut, cuts[index] ?? bytes.length));
        const whole = filter([bytes], mode);
        assert.equal(filter(chunks, mode), whole);
        assert.equal(
          filter(
            Array.from(bytes, (byte) => Uint8Array.of(byte)),
            mode,
          ),
          whole,
        );
      },
    ),
    { numRuns: runsOf(1_000) },
  );
});

test("what ViewerFilter lets through, it lets through again unchanged", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.constantFrom<ViewerMode>("live", "replay"), (pieces, mode) => {
      const once = filter([new Uint8Array(Buffer.concat(pieces))], mode);
      assert.equal(filtered(once, mode), once);
      assert.doesNotMatch(once, /[\u0080-\u009F\u0005]|\u001B[PX^_]/);
    }),
    { numRuns: runsOf(1_000) },
  );
});

test("ViewerFilter passes nothing of a sequence that began in missing bytes", () => {
  const viewer = new ViewerFilter({ mode: "live" });
  const output = (text: string): string => Buffer.from(viewer.feed(new TextEncoder().encode(text))).toString();
  assert.equal(output("one\u001B]2;ti"), "one");
  viewer.gap();
  assert.equal(output("33;A;n=5f"), "");
  assert.equal(output("5f\u0007$ \u001B[1mls"), "$ \u001B[1mls");
});
