import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { runsOf } from "../../../test/support/searches.ts";
import { TagScanner, type TagScanItem, type TagScannerOptions } from "./tag-scanner.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Items as short strings: text as it is, neighbours joined; a tag as `{name body}`; an abandoned one as `!reason`. */
function shown(items: readonly TagScanItem[]): string[] {
  const out: string[] = [];
  let text: Uint8Array[] = [];
  const flush = (): void => {
    if (text.length > 0) out.push(Buffer.concat(text).toString("utf8"));
    text = [];
  };
  for (const item of items) {
    if (item.type === "text") text.push(item.bytes);
    else {
      flush();
      out.push(
        item.type === "tag"
          ? `{${item.name}@${item.offset} ${item.body}}`
          : `!${item.reason} ${item.name}@${item.offset}`,
      );
    }
  }
  flush();
  return out;
}

function scanChunks(chunks: readonly Uint8Array[], options?: TagScannerOptions): string[] {
  const scanner = new TagScanner(options);
  const items: TagScanItem[] = [];
  let offset = 0;
  for (const chunk of chunks) {
    items.push(...scanner.feed(chunk, { offset, timeMs: 0 }));
    offset += chunk.length;
  }
  return shown([...items, ...scanner.end()]);
}

const scan = (text: string, options?: TagScannerOptions): string[] => scanChunks([bytesOf(text)], options);

const tag = (name: string, body: string): string => `<FORGE_EVENT name="${name}">${body}</FORGE_EVENT>`;

test("a tag that is not a signal is text, with its line end, at any chunking", () => {
  const isSignal = ({ name, body }: { readonly name: string; readonly body: string }): boolean => name + body === "A1";
  const text = `x\n${tag("A", "2")}\n\u001b[1m${tag("B", "1")}\u001b[m\r\n${tag("A", "1")}\ny`;
  const expected = [text.slice(0, text.lastIndexOf("<FORGE_EVENT")), `{A@${text.lastIndexOf("<FORGE_EVENT")} 1}`, "y"];
  for (let size = 1; size <= text.length; size++) {
    const bytes = bytesOf(text);
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    );
    assert.deepEqual(scanChunks(chunks, { isSignal }), expected, `${size}`);
  }
});

