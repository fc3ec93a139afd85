import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { runsOf } from "../../../test/support/searches.ts";
import { LecternError } from "../errors.ts";
import { encodeSseEvent } from "./encode-sse-event.ts";
import { SseReader, type PendingSseEvent, type SseEvent, type SseReaderOptions } from "./sse-reader.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function readChunks(chunks: readonly Uint8Array[], options?: SseReaderOptions): SseEvent[] {
  const reader = new SseReader(options);
  return [...chunks.flatMap((chunk) => reader.feed(chunk)), ...reader.end()];
}

/** In one piece, byte by byte, in pieces of several sizes and with a cut at each place: all must be alike. */
function readEveryWay(bytes: Uint8Array, options?: SseReaderOptions): SseEvent[] {
  const whole = readChunks([bytes], options);
  for (const size of [1, 2, 3, 7, 65, 66]) {
    const chunks: Uint8Array[] = [];
    for (let start = 0; start < bytes.length; start += size) chunks.push(bytes.subarray(start, start + size));
    assert.deepEqual(readChunks(chunks, options), whole, `pieces of ${size}`);
  }
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const chunks = [bytes.subarray(0, cut), new Uint8Array(0), bytes.subarray(cut)];
    assert.deepEqual(readChunks(chunks, options), whole, `cut at ${cut}`);
  }
  return whole;
}

/** `type|data|id` of each event, the shortest form that says all. */
const shown = (events: readonly SseEvent[]): string[] =>
  events.map(({ event, data, id }) => [event, data, ...(id === "" ? [] : [id])].join("|"));

/** Input and what comes out, by the section "Interpreting an event stream" of the HTML Standard and its WPT tests. */
const cases: readonly (readonly [name: string, input: string, events: readonly string[]])[] = [
  ["one line of data", "data: a\n\n", ["message|a"]],
  ["several data lines are joined by LF", "data: a\ndata:b\ndata:  c\n\n", ["message|a\nb\n c"]],
  ["CR ends lines", "data: a\r\rdata: b\r\r", ["message|a", "message|b"]],
  ["CRLF ends lines", "data: a\r\n\r\ndata: b\r\n\r\n", ["message|a", "message|b"]],
  ["endings may be mixed", "data: a\r\ndata: b\n\rdata: c\r\n\n", ["message|a\nb", "message|c"]],
  ["LF CR are two endings", "data: a\n\rdata: b\n\r", ["message|a", "message|b"]],
  ["an event without its blank line is dropped", "data: a\n\ndata: b\n", ["message|a"]],
  ["an unterminated line is dropped", "data: a\n\ndata: b", ["message|a"]],
  ["an event of empty data is an event", "data\n\ndata:\n\ndata: \n\n", ["message|", "message|", "message|"]],
  ["two empty data lines are one LF", "data\ndata\n\n", ["message|\n"]],
  ["an event without data is none", "event: a\n\ndata: b\n\n", ["message|b"]],
  ["a name is for one event", "event: a\ndata: 1\n\ndata: 2\n\n", ["a|1", "message|2"]],
  [
    "the last name counts, and an empty one resets",
    "event: a\nevent\ndata: 1\n\nevent: a\nevent: b\ndata: 2\n\n",
    ["message|1", "b|2"],
  ],
  ["only one space is syntax", "data:  a\nevent:  b\n\n", [" b| a"]],
  ["a colon in a value stays", "data: a:b: c\n\n", ["message|a:b: c"]],
  ["comments are ignored", ": hi\ndata: a\n:data: no\n:\n\n: bye\n\n", ["message|a"]],
  ["unknown fields are ignored", "dat: x\ndataa: x\n data: x\nDATA: x\nevents: x\ndata: a\n\n", ["message|a"]],
  [
    "an id stays for later events",
    "id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n",
    ["message|a|1", "message|b|1", "message|c"],
  ],
  ["an id counts without data", "id: 1\n\ndata: b\n\n", ["message|b|1"]],
  ["an id with NUL is ignored", "id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n", ["message|a|1", "message|b|1"]],
  ["NUL in data stays", "data: a\0b\n\n", ["message|a\0b"]],
  ["one byte order mark is dropped", "\uFEFFdata: a\n\n", ["message|a"]],
  ["a second byte order mark is data of a line", "\uFEFF\uFEFFdata: a\n\ndata: b\n\n", ["message|b"]],
  ["a byte order mark later is kept", "data: \uFEFFa\n\n\uFEFFdata: b\n\n", ["message|\uFEFFa"]],
  ["a stream of blank lines is silent", "\n\r\n\r\n\r\n", []],
  ["characters of several bytes", "data: é漢字👩‍💻\nevent: é\n\n", ["é|é漢字👩‍💻"]],
];

