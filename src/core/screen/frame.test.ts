import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { FrameReader, type Frame } from "./frame.ts";
import { Screen } from "./screen.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function readerOf(size: { columns?: number; rows?: number } = {}): FrameReader {
  return new FrameReader(new Screen({ columns: 20, rows: 3, ...size }), { cutBytesMin: 4 });
}

const shown = ({ lines }: Frame): string[] => lines.map(({ text }) => text);

test("a frame is what stood there when the program paused", () => {
  const reader = readerOf();
  assert.deepEqual(reader.output(bytes("one"), 0, 1_000).frames, []);
  const { frames } = reader.output(bytes(" two"), 3, 20_000);
  assert.deepEqual(
    frames.map((frame) => [frame.reason, frame.offset, frame.timeUs, ...shown(frame)]),
    [["pause", 3, 1_000, "one", "", ""]],
  );
  assert.deepEqual(reader.settle(30_000).map(shown), [["one two", "", ""]]);
  assert.deepEqual(reader.settle(90_000), []);
});

test("steady output is looked at in intervals", () => {
  const reader = readerOf();
  const reasons = Array.from({ length: 40 }, (_, index) => reader.output(bytes("x"), index, index * 5_000).frames);
  assert.deepEqual(
    reasons.flat().map(({ reason, timeUs }) => [reason, timeUs]),
    [45_000, 90_000, 135_000, 180_000].map((timeUs) => ["interval", timeUs]),
  );
});

test("a synchronized update ends in a frame, and a wipe begins with one", () => {
  const reader = readerOf();
  const { frames } = reader.output(bytes("\u001b[?2026hframe\u001b[?2026l more\u001b[2Jrest\u001b[?1049hmore"), 0, 1);
  assert.deepEqual(
    frames.map((frame) => [frame.reason, shown(frame)[0]]),
    [
      ["synchronized", "frame"],
      ["wipe", "frame more"],
      ["wipe", "          rest"],
    ],
  );
});

test("within a synchronized update nothing is looked at, unless it lasts", () => {
  const reader = readerOf();
  reader.output(bytes("\u001b[?2026hhalf"), 0, 1_000);
  assert.deepEqual(reader.output(bytes(" a"), 12, 100_000).frames, []);
  assert.deepEqual(reader.settle(200_000), []);
  const { frames } = reader.output(bytes(" frame\u001b[?2026l"), 14, 210_000);
  assert.deepEqual(frames.map(shown), [["half a frame", "", ""]]);
  reader.output(bytes("\u001b[?2026hbroken"), 28, 300_000);
  assert.equal(reader.wakeUs, 800_000, "when it has lasted, not before");
  assert.deepEqual(reader.settle(799_999), []);
  assert.equal(reader.settle(800_000).length, 1);
  assert.equal(reader.wakeUs, null);
});

test("output of one moment gives the same frames however it is cut", () => {
  const play = (...parts: string[]): unknown[] => {
    const reader = readerOf();
    reader.output(bytes("first"), 0, 0);
    let offset = 5;
    const frames = parts.flatMap((part) => {
      offset += part.length;
      return reader.output(bytes(part), offset - part.length, 100_000).frames;
    });
    return frames.map((frame) => [frame.reason, frame.offset]);
  };
  assert.deepEqual(play("one", "two"), play("onetwo"));
});

test("lines that left the top come with the next frame, the same objects as they were shown", () => {
  const reader = readerOf();
  reader.output(bytes("1\r\n2\r\n3"), 0, 0);
  const [first] = reader.settle(100_000);
  reader.output(bytes("\r\n4\r\n5"), 7, 200_000);
  const [second] = reader.settle(300_000);
  assert.deepEqual(
    second?.scrolled.map(({ text }) => text),
    ["1", "2"],
  );
  assert.equal(second?.scrolled[0], first?.lines[0]);
  assert.equal(second?.lines[0], first?.lines[2]);
  assert.equal(second?.topLine, 2);
});