/** [name, input, items] */
const cases: readonly (readonly [string, string, readonly string[]])[] = [
  ["a tag in text", `a ${tag("B", "{}")} c`, ["a ", "{B@2 {}}", " c"]],
  ["two tags in one read", tag("A", "1") + tag("B", "2"), ["{A@0 1}", "{B@37 2}"]],
  ["a tag with the line for itself takes the line end along", `x\r\n${tag("A", "1")}\r\ny`, ["x\r\n", "{A@3 1}", "y"]],
  ["a line end behind text stays", `x ${tag("A", "1")}\r\ny`, ["x ", "{A@2 1}", "\r\ny"]],
  ["carriage returns without a line feed stay", `${tag("A", "1")}\r\ry`, ["{A@0 1}", "\r\ry"]],
  [
    "colours within the names and the body",
    '<FOR\u001B[1mGE_EVENT\u001B[0m name=\u001B[3m"A">{\u001B[31m"b":1}</\u001B[mFORGE_EVENT\u001B]0;t\u0007>',
    ['{A@0 {"b":1}}'],
  ],
  [
    "CRLF and blanks within",
    '<FORGE_EVENT\r\n  name = "A"\r\n  x=1 >{\r\n"b": 1\r\n}</FORGE_EVENT\r\n >z',
    ['{A@0 {\n"b": 1\n}}', "z"],
  ],
  ["`>` in a quoted attribute", '<FORGE_EVENT name="A" x=">">1</FORGE_EVENT>', ["{A@0 1}"]],
  ["a longer name is no tag", '<FORGE_EVENTS name="A">1</FORGE_EVENTS>', ['<FORGE_EVENTS name="A">1</FORGE_EVENTS>']],
  ["a tag without a name is text", "the <FORGE_EVENT> tag", ["the <FORGE_EVENT> tag"]],
  ["a tag with prose for attributes is text", "the <FORGE_EVENT tag is> used", ["the <FORGE_EVENT tag is> used"]],
  ["a `<` before a tag", `<<${tag("A", "1")}`, ["<<", "{A@2 1}"]],
  ["a tag after half a tag", `<FORGE_EV<FORGE_EVENT na${tag("A", "1")}`, ["<FORGE_EV<FORGE_EVENT na", "{A@24 1}"]],
  [
    "an inner start abandons the outer",
    `<FORGE_EVENT name="A">{"x": ${tag("B", "1")}`,
    ["!nested A@0", '<FORGE_EVENT name="A">{"x": ', "{B@28 1}"],
  ],
  [
    "other tags within a body",
    tag("A", "<b></b></FORGE></FORGE_EVENTS><FORGE_EVENTS>"),
    ["{A@0 <b></b></FORGE></FORGE_EVENTS><FORGE_EVENTS>}"],
  ],
  ["half an end before the end", tag("A", "</FORGE_EV"), ["{A@0 </FORGE_EV}"]],
  ["an unclosed tag at the end", 'x<FORGE_EVENT name="A">{"y"', ["x", "!end A@1", '<FORGE_EVENT name="A">{"y"']],
  ["half a start at the end", "x<FORGE_EVE", ["x<FORGE_EVE"]],
  ["a tag in a window title is none", `\u001B]0;${tag("A", "1")}\u0007x`, [`\u001B]0;${tag("A", "1")}\u0007x`]],
  ["a tag after a window title", `\u001B]0;t\u0007${tag("A", "1")}`, ["\u001B]0;t\u0007", "{A@6 1}"]],
  ["letters beyond ASCII", `ż${tag("A", '"日本"')}ż`, ["ż", '{A@2 "日本"}', "ż"]],
];

for (const [name, input, expected] of cases) {
  test(`TagScanner, ${name}: the same as a whole, byte by byte, and cut in two anywhere`, () => {
    const bytes = bytesOf(input);
    assert.deepEqual(scan(input), expected);
    assert.deepEqual(scanChunks(Array.from(bytes, (byte) => Uint8Array.of(byte))), expected);
    for (let cut = 1; cut < bytes.length; cut++) {
      assert.deepEqual(scanChunks([bytes.subarray(0, cut), bytes.subarray(cut)]), expected, `cut at ${cut}`);
    }
  });
}

test("TagScanner takes another tag name", () => {
  assert.deepEqual(scan('<EV name="A">1</EV><FORGE_EVENT name="A">', { tagName: "EV" }), [
    "{A@0 1}",
    '<FORGE_EVENT name="A">',
  ]);
  assert.throws(() => new TagScanner({ tagName: "a b" }), RangeError);
});

test("TagScanner abandons a tag that is too long, gives it back, and finds the next one", () => {
  const long = `<FORGE_EVENT name="A">${"x".repeat(100)}`;
  assert.deepEqual(scan(`${long}${tag("B", "1")}`, { tagBytesMax: 60 }), ["!size A@0", long, "{B@122 1}"]);
  const upToLimit = `<FORGE_EVENT name="A">${"x".repeat(28)}`;
  assert.deepEqual(scan(`${upToLimit}${tag("B", "1")}`, { tagBytesMax: 60 }), ["!size A@0", upToLimit, "{B@50 1}"]);
});

