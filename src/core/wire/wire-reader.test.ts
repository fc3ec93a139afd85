import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import type { Dialect, ToolCall, Turn, Usage, WireDelta } from "./turn.ts";
import { readAnswer, WireReader } from "./wire-reader.ts";

interface Case {
  readonly name: string;
  readonly source: string;
  readonly stream: readonly (string | { readonly type?: string })[];
  readonly expect: {
    readonly text: string;
    readonly calls: readonly string[];
    readonly finish: string;
    readonly finishRaw?: string;
    readonly thinking?: string;
    readonly error?: string;
    readonly healed?: boolean;
    readonly usage?: Usage;
    readonly deltas?: readonly string[];
  };
}

const fixtures = new URL("../../../test/fixtures/wire/", import.meta.url);
const dialects = readdirSync(fixtures)
  .filter((file) => file.endsWith(".json"))
  .map((file) => JSON.parse(readFileSync(new URL(file, fixtures), "utf8")) as { dialect: Dialect; cases: Case[] });

function bytesOf(stream: Case["stream"]): Uint8Array {
  const events = stream.map((event) => {
    if (typeof event === "string") return `data: ${event}\n\n`;
    return `${event.type === undefined ? "" : `event: ${event.type}\n`}data: ${JSON.stringify(event)}\n\n`;
  });
  return new TextEncoder().encode(events.join(""));
}

interface Reading {
  readonly deltas: WireDelta[];
  readonly turn: Turn;
}

function read(dialect: Dialect, chunks: readonly Uint8Array[]): Reading {
  const reader = new WireReader(dialect);
  const deltas = chunks.flatMap((chunk) => reader.feed(chunk));
  deltas.push(...reader.end());
  assert.deepEqual([...reader.end(), ...reader.feed(new Uint8Array([10]))], [], "nothing comes after the end");
  return { deltas, turn: reader.turn };
}

function piecesOf(bytes: Uint8Array, size: number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; start += size) pieces.push(bytes.subarray(start, start + size));
  return pieces;
}

/** In one piece, in pieces of several sizes and with one cut at each place: all must be alike. */
function readEveryWay(dialect: Dialect, bytes: Uint8Array): Reading {
  const whole = read(dialect, [bytes]);
  for (const size of [1, 2, 3, 7, 61, 200]) assert.deepEqual(read(dialect, piecesOf(bytes, size)), whole, `${size}`);
  for (let cut = 1; cut < Math.min(bytes.length, 1200); cut += 1) {
    assert.deepEqual(read(dialect, [bytes.subarray(0, cut), bytes.subarray(cut)]), whole, `cut at ${cut}`);
  }
  return whole;
}

function shownCall(call: ToolCall): string {
  const { status, provenance, partialString, dropped } = call;
  const id = call.idSynthetic ? "~" : call.id;
  const parts = [call.name, id, call.argumentsText, status, call.committable ? "commit" : "refuse"];
  if (provenance === "empty") parts.push("empty");
  if (partialString !== null) parts.push(partialString);
  if (dropped !== null) parts.push(`${dropped.kind} ${dropped.path}`);
  return parts.join("|");
}

function shownDelta(delta: WireDelta): string {
  switch (delta.type) {
    case "text-delta":
      return `text ${delta.text}`;
    case "thinking-delta":
      return `thinking ${delta.text}`;
    case "tool-call-start":
      return `start ${delta.slot} ${delta.name} ${delta.idSynthetic ? "~" : delta.id}`;
    case "tool-call-delta":
      return `${delta.replace ? "replace" : "delta"} ${delta.slot} ${delta.text}`;
    case "tool-call-end":
      return `end ${delta.slot}`;
    case "usage":
      return `usage ${delta.usage.inputTokens} ${delta.usage.outputTokens}`;
    case "error":
      return `error ${delta.error.type}`;
    case "finish":
      return `finish ${delta.finish}`;
  }
}

