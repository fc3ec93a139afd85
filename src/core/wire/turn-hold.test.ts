import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { TurnHold, hasForeignLine, withoutByteOrderMark } from "./turn-hold.ts";
import type { Dialect, Turn } from "./turn.ts";
import { WireReader } from "./wire-reader.ts";
import { writeTurn, type TurnToWrite } from "../../../test/support/wire/write-turn.ts";
import { writeStreamError } from "./write-errors.ts";

const encoder = new TextEncoder();
const dialects: readonly Dialect[] = ["anthropic", "openai-chat", "openai-responses", "gemini"];

const turn: TurnToWrite = {
  id: "turn_1",
  model: "m",
  text: "I look into it.",
  toolCalls: [
    { id: "call_a", name: "ls", argumentsText: '{"path":"/a"}' },
    { id: "call_b", name: "rm", argumentsText: '{"path":"/b","force":true}' },
    { id: "call_c", name: "cat", argumentsText: "{}" },
  ],
  finish: "tool_calls",
  usage: { inputTokens: 10, outputTokens: 5, cachedInputTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
};

const streamOf = (dialect: Dialect, written: TurnToWrite = turn): Uint8Array =>
  encoder.encode(writeTurn(dialect, written).join(""));

function readBack(dialect: Dialect, chunks: readonly Uint8Array[]): Turn {
  const reader = new WireReader(dialect);
  for (const chunk of chunks) reader.feed(chunk);
  reader.end();
  return reader.turn;
}

const join = (chunks: readonly Uint8Array[]): string => chunks.map((chunk) => new TextDecoder().decode(chunk)).join("");

for (const dialect of dialects) {
  test(`TurnHold passes the text of ${dialect} at once, holds calls, and releases every byte as it came`, () => {
    const bytes = streamOf(dialect);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 8 }), (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        const hold = new TurnHold(dialect);
        const passed = places.slice(1).flatMap((end, index) => hold.feed(bytes.slice(places[index], end)).pass);
        passed.push(...hold.end().pass);
        const before = readBack(dialect, passed);
        assert.equal(before.text, turn.text);
        assert.equal(before.toolCalls.length, 0);
        assert.ok(hold.holding && hold.closed);
        assert.equal(join([...passed, ...hold.release(new Map())]), join([bytes]));
      }),
      { numRuns: 40 },
    );
  });

  test(`TurnHold writes refused calls of ${dialect} as texts, and leaves the others as they are`, () => {
    for (const refused of [[1], [0, 2], [0, 1, 2]]) {
      const hold = new TurnHold(dialect);
      const passed = [...hold.feed(streamOf(dialect)).pass, ...hold.end().pass];
      const released = hold.release(new Map(refused.map((slot) => [slot, `reason ${slot}`])));
      const after = readBack(dialect, [...passed, ...released]);
      const left = turn.toolCalls.filter((_, slot) => !refused.includes(slot));
      assert.deepEqual(
        after.toolCalls.map((call) => [call.name, call.argumentsText, call.committable]),
        left.map((call) => [call.name, call.argumentsText, true]),
      );
      for (const slot of refused) {
        const name = turn.toolCalls[slot]!.name;
        assert.ok(after.text.includes(`"${name}" was refused and not executed: reason ${slot}`));
      }
      assert.equal(after.finish, left.length === 0 ? "stop" : "tool_calls");
      assert.deepEqual(after.usage, turn.usage);
    }
  });

  test(`TurnHold never holds a turn of ${dialect} that has no calls`, () => {
    const bytes = streamOf(dialect, { ...turn, toolCalls: [], finish: "stop" });
    const hold = new TurnHold(dialect);
    const passed = [...hold.feed(bytes).pass, ...hold.end().pass];
    assert.equal(join(passed), join([bytes]));
    assert.deepEqual(hold.release(new Map()), []);
  });

  test(`TurnHold says that a turn of ${dialect} was cut, and its calls cannot be committed`, () => {
    const events = writeTurn(dialect, { ...turn, finish: "truncated" });
    const hold = new TurnHold(dialect);
    hold.feed(encoder.encode(events.slice(0, -1).join("")));
    hold.end();
    assert.equal(hold.turn.finish, "truncated");
    assert.ok(hold.turn.toolCalls.length > 0 && hold.turn.toolCalls.every(({ committable }) => !committable));
  });

  test(`TurnHold ends at an error in a stream of ${dialect}`, () => {
    const hold = new TurnHold(dialect);
    const error = writeStreamError(dialect, { type: "overloaded_error", message: "Overloaded" });
    const { pass } = hold.feed(encoder.encode(error));
    assert.equal(join(pass), error);
    // Of the chat dialect `[DONE]` may follow.
    assert.equal(hold.awaitsErrorRest, dialect === "openai-chat");
    assert.deepEqual(hold.feed(streamOf(dialect)).pass, []);
    assert.deepEqual([hold.closed, hold.turn.finish], [true, "error"]);
  });
}

