import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionRecord } from "../../client.ts";
import type { Approval } from "../../core/approvals/approval.ts";
import type { ViewChange } from "../../core/views/change.ts";
import { Recording } from "./recording.ts";

const output = (offset: number, atMs: number, text: string): SessionRecord => ({
  type: "output",
  offset,
  next: offset + text.length,
  timeUs: 5_000_000 + atMs * 1000,
  bytes: new TextEncoder().encode(text),
});

const recording = (): Recording => {
  const made = new Recording();
  made.feed([output(0, 0, "a"), output(1, 1000, "bc"), output(3, 1000, "d"), output(4, 4000, "efgh")]);
  return made;
};

test("Recording finds the frames up to a time", () => {
  assert.deepEqual(
    [-1, 0, 999, 1000, 4000, 9999].map((time) => recording().indexAt(time)),
    [0, 1, 1, 3, 4, 4],
  );
});

test("Recording knows when an offset was printed", () => {
  assert.deepEqual(
    [0, 2, 3, 7].map((offset) => recording().timeOfOffset(offset)),
    [0, 1000, 1000, 4000],
  );
});

test("Recording sums its output over the time", () => {
  assert.deepEqual(recording().volume(4), [1, 3, 0, 4]);
  assert.equal(recording().durationMs, 4000);
});

test("Recording makes one mark of keys that follow each other", () => {
  const made = new Recording();
  const typed = (atMs: number): SessionRecord => ({
    type: "input",
    offset: atMs,
    next: atMs + 1,
    timeUs: atMs * 1000,
    bytes: 1,
    secret: false,
  });
  made.feed([typed(0), typed(200), typed(900), typed(5000)]);
  assert.deepEqual(
    made.marks.map(({ atMs }) => atMs),
    [0, 5000],
  );
});

test("Recording marks what was said and asked once, at its time", () => {
  const made = recording();
  const approval = { id: "a1", question: "May I?" } as Approval;
  const asked: ViewChange = { kind: "approval", offset: 3, timeUs: 6_000_000, approval };
  made.feedChanges([asked, { ...asked, timeUs: 7_000_000 }]);
  assert.deepEqual(
    made.marks.map(({ kind, atMs, text }) => [kind, atMs, text]),
    [["question", 1000, "May I?"]],
  );
});