test("TagScanner abandons a tag that takes too long, and gives back half a start tag soon", () => {
  const scanner = new TagScanner({ tagMsMax: 1_000, headMsMax: 100 });
  assert.deepEqual(shown(scanner.feed(bytesOf('<FORGE_EVENT name="A">{'), { offset: 0, timeMs: 0 })), []);
  assert.deepEqual(shown(scanner.tick(1_000)), []);
  assert.deepEqual(shown(scanner.tick(1_001)), ["!time A@0", '<FORGE_EVENT name="A">{']);
  assert.deepEqual(shown(scanner.feed(bytesOf("prompt <"), { offset: 23, timeMs: 2_000 })), ["prompt "]);
  assert.deepEqual(shown(scanner.tick(2_101)), ["<"]);
  assert.deepEqual(shown(scanner.feed(bytesOf("x"), { offset: 31, timeMs: 2_102 })), ["x"]);
});

test("TagScanner returns a chunk without tags as it is", () => {
  const chunk = bytesOf("no tags, but a < b and <FORGE\r\n".repeat(10));
  const [item, ...rest] = new TagScanner().feed(chunk, { offset: 0, timeMs: 0 });
  assert.ok(item?.type === "text" && item.bytes.buffer === chunk.buffer && item.bytes.length === chunk.length);
  assert.deepEqual(rest, []);
});

test("TagScanner stays bounded and loses nothing on ten thousand starts and on a body without end", () => {
  const starts = '<FORGE_EVENT name="A">{'.repeat(10_000);
  const items = scan(starts);
  assert.equal(items.filter((item) => item.startsWith("!nested")).length, 9_999);
  assert.equal(items.filter((item) => !item.startsWith("!")).join(""), starts);
  const scanner = new TagScanner({ tagBytesMax: 100_000 });
  const chunk = bytesOf("x".repeat(65_536));
  scanner.feed(bytesOf('<FORGE_EVENT name="A">'), { offset: 0, timeMs: 0 });
  let textBytes = 0;
  for (let index = 0; index < 64; index++) {
    for (const item of scanner.feed(chunk, { offset: 22 + index * chunk.length, timeMs: 0 })) {
      if (item.type === "text") textBytes += item.bytes.length;
    }
    assert.ok(22 + (index + 1) * chunk.length - textBytes < 100_000);
  }
  assert.equal(textBytes, 22 + 64 * chunk.length);
});

test("TagScanner passes NUL and 8-bit garbage on, and the body is clean of them", () => {
  const input = Uint8Array.from([
    0,
    0xff,
    ...bytesOf('<FORGE_EVENT name="A">"'),
    0,
    0xff,
    ...bytesOf('"</FORGE_EVENT>'),
    0,
  ]);
  assert.deepEqual(scanChunks([input]), ["\u0000\uFFFD", '{A@2 "\uFFFD"}', "\u0000"]);
});

const units = [
  "<",
  "</",
  "<b><i><u><a>",
  "F",
  "<FORGE_EVENT",
  "</FORGE_EVENT",
  ' name="A"',
  ">",
  '"',
  "{}",
  "\r",
  "\n",
  "\u001B[1m",
  "\u001B]0;",
  "\u0007",
  "x",
  tag("B", "[1]"),
];

test("TagScanner gives the same items at any chunking, and loses no byte", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...units), { maxLength: 30 }),
      fc.array(fc.nat(), { maxLength: 8 }),
      fc.constantFrom(40, 64, 262_144),
      (pieces, at, tagBytesMax) => {
        const bytes = bytesOf(pieces.join(""));
        const cuts = at.map((cut) => cut % (bytes.length + 1)).toSorted((one, two) => one - two);
        const chunks = [0, ...cuts].map((cut, index) => bytes.subarray(cut, cuts[index] ?? bytes.length));
        const whole = scanChunks([bytes], { tagBytesMax });
        assert.deepEqual(scanChunks(chunks, { tagBytesMax }), whole);
        assert.deepEqual(
          scanChunks(
            Array.from(bytes, (byte) => Uint8Array.of(byte)),
            { tagBytesMax },
          ),
          whole,
        );
        if (!whole.some((item) => item.startsWith("{"))) {
          assert.equal(whole.filter((item) => !item.startsWith("!")).join(""), pieces.join(""));
        }
      },
    ),
    { numRuns: runsOf(3_000) },
  );
});
