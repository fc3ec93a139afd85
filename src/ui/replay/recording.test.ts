import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionRecord } from "../../client.ts";
import type { ChatMessage } from "../../core/chat/message.ts";
import type { SessionStatus } from "../../core/status/status.ts";
import type { Approval } from "../../core/dialogs/approval.ts";
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

const said = (id: string, offset: number, atMs: number): ViewChange => ({
  kind: "message",
  offset: offset + 100,
  timeUs: 5_000_000 + atMs * 1000 + 900_000,
  message: { id, role: "user", text: id, isPartial: false, offset, timeUs: 5_000_000 + atMs * 1000 } as ChatMessage,
});

test("Recording marks what was said, asked and done where it began", () => {
  const made = recording();
  const approval = { id: "a1", question: "May I?", offset: 3, timeUs: 6_000_000 } as Approval;
  const status = { state: "blocked", summary: "May I?", offset: 3, sinceUs: 6_500_000 } as SessionStatus;
  const withdrawn = said("m2", 4, 1);
  assert.ok(withdrawn.kind === "message");
  made.feedChanges([
    said("m1", 1, 2000),
    { kind: "approval", offset: 9, timeUs: 7_000_000, approval },
    { kind: "status", offset: 9, timeUs: 7_000_000, status },
    { kind: "status", offset: 9, timeUs: 7_000_000, status: { ...status, state: "unknown" } },
    { ...withdrawn, message: { ...withdrawn.message, text: "" } },
  ]);
  assert.deepEqual(
    made.marks.map(({ kind, atMs, offset, text }) => [kind, atMs, offset, text]),
    [
      ["question", 1000, 3, "May I?"],
      ["status", 1500, 3, "blocked: May I?"],
      ["message", 2000, 1, "user: m1"],
    ],
  );
});

test("Recording goes from one mark to the next, however near it is", () => {
  const made = recording();
  made.feedChanges([said("m1", 1, 100), said("m2", 2, 100.2), said("m3", 3, 2000)]);
  assert.equal(made.markAfter(0)?.key, "message m1");
  assert.equal(made.markAfter(100)?.key, "message m2");
  assert.equal(made.markAfter(100.2)?.key, "message m3");
  assert.equal(made.markAfter(2000), undefined);
  assert.equal(made.markBefore(3000)?.key, "message m3");
  assert.equal(made.markBefore(2000.9)?.key, "message m3");
  assert.equal(made.markBefore(2000)?.key, "message m2");
  assert.equal(made.markBefore(100.2)?.key, "message m1");
  assert.equal(made.markBefore(100), undefined);
  assert.equal(made.markAt(1500)?.key, "message m2");
  assert.equal(made.markAt(50), undefined);
});

test("Recording tells the most telling of what happened at one moment", () => {
  const made = recording();
  const status = { state: "working", summary: "", offset: 2, sinceUs: 5_100_000 } as SessionStatus;
  made.feedChanges([said("m1", 1, 100), { kind: "status", offset: 2, timeUs: 5_100_000, status }, said("m2", 3, 200)]);
  assert.equal(made.markAfter(0)?.key, "message m1");
  assert.equal(made.markBefore(200)?.key, "message m1");
  assert.equal(made.markAfter(100)?.key, "message m2");
});

test("Recording shows how the session stood, the most urgent state of each stretch", () => {
  const made = recording();
  const status = (state: string, atMs: number): ViewChange => ({
    kind: "status",
    offset: 0,
    timeUs: 0,
    status: { state, summary: "", offset: 0, sinceUs: 5_000_000 + atMs * 1000 } as SessionStatus,
  });
  made.feedChanges([status("working", 0), status("blocked", 1500), status("idle", 1600), status("waiting", 3500)]);
  assert.deepEqual(made.states(4), ["working", "blocked", undefined, "waiting"]);
});

test("Recording draws no two marks of a kind at one place", () => {
  const made = recording();
  made.feedChanges([said("m1", 1, 100), said("m2", 2, 120), said("m3", 3, 2000)]);
  assert.deepEqual(
    made.marksIn(4).map(({ key }) => key),
    ["message m1", "message m3"],
  );
});

test("Recording names a place so that it shows the same again, however soon the next frame comes", () => {
  const made = new Recording();
  made.feed([output(0, 0, "$ "), output(2, 100.1, "echo"), output(6, 100.4, "pears"), output(11, 7000.007, "$ ")]);
  made.feedChanges([said("m1", 2, 100.3)]);
  for (const timeMs of [0, 100.1, 100.3, 100.4, 3333.333, 7000.006, 7000.007]) {
    const again = made.timeOf(made.placeAt(timeMs));
    assert.equal(again, timeMs);
    assert.equal(made.indexAt(again), made.indexAt(timeMs));
  }
  assert.deepEqual(made.placeAt(100.3), { offset: 2, plusUs: 200 });
  assert.equal(made.markAt(made.timeOf({ offset: 2, plusUs: 200 }))?.key, "message m1");
});
