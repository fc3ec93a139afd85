import assert from "node:assert/strict";
import { test } from "node:test";
import { SessionView } from "../core/views/session-view.ts";
import { BatchJob, sliceEnd } from "./batch-job.ts";
import { sliceBytes, type BatchPiece } from "./view-messages.ts";

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const SMALL = 80 * 24;
const LARGE = 1000 * 500;

test("a slice of text and colours is as long as it may be, one of resets is short, on a large screen shorter", () => {
  const lengthOf = (text: string, cells: number): number => sliceEnd(encode(text.repeat(10_000)), 0, cells);
  assert.equal(lengthOf("text\r\n", SMALL), sliceBytes);
  assert.equal(lengthOf("\u001B[38;5;10mred\u001B[0m\u001B[K\u001B[5;5H", LARGE), sliceBytes);
  assert.equal(lengthOf("\u001Bc", SMALL), 2 * 32);
  assert.equal(lengthOf("\u001Bc", LARGE), 2);
  assert.equal(lengthOf("a\u001B[9999b", LARGE), 9, "up to the second expensive sequence");
});

test("slices follow each other to the end, also where a sequence is cut by it", () => {
  const bytes = encode(`${"\u001Bc".repeat(100)}${"x".repeat(5000)}\u001B[`);
  let at = 0;
  while (at < bytes.length) {
    const end = sliceEnd(bytes, at, SMALL);
    assert.ok(end > at && end <= bytes.length, `${at} to ${end}`);
    at = end;
  }
});

test("a job draws a batch in steps and knows after each where it is, over gaps too", () => {
  const first = encode("x".repeat(5000));
  const second = encode("after");
  const blank = { timeUs: 1, columns: 0, rows: 0 };
  const pieces: BatchPiece[] = [
    { type: "output", offset: 100, length: first.length, ...blank },
    { type: "gap", offset: 5100, length: 0, ...blank },
    { type: "output", offset: 9000, length: second.length, ...blank },
  ];
  const bytes = new Uint8Array([...first, ...second]);
  const job = new BatchJob({ type: "feed", id: 1, from: 100, pieces, bytes, next: 9005 });
  const view = new SessionView({ columns: 80, rows: 24 });
  const slices: [number, number][] = [];
  const places: number[] = [];
  while (!job.isDone) {
    job.step({ view, agent: null }, (from, to) => slices.push([from, to]));
    places.push(job.next);
  }
  assert.deepEqual(slices, [
    [100, 100 + sliceBytes],
    [100 + sliceBytes, 5100],
    [5100, 5100],
    [9000, 9005],
  ]);
  assert.deepEqual(places, [100 + sliceBytes, 5100, 9000, 9005]);
  assert.equal(view.screen.text(), "after");
});

test("a sequence that was begun before bytes that are left out is not continued behind them", () => {
  const blank = { timeUs: 1, columns: 0, rows: 0 };
  const [before, left, after] = ["ab\u001B[3", "8;5;10m", "1mX"].map(encode);
  assert.ok(before !== undefined && left !== undefined && after !== undefined);
  const pieces: BatchPiece[] = [
    { type: "output", offset: 0, length: before.length, ...blank },
    { type: "skip", offset: before.length, length: left.length, ...blank },
    { type: "output", offset: before.length + left.length, length: after.length, ...blank },
  ];
  const bytes = new Uint8Array([...before, ...left, ...after]);
  const job = new BatchJob({ type: "feed", id: 1, from: 0, pieces, bytes, next: bytes.length });
  const view = new SessionView({ columns: 80, rows: 24 });
  while (!job.isDone) job.step({ view, agent: null }, () => undefined);
  assert.equal(view.screen.text(), "ab1mX");
});