for (const [name, input, events] of cases) {
  test(`SseReader under every chunking: ${name}`, () => {
    assert.deepEqual(shown(readEveryWay(bytesOf(input))), events);
  });
}

test("SseReader reads malformed UTF-8 as the decoder of the whole would", () => {
  const malformed = [0xff, 0xe2, 0x82, 0x41, 0xf0, 0x9f, 0xf0, 0x80, 0x80, 0xc3, 0x0a, 0x80, 0xed, 0xa0, 0x80];
  const bytes = new Uint8Array([...bytesOf("data: x"), ...malformed, ...bytesOf("\ndata: y\n\n")]);
  const whole = new TextDecoder().decode(new Uint8Array([...bytesOf("x"), ...malformed.slice(0, 10)]));
  assert.deepEqual(shown(readEveryWay(bytes)), [`message|${whole}\ny`]);
});

test("SseReader returns an event with the byte that ends its blank line", () => {
  for (const ending of ["\n", "\r"]) {
    const reader = new SseReader();
    assert.deepEqual(reader.feed(bytesOf(`data: a${ending}`)), []);
    assert.deepEqual(shown(reader.feed(bytesOf(ending))), ["message|a"]);
  }
});

test("SseReader keeps the reconnection time of digits only and the last event ID", () => {
  const reader = new SseReader();
  assert.equal(reader.retryMs, null);
  reader.feed(bytesOf("retry: 1500\nretry: 1x\nretry: -1\nretry:\nid: 7\n"));
  assert.equal(reader.retryMs, 1500);
  assert.equal(reader.lastEventId, "", "an id counts at the blank line");
  reader.feed(bytesOf("\n"));
  assert.equal(reader.lastEventId, "7");
});

test("SseReader tells each reconnection time of a chunk, and forgets it with the next", () => {
  const reader = new SseReader();
  reader.feed(bytesOf("retry: 1\nretry: x\nretry: 2\nretry: 2\n\n"));
  assert.deepEqual(reader.retriesMs, [1, 2, 2]);
  reader.feed(bytesOf("data: a\n\n"));
  assert.deepEqual(reader.retriesMs, []);
  assert.equal(reader.retryMs, 2);
});

test('SseReader with eof "llm" delivers an ended but undispatched event, marked', () => {
  const events = readEveryWay(bytesOf("data: a\n\nevent: b\nid: 4\ndata: c\n"), { eof: "llm" });
  assert.deepEqual(events, [
    { event: "message", data: "a", id: "" },
    { event: "b", data: "c", id: "4", incomplete: true },
  ]);
});

test('SseReader with eof "llm" never delivers an unterminated line', () => {
  assert.deepEqual(shown(readEveryWay(bytesOf("data: a\ndata: half"), { eof: "llm" })), ["message|a"]);
  assert.deepEqual(readEveryWay(bytesOf("data: half"), { eof: "llm" }), []);
});

/** What is pending behind each of these bytes, one byte at a time, before and after the end. */
function pendingOf(text: string, options: SseReaderOptions = {}): (PendingSseEvent | null)[] {
  const reader = new SseReader(options);
  for (const byte of bytesOf(text)) reader.feed(Uint8Array.of(byte));
  const before = reader.pending;
  reader.end();
  assert.deepEqual(reader.pending, reader.pending);
  return [before, reader.pending];
}

test("SseReader keeps what was not given out, also at the end of a body", () => {
  const open = { event: "a", data: "b", id: "", lineComplete: true };
  assert.deepEqual(pendingOf("event: a\ndata: b\n"), [open, open]);
  const texts: [string, PendingSseEvent | null][] = [
    ["", null],
    ["data: a\n\n", null],
    ["data: half", { event: "message", data: "half", id: "", lineComplete: false }],
    ["data: a\ndata: b", { event: "message", data: "a\nb", id: "", lineComplete: false }],
    ["data: a\ndata:", { event: "message", data: "a\n", id: "", lineComplete: false }],
    ["data: a\nda", { event: "message", data: "a", id: "", lineComplete: false }],
    ["event: mess", { event: "mess", data: "", id: "", lineComplete: false }],
    ["id: 1\n\nid: 2", { event: "message", data: "", id: "2", lineComplete: false }],
    ["id: 1\n", { event: "message", data: "", id: "1", lineComplete: true }],
    ["id: 1\n\n", null],
    ["data\n", { event: "message", data: "", id: "", lineComplete: true }],
    [": comment", null],
    [": comment\n", null],
    ["retry: 5\n", null],
    ["other: 5\n", null],
    ["retry: 5", { event: "message", data: "", id: "", lineComplete: false }],
  ];
  for (const [text, pending] of texts) assert.deepEqual(pendingOf(text), [pending, pending], JSON.stringify(text));
});