/** Slots start, go on and end in this order; the deltas add up to the turn; `finish` is the last and only one. */
function assertLaws({ deltas, turn }: Reading): void {
  assert.equal(deltas.at(-1)?.type, "finish");
  assert.equal(deltas.filter((delta) => delta.type === "finish").length, 1);
  const texts = new Map<number, string>();
  const ended = new Set<number>();
  let [text, thinking] = ["", ""];
  for (const delta of deltas) {
    if (delta.type === "text-delta") text += delta.text;
    if (delta.type === "thinking-delta") thinking += delta.text;
    if (delta.type === "tool-call-start") {
      assert.ok(!texts.has(delta.slot));
      texts.set(delta.slot, "");
    }
    if (delta.type === "tool-call-delta") {
      assert.ok(texts.has(delta.slot) && !ended.has(delta.slot));
      texts.set(delta.slot, (delta.replace ? "" : texts.get(delta.slot)!) + delta.text);
    }
    if (delta.type === "tool-call-end") {
      assert.equal(texts.get(delta.slot), delta.argumentsText);
      ended.add(delta.slot);
    }
  }
  assert.deepEqual([text, thinking], [turn.text, turn.thinking]);
  assert.deepEqual(
    turn.toolCalls.map((call) => call.argumentsText),
    turn.toolCalls.map((call) => texts.get(call.slot)),
  );
  assert.equal(ended.size, turn.toolCalls.length);
  assert.equal(new Set(turn.toolCalls.map((call) => call.id)).size, turn.toolCalls.length, "ids are unique");
}

