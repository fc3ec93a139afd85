import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { bytesOf, temporaryDirectory } from "../../test/support/numbered-bytes.ts";
import { encodeJson, encodeResize } from "../protocol/payloads.ts";
import type { JournalRecord, RecordType } from "../protocol/records.ts";
import { AsciicastDecoder, type ImportedRecord } from "./asciicast-decoder.ts";
import { AsciicastEncoder } from "./asciicast-encoder.ts";
import { JournalReader } from "./reader.ts";
import { exportAsciicast, exportOutput, exportText, importAsciicast } from "./transfer.ts";

const recordings = join(import.meta.dirname, "../../test/fixtures/recordings");

function fixture(name: string): Buffer {
  const bytes = readFileSync(join(recordings, name));
  return name.endsWith(".gz") ? gunzipSync(bytes) : bytes;
}

const isOurs = ({ type }: ImportedRecord): boolean => type !== "exit" && type !== "mark";

const names = ["repl-bash-color-80x24.cast", "pi-encode-80x24.cast.gz", "pi-two-80x24.cast.gz"];

function record(type: RecordType, payload: Uint8Array, timeUs: number): JournalRecord {
  return { offset: 0, type, payload, timeUs, secret: false };
}

const startUs = 1_700_000_000_000_000;
const start = encodeJson({ type: "session-start", command: ["sh", "-c", "it's"], columns: 100, rows: 30 });

function encode(records: readonly JournalRecord[], version: 2 | 3): string[] {
  const encoder = new AsciicastEncoder({ version });
  const text = [...records.flatMap((entry) => encoder.feed(entry)), ...encoder.end()].join("");
  return text.trimEnd().split("\n");
}

const some: readonly JournalRecord[] = [
  record("mark", start, startUs),
  record("output", Uint8Array.of(0x61, 0xe2, 0x82), startUs + 500_000),
  record("input", bytesOf("x"), startUs + 600_000),
  record("output", Uint8Array.of(0xac, 0xff), startUs + 1_000_001),
  record("resize", encodeResize({ columns: 90, rows: 20 }), startUs + 1_000_002),
  record("mark", encodeJson({ type: "marker", label: "here" }), startUs + 2_000_000),
  record("exit", encodeJson({ reason: "exited", code: 3, signal: null }), startUs + 3_000_000),
];

test("version 3 has intervals, the size in the header and the exit status", () => {
  assert.deepEqual(encode(some, 3), [
    `{"version":3,"term":{"cols":100,"rows":30},"timestamp":1700000000,"command":"sh -c 'it'\\\\''s'"}`,
    '[0.500000, "o", "a"]',
    '[0.100000, "i", "x"]',
    '[0.400001, "o", "€\u{fffd}"]',
    '[0.000001, "r", "90x20"]',
    '[0.999998, "m", "here"]',
    '[1.000000, "x", "3"]',
  ]);
});

test("version 2 has times since the start and no exit event", () => {
  assert.deepEqual(encode(some, 2), [
    `{"version":2,"width":100,"height":30,"timestamp":1700000000,"command":"sh -c 'it'\\\\''s'"}`,
    '[0.500000, "o", "a"]',
    '[0.600000, "i", "x"]',
    '[1.000001, "o", "€\u{fffd}"]',
    '[1.000002, "r", "90x20"]',
    '[2.000000, "m", "here"]',
  ]);
});

test("a journal that does not begin with its size gets 80 x 24, an empty one gets a header", () => {
  assert.deepEqual(encode([record("output", bytesOf("a"), startUs)], 3), [
    '{"version":3,"term":{"cols":80,"rows":24},"timestamp":1700000000}',
    '[0.000000, "o", "a"]',
  ]);
  assert.equal(encode([], 2).length, 1);
});

test("a signal is exported as a shell counts it", () => {
  const lines = encode([record("exit", encodeJson({ reason: "signaled", code: null, signal: "SIGKILL" }), 1)], 3);
  assert.equal(lines.at(-1), '[0.000000, "x", "137"]');
});

for (const name of names) {
  test(`the recording ${name} imports and exports as what it was`, async (context) => {
    const bytes = fixture(name);
    const directory = join(temporaryDirectory(context), "journal");
    await importAsciicast(directory, [bytes.subarray(0, 1001), bytes.subarray(1001)]);
    await using reader = await JournalReader.open(directory);
    const text: string[] = [];
    for await (const part of exportAsciicast(reader, { version: 2 })) text.push(part);
    const [header, ...events] = text
      .join("")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);
    const [wantedHeader, ...wanted] = bytes
      .toString()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);
    assert.deepEqual(events, wanted);
    assert.deepEqual({ ...(wantedHeader as object), ...(header as object) }, wantedHeader);
    const output: Uint8Array[] = [];
    for await (const part of exportOutput(reader)) output.push(part);
    const all = (wanted as [number, string, string][]).filter(([, code]) => code === "o").map(([, , data]) => data);
    assert.equal(Buffer.concat(output).toString(), all.join(""));
  });

  test(`the recording ${name} is the same records after a way through version 3`, () => {
    const first = decode(fixture(name));
    let offset = 0;
    const placed = first.map((entry) => {
      const at = offset;
      offset += entry.payload.length;
      return { ...entry, offset: at };
    });
    const second = decode(Buffer.from(encode(placed, 3).join("\n")));
    assert.deepEqual(second.filter(isOurs), first.filter(isOurs));
  });
}