test("lines are counted on through a reset, a cleared scrollback and more lines than the screen keeps", () => {
  const screen = new Screen({ columns: 20, rows: 3, scrollbackLinesMax: 1000 });
  const reader = new FrameReader(screen, { scrolledLinesMax: 2000 });
  reader.output(bytes("line\r\n".repeat(5000)), 0, 0);
  const [frame] = reader.settle(100_000);
  assert.deepEqual([frame?.scrolled.length, frame?.scrolledLost, frame?.topLine], [2000, 2998, 4998]);
  reader.output(bytes("\u001b[3Jmore\r\n"), 40_000, 200_000);
  assert.deepEqual(
    reader.settle(300_000).map(({ topLine, scrolled }) => [topLine, scrolled.length]),
    [[4999, 1]],
  );
  reader.output(bytes("\u001bcnew\r\n\n\n"), 50_000, 400_000);
  const [last] = reader.settle(500_000);
  assert.ok((last?.topLine ?? 0) > 4999);
  assert.deepEqual(
    last?.scrolled.map(({ text }) => text),
    ["new"],
  );
});

test("spans say what looks different", () => {
  const reader = readerOf();
  reader.output(bytes("a\u001b[1;31mb漢\u001b[0;48;2;1;2;3m \u001b[0m  "), 0, 0);
  const [frame] = reader.settle(100_000);
  const [line] = frame?.lines ?? [];
  assert.equal(line?.text, "ab漢");
  assert.deepEqual(
    line?.spans.map(({ text, column, foreground, background, isBold }) => [
      text,
      column,
      foreground,
      background,
      isBold,
    ]),
    [
      ["a", 0, -1, -1, false],
      ["b漢", 1, 1, -1, true],
      [" ", 4, -1, 0x1010203, false],
    ],
  );
});

test("a resize says so in the next frame", () => {
  const reader = readerOf();
  reader.output(bytes("a line of 24 characters!"), 0, 0);
  assert.deepEqual(
    reader.resize(10, 3).map(({ reason }) => reason),
    ["resize"],
  );
  const [frame] = reader.settle(100_000);
  assert.deepEqual([frame?.isResized, frame?.columns], [true, 10]);
});

test("the frames of a recording are the same at every cut", () => {
  const file = readFileSync(
    new URL("../../../test/fixtures/recordings/claude-two-80x24.cast", import.meta.url),
    "utf8",
  );
  const events = file
    .trim()
    .split("\n")
    .slice(1)
    .map((line): [number, string, string] => JSON.parse(line));
  const output = events.filter(([, type]) => type === "o").slice(0, 60);
  const play = (cutAt: number): string[] => {
    const reader = readerOf({ columns: 80, rows: 24 });
    const frames: Frame[] = [];
    let offset = 0;
    for (const [time, , data] of output) {
      const chunk = bytes(data);
      const cut = Math.max(0, Math.min(chunk.length, cutAt - offset));
      for (const [part, from] of [[chunk.subarray(0, cut), 0] as const, [chunk.subarray(cut), cut] as const])
        if (part.length > 0) frames.push(...reader.output(part, offset + from, Math.round(time * 1e6)).frames);
      offset += chunk.length;
    }
    return frames.map((frame) =>
      JSON.stringify([frame.offset, frame.reason, frame.timeUs, frame.topLine, shown(frame)]),
    );
  };
  const whole = play(0);
  assert.ok(whole.length > 20);
  const length = output.reduce((sum, [, , data]) => sum + bytes(data).length, 0);
  for (let cut = 1; cut < length; cut += 61) assert.deepEqual(play(cut), whole, `cut at ${cut}`);
});

test("a size that is set before the first output is no frame: nothing was shown at a time", () => {
  const reader = readerOf();
  assert.deepEqual(reader.resize(30, 4), []);
  assert.equal(reader.wakeUs, null);
  assert.deepEqual(reader.settle(1_000_000), []);
  assert.deepEqual(reader.output(bytes("one"), 100, 2_000_000).frames, []);
  assert.deepEqual(
    reader.settle(3_000_000).map((frame) => [frame.timeUs, frame.columns, frame.isResized, shown(frame)[0]]),
    [[2_000_000, 30, true, "one"]],
  );
});