for (const { dialect, cases } of dialects) {
  for (const { name, stream, expect } of cases) {
    test(`${dialect} under every chunking: ${name}`, () => {
      const reading = readEveryWay(dialect, bytesOf(stream));
      assertLaws(reading);
      const { turn, deltas } = reading;
      assert.deepEqual(turn.toolCalls.map(shownCall), expect.calls);
      assert.equal(turn.text, expect.text);
      assert.equal(turn.thinking, expect.thinking ?? "");
      assert.equal(turn.finish, expect.finish);
      assert.equal(turn.healed, expect.healed ?? false);
      assert.equal(turn.error === null ? undefined : `${turn.error.type}: ${turn.error.message}`, expect.error);
      if (expect.finishRaw !== undefined) assert.equal(turn.finishRaw, expect.finishRaw);
      if (expect.usage !== undefined) assert.deepEqual(turn.usage, expect.usage);
      if (expect.deltas !== undefined) assert.deepEqual(deltas.map(shownDelta), expect.deltas);
    });
  }

  test(`${dialect}: no call of a stream that is cut anywhere commits unless the turn was ended`, () => {
    for (const { stream } of cases) {
      const bytes = bytesOf(stream);
      for (let cut = 0; cut < bytes.length; cut += 29) {
        const reading = read(dialect, [bytes.subarray(0, cut)]);
        assertLaws(reading);
        const { finish, toolCalls } = reading.turn;
        if (finish === "truncated" || finish === "error") assert.ok(toolCalls.every((call) => !call.committable));
        for (const call of toolCalls) if (call.committable) JSON.parse(call.argumentsText || "{}");
      }
    }
  });
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

test("WireReader sends the intent with the byte that completes the name's event", () => {
  const start = { index: 0, id: "a", function: { name: "sh", arguments: "" } };
  const bytes = encode(`data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [start] } }] })}\n\n`);
  const reader = new WireReader("openai-chat");
  assert.deepEqual(reader.feed(bytes.subarray(0, -1)), []);
  assert.deepEqual(reader.feed(bytes.subarray(-1)).map(shownDelta), ["start 0 sh a"]);
});

function callEvent(index: number): string {
  const each = { index, id: `c${index}`, function: { name: "f", arguments: "{}" } };
  return `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [each] } }] })}\n\n`;
}

test("WireReader ends with TOO_LARGE at each limit, and nothing commits", () => {
  const finish = 'data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}\n\n';
  const many = encode(Array.from({ length: 129 }, (_, index) => callEvent(index)).join("") + finish);
  const cases: readonly (readonly [string, Uint8Array, object])[] = [
    ["calls", many, {}],
    ["arguments", encode(callEvent(0) + finish), { argumentsCharsMax: 1 }],
    ["text", encode(`data: {"choices":[{"delta":{"content":"abc"}}]}\n\n${finish}`), { textCharsMax: 2 }],
    ["event", encode(callEvent(0) + finish), { eventBytesMax: 20 }],
  ];
  for (const [name, bytes, limits] of cases) {
    const reader = new WireReader("openai-chat", limits);
    const deltas = [...reader.feed(bytes), ...reader.end()];
    assert.equal(reader.turn.error?.type, "TOO_LARGE", name);
    assert.equal(reader.turn.finish, "error");
    assert.deepEqual(deltas.slice(-1).map(shownDelta), ["finish error"]);
    assert.ok(reader.turn.toolCalls.every((each) => !each.committable));
  }
});

test("WireReader refuses 100,000 calls of one event after the first 129", () => {
  const calls = Array.from({ length: 100_000 }, (_, index) => ({ index, id: `c${index}`, function: { name: "f" } }));
  const reader = new WireReader("openai-chat");
  reader.feed(encode(`data: ${JSON.stringify({ choices: [{ delta: { tool_calls: calls } }] })}\n\n`));
  assert.equal(reader.turn.error?.type, "TOO_LARGE");
  assert.equal(reader.turn.toolCalls.length, 129);
});

test("WireReader takes what is no event stream as a truncated turn", () => {
  for (const text of ["<html><body>502 Bad Gateway</body></html>\n", "", "\n\n\n", "\0\0\0\n\n"]) {
    const reader = new WireReader("anthropic");
    reader.feed(encode(text));
    assert.deepEqual(reader.end().map(shownDelta), ["finish truncated"]);
  }
});

test("WireReader reads a last event whose blank line is missing", () => {
  const reader = new WireReader("openai-chat");
  reader.feed(encode('data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}\n'));
  reader.end();
  assert.equal(reader.turn.text, "a");
  assert.equal(reader.turn.finish, "stop");
});

function turnWithKey(key: string): Turn {
  const args = { functionCall: { name: "f", args: { [key]: 1 } } };
  const chunk = { candidates: [{ content: { parts: [args] }, finishReason: "STOP" }] };
  return read("gemini", [encode(`data: ${JSON.stringify(chunk)}\n\n`)]).turn;
}

test("WireReader keeps keys with escapes right, whatever was read before", () => {
  for (const key of ["k\\", 'k"', "k\\", 'k"', "k\n"]) {
    assert.deepEqual(Object.keys(turnWithKey(key).toolCalls[0]?.arguments as object), [key]);
  }
});

const answers: readonly (readonly [dialect: Dialect, body: unknown, calls: string[], text: string, finish: string])[] =
  [
    [
      "openai-chat",
      {
        id: "x",
        choices: [
          {
            index: 0,
            message: {
              role: "assistant",
              content: "hi",
              tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: '{"x":1}' } }],
            },
            finish_reason: "tool_calls",
          },
        ],
      },
      ['f|a|{"x":1}|complete|commit'],
      "hi",
      "tool_calls",
    ],
    [
      "anthropic",
      {
        type: "message",
        content: [
          { type: "text", text: "hi" },
          { type: "tool_use", id: "a", name: "f", input: { x: 1 } },
          { type: "tool_use", id: "b", name: "g", input: {} },
        ],
        stop_reason: "tool_use",
      },
      ['f|a|{"x":1}|complete|commit', "g|b||complete|commit|empty"],
      "hi",
      "tool_calls",
    ],
    [
      "openai-responses",
      {
        id: "resp",
        status: "completed",
        output: [
          { type: "reasoning", summary: [{ type: "summary_text", text: "hm" }] },
          { type: "message", content: [{ type: "output_text", text: "hi" }] },
          { type: "function_call", id: "fc", call_id: "a", name: "f", arguments: '{"x":1}' },
        ],
      },
      ['f|a|{"x":1}|complete|commit'],
      "hi",
      "tool_calls",
    ],
    [
      "gemini",
      {
        candidates: [
          {
            content: { parts: [{ text: "hi" }, { functionCall: { name: "f", args: { x: 1 } } }] },
            finishReason: "STOP",
          },
        ],
      },
      ['f|~|{"x":1}|complete|commit'],
      "hi",
      "tool_calls",
    ],
    [
      "gemini",
      [
        { candidates: [{ content: { parts: [{ text: "h" }] } }] },
        { candidates: [{ content: { parts: [{ text: "i" }] }, finishReason: "STOP" }] },
      ],
      [],
      "hi",
      "stop",
    ],
  ];

