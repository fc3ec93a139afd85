import assert from "node:assert/strict";
import { test } from "node:test";
import { property, assert as check, string, constantFrom } from "fast-check";
import { TextEnvelope } from "./text-envelope.ts";
import { WireReader } from "./wire-reader.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const eventOf = (text: string): string => `data: {"choices":[{"index":0,"delta":{"content":${text}}}]}\n\n`;

function learned(text: string): TextEnvelope {
  const envelope = new TextEnvelope();
  envelope.learn(bytes(eventOf(`"${text}"`)), text);
  return envelope;
}

test("an event that differs in its text alone is known, and so are several in one chunk", () => {
  const envelope = learned("Hello");
  assert.deepEqual(envelope.textsIn(bytes(eventOf('" world, 日本"'))), [" world, 日本"]);
  assert.deepEqual(envelope.textsIn(bytes(eventOf('"one"') + eventOf('"\uFEFFtwo"') + eventOf('""'))), [
    "one",
    "\uFEFFtwo",
    "",
  ]);
});

test("what differs elsewhere, is cut or holds more than plain characters is not known", () => {
  const envelope = learned("Hello");
  for (const other of [
    eventOf('"a"').slice(0, -1),
    `${eventOf('"a"')}data: `,
    eventOf('"a\\"b"'),
    eventOf('"a\nb"'),
    eventOf('"a\u0001"'),
    eventOf('"a","tool_calls":[{"index":0}],"x":"b"'),
    eventOf('"a"').replace("choices", "choicet"),
    "",
  ]) {
    assert.equal(envelope.textsIn(bytes(other)), undefined, other);
  }
});

test("nothing is learned where the text stands twice or is written with escapes", () => {
  const twice = new TextEnvelope();
  twice.learn(bytes('data: {"content":"content"}\n\n'), "content");
  assert.equal(twice.textsIn(bytes('data: {"other":"content"}\n\n')), undefined);
  const escaped = new TextEnvelope();
  escaped.learn(bytes('data: {"content":"\\u0068i","hi":[]}\n\n'), "hi");
  assert.equal(escaped.textsIn(bytes('data: {"content":"\\u0068i","tool_calls":[]}\n\n')), undefined);
});

test("a stream whose events are numbered is given up, one that changes its envelope once is not", () => {
  const numbered = new TextEnvelope();
  for (let number = 0; number < 20; number += 1) numbered.learn(bytes(`data: {"n":${number},"t":"a"}\n\n`), "a");
  assert.equal(numbered.textsIn(bytes('data: {"n":19,"t":"b"}\n\n')), undefined);
  const changed = learned("Hello");
  changed.learn(bytes('data: {"t":"a"}\n\n'), "a");
  assert.deepEqual(changed.textsIn(bytes('data: {"t":"b"}\n\n')), ["b"]);
});

test("whatever is known is what the reader of the stream makes of it", () => {
  const breaks = ['"', "\\", "\n", "}", '"}}]}\n\ndata: ', '","tool_calls":[{"index":0,"function":{"name":"x"}}],"'];
  const unit = constantFrom(...breaks, "a", " ", "é", "\uD800");
  check(
    property(string({ unit, maxLength: 8 }), (inside) => {
      const chunk = bytes(eventOf(`"${inside}"`));
      const texts = learned("Hello").textsIn(chunk);
      if (texts === undefined) return;
      const deltas = new WireReader("openai-chat").feed(chunk);
      assert.deepEqual(
        deltas,
        texts.filter((text) => text !== "").map((text) => ({ type: "text-delta", text })),
      );
    }),
  );
});

test("a text that is not UTF-8 teaches nothing: its replacement character may be the name of a field", () => {
  const event = (key: string): Uint8Array =>
    bytes(`data: {"candidates":[{"content":{"parts":[{"${key}":{"name":"sh"},"text":"\ufffd"}]}}]}\n\n`);
  const sent = event("\ufffd");
  // The text's own bytes are one FF.
  const at = sent.lastIndexOf(0xef);
  const raw = new Uint8Array([...sent.subarray(0, at), 0xff, ...sent.subarray(at + 3)]);
  const envelope = new TextEnvelope();
  envelope.learn(raw, "\ufffd");
  assert.equal(envelope.textsIn(raw), undefined);
});