test("TurnHold gives nothing more out once more waits than may wait", () => {
  const hold = new TurnHold("anthropic", { heldBytesMax: 200 });
  const { pass } = hold.feed(streamOf("anthropic"));
  assert.deepEqual(pass, []);
  assert.equal(hold.failure?.code, "TOO_LARGE");
  assert.deepEqual([hold.closed, hold.release(new Map()).length], [true, 0]);
});

test("TurnHold holds a call of the chat dialect whose arguments come before its name", () => {
  const hold = new TurnHold("openai-chat");
  const chunk = { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '{"a":1}' } }] } }] };
  assert.deepEqual(hold.feed(encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`)), {
    pass: [],
    deltas: [],
    events: 1,
  });
  assert.ok(hold.holding);
});

test("TurnHold gives nothing out that comes behind the end of a turn, nor data that is no JSON", () => {
  const late = new TurnHold("anthropic");
  const whole = streamOf("anthropic", { ...turn, toolCalls: [], finish: "stop" });
  late.feed(whole);
  assert.deepEqual(late.feed(streamOf("anthropic")), { pass: [], deltas: [], events: 0 });
  const broken = new TurnHold("openai-chat");
  assert.deepEqual(broken.feed(encoder.encode("data: <html>\n\n")).pass, []);
  assert.equal(broken.failure?.code, "MALFORMED");
});

test("TurnHold counts events, and neither comments nor pings", () => {
  const hold = new TurnHold("anthropic");
  const ping = 'event: ping\ndata: {"type":"ping"}\n\n';
  assert.equal(hold.feed(encoder.encode(`: hi\n\n${ping}${ping}`)).events, 0);
  assert.equal(hold.feed(encoder.encode('data: {"type":"new"}\n\n')).events, 1);
});

test("TurnHold refuses a stream of the Responses API that gives one call two different arguments", () => {
  const events = writeTurn("openai-responses", turn)
    .join("")
    .split(/(?<=\n\n)/);
  for (const type of ["function_call_arguments.done", "completed"]) {
    const hold = new TurnHold("openai-responses");
    const changed = events.map((event) =>
      event.startsWith(`event: response.${type}`) ? event.replace('/a\\"', '/etc\\"') : event,
    );
    assert.notDeepEqual(changed, events);
    hold.feed(encoder.encode(changed.join("")));
    hold.end();
    assert.equal(hold.failure?.code, "MALFORMED", type);
    assert.deepEqual(hold.release(new Map()), []);
  }
});

test("TurnHold ends a turn at the limit of its text, also where its events are known by their bytes", () => {
  const hold = new TurnHold("openai-chat", { textCharsMax: 100 });
  const event = new TextEncoder().encode('data: {"choices":[{"index":0,"delta":{"content":"ten chars."}}]}\n\n');
  const passed = Array.from({ length: 20 }, () => hold.feed(event).pass.length);
  assert.equal(passed.indexOf(0), 10);
  assert.equal(hold.failure?.code, "TOO_LARGE");
});

test("TurnHold releases what came in a buffer that its caller has used again", () => {
  const [bytes, buffer] = [streamOf("openai-chat"), Buffer.alloc(4096)];
  const hold = new TurnHold("openai-chat");
  const given: string[] = [];
  for (let start = 0; start < bytes.length; start += buffer.length) {
    const length = Math.min(buffer.length, bytes.length - start);
    buffer.set(bytes.subarray(start, start + length));
    given.push(join(hold.feed(buffer.subarray(0, length)).pass));
    buffer.fill(0);
  }
  given.push(join(hold.end().pass), join(hold.release(new Map())));
  assert.equal(given.join(""), join([bytes]));
});

const isForeign = (text: string): boolean => hasForeignLine(new TextEncoder().encode(text));

test("hasForeignLine knows the lines of an event stream, whatever their data is", () => {
  const known = [
    'event: message_start\ndata: {"a":"ä\u2028\u0085"}\n\n',
    "data:x\rid: 1\r\nretry: 10\n\n",
    ": OPENROUTER PROCESSING\n\n",
    ":\n\n",
    "\n",
    "\r\n",
    "data\n\n",
    "event\n\n",
  ];
  for (const text of known) assert.ok(!isForeign(text), JSON.stringify(text));
});

test("hasForeignLine finds lines that some readers skip and some read", () => {
  const foreign = [
    " data: {}\n\n",
    "\u{feff}data: {}\n\n",
    "Data: {}\n\n",
    "datax: {}\n\n",
    '{"choices":[]}\n\n',
    ": comment\u000bdata: {}\n\n",
    ": comment\u2028data: {}\n\n",
    "id: 1\u0085data: {}\n\n",
    "event: ping\u001edata: {}\ndata: {}\n\n",
    "data: {}\r data: {}\n\n",
    "<html>",
  ];
  for (const text of foreign) assert.ok(isForeign(text), JSON.stringify(text));
});

test("withoutByteOrderMark takes one away", () => {
  const bytes = new TextEncoder().encode("\u{feff}\u{feff}a");
  assert.equal(withoutByteOrderMark(bytes).length, 4);
  assert.equal(withoutByteOrderMark(bytes.subarray(6)).length, 1);
});