/** After the end of these bytes in these pieces. */
function pendingAfter(chunks: readonly Uint8Array[], options: SseReaderOptions): PendingSseEvent | null {
  const reader = new SseReader(options);
  for (const chunk of chunks) reader.feed(chunk);
  reader.end();
  return reader.pending;
}

/** A character of several bytes, cut after each of them, and bytes that begin none. */
const cutBytes = [
  [],
  [0xc3],
  [0xe2],
  [0xe2, 0x82],
  [0xf0, 0x9f],
  [0xf0, 0x9f, 0x91],
  [0xef, 0xbb],
  [0xff],
  [0xed, 0xa0],
].map((bytes) => Uint8Array.from(bytes));

test("SseReader has the same pending under every chunking, also where the body ends within a character", () => {
  const ends = ["", "\n", "\r", "\r\n", "d", "data:", "data: ", "data: x", ": x", "id: 1", "event: x", "event: x\n"];
  const starts = ["", "\uFEFF", "data: a\n\n", "data: a\n", ": x\n", "id: 1\n", "event: x\ndata: [DONE]\n"];
  for (const eof of ["spec", "llm"] as const) {
    for (const text of starts.flatMap((start) => ends.map((end) => start + end))) {
      for (const cut of cutBytes) {
        const bytes = new Uint8Array([...bytesOf(text), ...cut]);
        const whole = pendingAfter([bytes], { eof });
        const single = [...bytes].map((byte) => Uint8Array.of(byte));
        const splits = Array.from({ length: bytes.length }, (_, at) => [bytes.subarray(0, at), bytes.subarray(at)]);
        for (const chunks of [single, ...splits]) {
          assert.deepEqual(pendingAfter(chunks, { eof }), whole, JSON.stringify([text, [...cut], chunks[0]?.length]));
        }
      }
    }
  }
});

test("SseReader has nothing pending of an event that it gave out, but its half line", () => {
  const [, whole] = pendingOf("event: a\ndata: b\n", { eof: "llm" });
  assert.equal(whole, null);
  const [before, after] = pendingOf("event: a\ndata: b\ndata: c", { eof: "llm" });
  assert.equal(before?.data, "b\nc");
  assert.deepEqual(after, { event: "message", data: "c", id: "", lineComplete: false });
});

test("SseReader reads another stream after the end of one", () => {
  const reader = new SseReader();
  reader.feed(bytesOf("data: half"));
  reader.end();
  assert.deepEqual(shown(reader.feed(bytesOf("data: b\n\n"))), ["message|b"]);
  assert.equal(reader.pending, null);
});

const isTooLarge = (error: unknown): boolean => error instanceof LecternError && error.code === "TOO_LARGE";

/** What comes before the limit is hit, and that it is hit for good. */
function readUntilTooLarge(chunks: readonly Uint8Array[], eventBytesMax: number): string[] {
  const reader = new SseReader({ eventBytesMax });
  const events: SseEvent[] = [];
  for (const chunk of chunks) {
    if (reader.failure === null) events.push(...reader.feed(chunk));
    else assert.throws(() => reader.feed(chunk), isTooLarge);
  }
  assert.throws(() => reader.end(), isTooLarge);
  return shown(events);
}

test("SseReader finds nothing pending behind a byte order mark alone", () => {
  const reader = new SseReader();
  reader.feed(bytesOf("\uFEFF"));
  assert.equal(reader.pending, null);
  assert.deepEqual(shown(reader.feed(bytesOf("data: a\n\n"))), ["message|a"]);
});

test("SseReader refuses a too large event under every chunking and keeps the events before it", () => {
  const tooLarge = [
    "data: ok\n\ndata: 0123456789\n\ndata: later\n\n",
    "data: ok\n\ndata: 01\ndata: 23\n\ndata: later\n\n",
    "data: ok\n\ndata: éééééé",
    "data: ok\n\n: 0123456789012\n",
    "data: ok\n\nid: 12\nevent: 34\n",
  ];
  for (const text of tooLarge) {
    const bytes = bytesOf(text);
    for (const size of [1, 2, 3, 5, 100]) {
      const chunks: Uint8Array[] = [];
      for (let start = 0; start < bytes.length; start += size) chunks.push(bytes.subarray(start, start + size));
      assert.deepEqual(readUntilTooLarge(chunks, 12), ["message|ok"], `${text} in ${size}`);
    }
  }
});