for (const [dialect, body, calls, text, finish] of answers) {
  test(`readAnswer reads a whole answer: ${dialect}${Array.isArray(body) ? ", a list of chunks" : ""}`, () => {
    const reading = readAnswer(dialect, JSON.stringify(body));
    assertLaws(reading);
    assert.deepEqual(reading.turn.toolCalls.map(shownCall), calls);
    assert.equal(reading.turn.text, text);
    assert.equal(reading.turn.finish, finish);
  });
}

test("readAnswer reads the error of each dialect, and what is no JSON at all", () => {
  const errors: readonly (readonly [Dialect, string, string])[] = [
    ["openai-chat", '{"error":{"message":"m","type":"t","code":null}}', "t: m"],
    ["openai-responses", '{"error":{"message":"m","type":"t","code":"c"}}', "c: m"],
    ["anthropic", '{"type":"error","error":{"type":"t","message":"m"}}', "t: m"],
    ["gemini", '{"error":{"code":400,"message":"m","status":"INVALID_ARGUMENT"}}', "INVALID_ARGUMENT: m"],
    ["gemini", "<html>", "MALFORMED: Cannot parse JSON: invalid at offset 0"],
    ["anthropic", "", "MALFORMED: Cannot parse JSON: empty at offset 0"],
  ];
  for (const [dialect, body, expected] of errors) {
    const { error, finish } = readAnswer(dialect, body).turn;
    assert.equal(`${error?.type}: ${error?.message}`, expected);
    assert.equal(finish, "error");
  }
});

/** A chat stream of these calls, one event each. */
const chatStream = (calls: readonly object[]): string =>
  [...calls.map((call) => ({ delta: { tool_calls: [call] } })), { delta: {}, finish_reason: "tool_calls" }]
    .map((choice) => `data: ${JSON.stringify({ choices: [choice] })}\n\n`)
    .join("");

test("WireReader joins a name in pieces, wherever the bytes are cut", () => {
  const pieces = [
    { index: 0, function: { name: "s" } },
    { index: 1, id: "b", function: { name: "gr" } },
    { index: 0, function: { name: "hell" } },
    { index: 1, id: "b", function: { name: "ep", arguments: '{"a"' } },
    { index: 0, function: { name: "shell", arguments: "{}" } },
    { index: 1, id: "b", function: { name: "late", arguments: ":1}" } },
  ];
  const bytes = new TextEncoder().encode(chatStream(pieces));
  for (const size of [1, 26, bytes.length]) {
    const reader = new WireReader("openai-chat");
    const deltas = [];
    for (let at = 0; at < bytes.length; at += size) deltas.push(...reader.feed(bytes.subarray(at, at + size)));
    deltas.push(...reader.end());
    const starts = deltas.flatMap((delta) =>
      delta.type === "tool-call-start" ? [[delta.slot, delta.name, delta.replace]] : [],
    );
    assert.deepEqual(starts, [
      [0, "s", undefined],
      [1, "gr", undefined],
      [0, "shell", true],
      [1, "grep", true],
    ]);
    assert.deepEqual(
      reader.turn.toolCalls.map(({ name, argumentsText, committable }) => [name, argumentsText, committable]),
      [
        ["shell", "{}", true],
        ["grep", '{"a":1}', true],
      ],
    );
  }
});

test("WireReader takes another name behind the arguments, or with an id of its own, for another call", () => {
  const calls = [
    { index: 0, function: { name: "ls", arguments: "{}" } },
    { index: 0, function: { name: "pwd" } },
    { index: 0, id: "c", function: { name: "cat" } },
  ];
  const reader = new WireReader("openai-chat");
  reader.feed(new TextEncoder().encode(chatStream(calls)));
  assert.deepEqual(
    reader.turn.toolCalls.map(({ name }) => name),
    ["ls", "pwd", "cat"],
  );
});

test("A strict WireReader refuses a name in pieces, because clients differ about it", () => {
  const pieces = [
    { index: 0, id: "a", function: { name: "s" } },
    { index: 0, function: { name: "hell" } },
  ];
  const reader = new WireReader("openai-chat", { strict: true });
  reader.feed(new TextEncoder().encode(chatStream(pieces)));
  reader.end();
  assert.equal(reader.turn.error?.type, "MALFORMED");
  assert.ok(reader.turn.toolCalls.every(({ committable }) => !committable));
});
