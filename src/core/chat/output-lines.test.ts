import assert from "node:assert/strict";
import { test } from "node:test";
import { FrameReader, type Frame } from "../screen/frame.ts";
import { Screen } from "../screen/screen.ts";
import { OutputLines } from "./output-lines.ts";

function framesOf(...parts: string[]): Frame[] {
  const reader = new FrameReader(new Screen({ columns: 10, rows: 4 }));
  let offset = 0;
  const frames = parts.flatMap((part, index) => {
    const bytes = new TextEncoder().encode(part);
    offset += bytes.length;
    return [
      ...reader.output(bytes, offset - bytes.length, index * 100_000).frames,
      ...reader.settle(index * 100_000 + 50_000),
    ];
  });
  return frames;
}

test("lines are gathered as they scroll, with soft wraps joined", () => {
  const output = new OutputLines(1);
  for (const frame of framesOf("$ cmd\r\nline of 14 ch", "ars\r\na\r\nb\r\nc\r\nd\r\n", "e\r\n$ ")) output.frame(frame);
  assert.equal(output.text(8), "line of 14 chars\na\nb\nc\nd\ne");
  assert.equal(output.isIncomplete, false);
});

test("much output keeps its beginning and its end", () => {
  const output = new OutputLines(0);
  const lines = Array.from({ length: 1200 }, (_, index) => `${index}\r\n`).join("");
  for (const frame of framesOf(lines)) output.frame(frame);
  const text = output.text(null).split("\n");
  assert.deepEqual([text[0], text[500], text.at(-1)], ["0", "… 197 lines …", "1199"]);
  assert.equal(output.isIncomplete, true);
});

test("it goes on after it was saved", () => {
  const [first, second] = framesOf("a\r\nb\r\nc\r\nd\r\n", "e\r\nf\r\n");
  const output = new OutputLines(0);
  output.frame(first!);
  const restored = new OutputLines(JSON.parse(JSON.stringify(output.save())));
  restored.frame(second!);
  assert.equal(restored.text(null), "a\nb\nc\nd\ne\nf");
});

test("what was saved stays as it was", () => {
  const [first, second] = framesOf("a\r\nb\r\nc\r\nd\r\n", "e\r\nf\r\n");
  const output = new OutputLines(0);
  output.frame(first!);
  const saved = output.save();
  const before = structuredClone(saved);
  output.frame(second!);
  assert.deepEqual(saved, before);
});
