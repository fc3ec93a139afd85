import assert from "node:assert/strict";
import { test } from "node:test";
import { PageBuilder, readPage } from "./output-page.ts";
import type { McpCalls } from "./tool.ts";

const output = (offset: number, text: string) => ({
  type: "output",
  offset,
  next: offset + Buffer.byteLength(text),
  data: Buffer.from(text).toString("base64"),
});

test("a page with more behind it ends with its last whole line, and the next one begins there", () => {
  const page = new PageBuilder(10);
  page.add([output(10, "one\r\n"), output(15, "two\r\n\u001b[3")], 23);
  assert.deepEqual(page.end(true), { output: "one\ntwo\n", next: 20, more: true, missing: 0 });
});

test("marks behind the last output do not move where a cut page goes on", () => {
  const page = new PageBuilder(0);
  page.add([output(0, "a\nbc"), { type: "mark", offset: 4, next: 30 }], 30);
  assert.deepEqual(page.end(true), { output: "a\n", next: 2, more: true, missing: 0 });
});

test("the last page, and one without a line end, are given whole", () => {
  for (const more of [false, true]) {
    const page = new PageBuilder(0);
    page.add([output(0, "\u001b[1m$ \u001b[m"), { type: "mark", offset: 9, next: 12 }], 12);
    assert.deepEqual(page.end(more), { output: "$ ", next: 12, more, missing: 0 });
  }
});

test("what the journal does not have any more is counted", () => {
  const page = new PageBuilder(0);
  page.add([{ type: "gap", offset: 0, next: 700 }, output(700, "rest\n")], 705);
  assert.deepEqual(page.end(false), { output: "rest\n", next: 705, more: false, missing: 700 });
});

test("a page that begins at any byte of a shell mark shows nothing of it", async () => {
  const text = "one\r\n\u001b]133;D;0;n=AbCdEfGhIjKl\u0007$ \u001b]133;B;n=AbCdEfGhIjKl\u0007ls";
  const call = (_name: string, { from, bytesMax }: { from: number; bytesMax: number }) => {
    const records = from < text.length ? [output(from, text.slice(from, from + bytesMax))] : [];
    return Promise.resolve({ records, next: Math.min(text.length, from + bytesMax), end: text.length });
  };
  const calls = { call } as unknown as McpCalls;
  for (let from = 0; from < text.length; from += 1) {
    const page = await readPage(calls, { session: "s", from, bytesMax: 4096, tagged: null });
    assert.ok("one\n$ ls".endsWith(page.output), `${from}: ${page.output}`);
  }
});