test("SseReader takes an event of exactly the largest size", () => {
  assert.deepEqual(shown(readEveryWay(bytesOf("data: 012345\n\ndata: éééé\n\n"), { eventBytesMax: 14 })), [
    "message|012345",
    "message|éééé",
  ]);
});

test("SseReader counts no byte order mark, in whatever pieces it comes", () => {
  const bytes = bytesOf("\uFEFFdata: a\n\n");
  for (const size of [1, 3, 100]) {
    const chunks: Uint8Array[] = [];
    for (let start = 0; start < bytes.length; start += size) chunks.push(bytes.subarray(start, start + size));
    assert.deepEqual(shown(readChunks(chunks, { eventBytesMax: 7 })), ["message|a"]);
  }
});

test("SseReader holds no more than the limit of a stream without a line ending", () => {
  const reader = new SseReader({ eventBytesMax: 1_000_000 });
  const chunk = new Uint8Array(65_536).fill(120);
  let chunks = 0;
  while (reader.failure === null && chunks < 100) {
    reader.feed(chunk);
    chunks += 1;
  }
  assert.equal(chunks, 16);
  assert.equal(reader.failure?.details["eventBytesMax"], 1_000_000);
});

/** The specification's algorithm on the whole text, as slow and plain as it is written there. */
function readWhole(bytes: Uint8Array): string[] {
  const lines = new TextDecoder().decode(bytes).split(/\r\n|\r|\n/);
  lines.pop();
  const events: string[] = [];
  let [data, name, idBuffer] = ["", "", ""];
  for (const line of lines) {
    const [, field, value = ""] = /^([^:]*)(?:: ?([\s\S]*))?$/.exec(line) ?? [];
    if (line === "") {
      if (data !== "") events.push([name || "message", data.slice(0, -1), ...(idBuffer ? [idBuffer] : [])].join("|"));
      [data, name] = ["", ""];
    } else if (field === "data") data += `${value}\n`;
    else if (field === "event") name = value;
    else if (field === "id" && !value.includes("\0")) idBuffer = value;
  }
  return events;
}

const pieces = fc.constantFrom(
  ..."data|event|id|retry|:|: | |\n|\r|\r\n|\n\n|a|é|漢|👩|\0|\uFEFF|data: {}\n\n|event: x\ndata: y\n\n".split("|"),
  "x".repeat(70),
  "é".repeat(50),
);

test("SseReader agrees with the plain algorithm on any text in any pieces", () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), fc.array(fc.nat(90), { maxLength: 30 }), (parts, sizes) => {
      const bytes = bytesOf(parts.join(""));
      const chunks: Uint8Array[] = [];
      let start = 0;
      for (const size of sizes) {
        chunks.push(bytes.slice(start, start + size));
        start += size;
      }
      chunks.push(bytes.slice(start));
      assert.deepEqual(shown(readChunks(chunks)), readWhole(bytes));
    }),
    { numRuns: runsOf(500) },
  );
});

test("SseReader has the same pending at the end of any bytes, at every split", () => {
  const parts = fc.array(fc.oneof(pieces.map(bytesOf), fc.constantFrom(...cutBytes)), { maxLength: 12 });
  fc.assert(
    fc.property(parts, fc.constantFrom("spec", "llm"), (all, eof) => {
      const bytes = new Uint8Array(all.flatMap((part) => [...part]));
      const whole = pendingAfter([bytes], { eof });
      for (let at = 0; at < bytes.length; at += 1) {
        const chunks = [bytes.subarray(0, at), bytes.subarray(at)];
        assert.deepEqual(pendingAfter(chunks, { eof }), whole, `split at ${at}`);
      }
    }),
    { numRuns: runsOf(500) },
  );
});

test("SseReader does not keep the caller's chunk", () => {
  const reader = new SseReader();
  const chunk = bytesOf("data: a");
  reader.feed(chunk);
  chunk.fill(0);
  assert.deepEqual(shown(reader.feed(bytesOf("b\n\n"))), ["message|ab"]);
});

test("SseReader reads what encodeSseEvent writes", () => {
  const line = fc.string({ unit: "grapheme" }).filter((text) => !/[\r\n\0]/.test(text) && text !== "");
  fc.assert(
    fc.property(line, fc.array(line), (event, lines) => {
      const data = lines.join("\n");
      assert.deepEqual(readChunks([bytesOf(encodeSseEvent({ event, data }))]), [{ event, data, id: "" }]);
    }),
  );
});
