import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { AcpLines, encodeMessage, isRequest, readCutMessage, type AcpLine } from "./acp-lines.ts";

const encoder = new TextEncoder();
const bytesOf = (lines: readonly AcpLine[]): string =>
  lines.map(({ bytes }) => Buffer.from(bytes).toString("hex")).join("");
const brief = (line: AcpLine): unknown => {
  if (line.type === "message") return line.message;
  return line.type === "noise" ? line.text : { head: line.head && Buffer.from(line.head).toString() };
};
const read = (text: string): unknown[] => new AcpLines().feed(encoder.encode(text)).map(brief);

test("a line is a message if it is a JSON object with an id or a method, and noise otherwise", () => {
  assert.deepEqual(read('{"jsonrpc":"2.0","id":1,"result":{}}\r\n'), [{ jsonrpc: "2.0", id: 1, result: {} }]);
  assert.deepEqual(read('{"method":"session/cancel"}\n'), [{ method: "session/cancel" }]);
  for (const text of [
    "pi v0.87.1",
    "{half",
    "[1]",
    "null",
    '"text"',
    "{}",
    '{"id":true}',
    '{"id":{},"method":"x"}',
    "",
  ])
    assert.deepEqual(read(`${text}\n`), [text]);
});

test("an open line is not given out, and is saved", () => {
  const lines = new AcpLines();
  assert.deepEqual(lines.feed(encoder.encode('{"id":1')), []);
  const saved = new AcpLines(100, lines.save());
  for (const each of [lines, saved]) assert.deepEqual(each.feed(encoder.encode("}\n")).map(brief), [{ id: 1 }]);
});

test("at the end of a stream its last line is given out with a line feed, once", () => {
  const lines = new AcpLines(10);
  assert.deepEqual(lines.end(), []);
  lines.feed(encoder.encode('{"id":2}'));
  assert.deepEqual(lines.end().map(brief), [{ id: 2 }]);
  assert.deepEqual(lines.end(), []);
  lines.feed(encoder.encode("0123456789a"));
  assert.equal(bytesOf(lines.end()), "0a");
});

test("a line of 16 MiB is a message; one over the limit comes in pieces, and the next line is read again", () => {
  const large = `{"id":1,"result":"${"x".repeat(16 * 1024 * 1024)}"}\n`;
  assert.equal(read(large).length, 1);
  const lines = new AcpLines(10);
  const got = lines.feed(encoder.encode('{"id":"0123456789"}\n{"id":2}\n'));
  assert.deepEqual(got.map(brief), [{ head: '{"id":"012' }, { id: 2 }]);
  assert.deepEqual(lines.feed(encoder.encode("0123456789a")).map(brief), [{ head: "0123456789" }]);
  assert.deepEqual(lines.feed(encoder.encode("b\n")).map(brief), [{ head: null }]);
});

test("the beginning of a message says what it is, and where its text is cut", () => {
  const cut = (text: string): unknown => readCutMessage(encoder.encode(text));
  const text = "é [cut: the rest is in the journal]";
  assert.deepEqual(cut('{"id":3,"method":"session/prompt","params":{"a/b":[{"text":"é'), {
    id: 3,
    method: "session/prompt",
    params: { "a/b": [{ text }] },
  });
  assert.deepEqual(readCutMessage(encoder.encode('{"id":3,"result":"éé').subarray(0, -1)), { id: 3, result: text });
  for (const beginning of ["", "noise", '"text', '["a', '{"result":{"x":1', '{"id":1}}'])
    assert.equal(cut(beginning), null, beginning);
});

test("the same lines at any chunking, and their bytes are those of the stream", () => {
  const texts = fc.array(fc.oneof(fc.string(), fc.constant("\n"), fc.json(), fc.constant('{"id":1,"method":"é"}\n')));
  const sizes = fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1 });
  fc.assert(
    fc.property(texts, sizes, fc.constantFrom(8, 1e6), (parts, lengths, lineBytesMax) => {
      const bytes = encoder.encode(`${parts.join("")}\n`);
      const lines = new AcpLines(lineBytesMax);
      const cut: AcpLine[] = [];
      for (let at = 0, index = 0; at < bytes.length; index += 1) {
        const next = at + (lengths[index % lengths.length] ?? 1);
        cut.push(...lines.feed(bytes.subarray(at, next)));
        at = next;
      }
      const whole = new AcpLines(lineBytesMax).feed(bytes);
      const ends = (all: readonly AcpLine[]): unknown[] =>
        all.filter((line) => line.type !== "piece" || line.head !== null).map(brief);
      assert.deepEqual(ends(cut), ends(whole));
      assert.equal(bytesOf(cut), bytesOf(whole));
      assert.equal(bytesOf(whole), Buffer.from(bytes).toString("hex"));
    }),
  );
});

test("a message is written as one line, and only a message with method and id waits for an answer", () => {
  assert.equal(
    new TextDecoder().decode(encodeMessage({ id: 1, result: "a\nb" })),
    '{"jsonrpc":"2.0","id":1,"result":"a\\nb"}\n',
  );
  assert.equal(isRequest({ id: 0, method: "x" }), true);
  assert.equal(isRequest({ id: null, method: "x" }), false);
  assert.equal(isRequest({ id: 1 }), false);
});