test("the text of a journal is its output without escape sequences, and nothing that was typed", async (context) => {
  const directory = join(temporaryDirectory(context), "journal");
  const lines = [
    { version: 2, width: 80, height: 24 },
    [0.1, "o", "\u001B[31mred\u001B[0m\r\n"],
    [0.2, "i", "typed"],
    [0.3, "o", "end\r\n"],
  ];
  await importAsciicast(directory, [Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(""))]);
  await using reader = await JournalReader.open(directory);
  assert.equal((await Array.fromAsync(exportText(reader))).join(""), "red\nend\n");
});

function decode(bytes: Uint8Array, cut = bytes.length): ImportedRecord[] {
  const decoder = new AsciicastDecoder();
  return [...decoder.feed(bytes.subarray(0, cut)), ...decoder.feed(bytes.subarray(cut)), ...decoder.end()];
}

test("any split of a recording gives the same records", () => {
  const bytes = bytesOf('{"version":3,"term":{"cols":8,"rows":2}}\n# note\n[0.5, "o", "é😀"]\r\n\n[1, "x", "7"]\n');
  const whole = decode(bytes);
  fc.assert(fc.property(fc.nat(bytes.length), (cut) => assert.deepEqual(decode(bytes, cut), whole)));
  assert.deepEqual(
    whole.map(({ type, timeUs }) => [type, timeUs]),
    [
      ["mark", 0],
      ["mark", 0],
      ["output", 500_000],
      ["exit", 1_500_000],
    ],
  );
});

test("a recording without an exit ends as lost, events that nobody knows are left out", () => {
  const records = decode(bytesOf('{"version":2,"width":8,"height":2,"timestamp":5}\n[1, "z", "?"]\n[2, "o", ""]\n'));
  assert.deepEqual(
    records.map(({ type }) => type),
    ["mark", "mark", "exit"],
  );
  assert.equal(records.at(-1)?.timeUs, 7_000_000);
  assert.match(Buffer.from(records.at(-1)!.payload).toString(), /lost/);
});

test("marks of ours come back as they were, markers of others become markers", () => {
  const header = '{"version":3,"term":{"cols":8,"rows":2}}\n';
  const mine = JSON.stringify('{"type":"journal-degraded","message":"m","bytesLost":1}');
  const records = decode(bytesOf(`${header}[0, "m", ${mine}]\n[0, "m", "{x"]\n`));
  assert.deepEqual(
    records.slice(2, 4).map(({ payload }) => JSON.parse(Buffer.from(payload).toString()) as unknown),
    [
      { type: "journal-degraded", message: "m", bytesLost: 1 },
      { type: "marker", label: "{x" },
    ],
  );
});

test("a line that is wrong is named with its number and its reason", () => {
  const header = '{"version":2,"width":8,"height":2}\n';
  const cases: [string, RegExp][] = [
    ["", /line 1: it has no header/],
    ["nonsense", /line 1: it is not valid JSON/],
    ["[]", /line 1: the header is not an object/],
    ['{"version":1}', /line 1: wanted version 2 or 3, got 1/],
    ['{"version":3}', /line 1: the header has no size/],
    ['{"version":2,"width":0,"height":2}', /line 1: a size is .*got 0/],
    [`${header}[1, "o"]`, /line 2: wanted \[seconds/],
    [`${header}\n[1, "o", "a"]\n[-1, "o", "a"]`, /line 4: wanted/],
    [`${header}[1, "r", "80"]`, /line 2: a size/],
    [`${header}[1, "x", "no"]`, /line 2: an exit status/],
    [`${header}[1, "o", "a"`, /line 2: it is not valid JSON/],
  ];
  for (const [text, message] of cases) assert.throws(() => decode(bytesOf(text)), { code: "MALFORMED", message }, text);
  const decoder = new AsciicastDecoder({ lineCharsMax: 10 });
  assert.throws(() => decoder.feed(bytesOf("12345678901")), { code: "MALFORMED", details: { line: 1 } });
});

test("an import that fails leaves nothing, and one over a journal is refused", async (context) => {
  const directory = join(temporaryDirectory(context), "journal");
  const good = bytesOf('{"version":2,"width":8,"height":2}\n');
  await assert.rejects(importAsciicast(directory, [good, bytesOf("bad")]), { code: "MALFORMED", message: /line 2/ });
  assert.ok(!existsSync(directory));
  await importAsciicast(directory, [good]);
  await assert.rejects(importAsciicast(directory, [good]), { code: "CONFLICT" });
});
