import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { hash32, ModelJournal } from "../../../../test/simulation/model-journal.ts";
import type { StoredHeader } from "./replica-message.ts";
import { Replicator, type ReplicatorEffect, type ReplicatorInput, type ReplicatorOptions } from "./replicator.ts";

let journal = new ModelJournal();
let stored: StoredHeader[] = [];
let sequence = 0;
/** What was asked since the last look, in short. */
let asked: string[] = [];
let replicator = new Replicator();
let nowMs = 0;
let published: Omit<StoredHeader, "sequence"> | undefined;
let publishRequest = 0;
let publishes: "work" | "fail" | "vanish" | "refuse" = "work";
const options: ReplicatorOptions = { batchBytesMax: 40, lingerMs: 100, checkMs: 1000, answerMsMax: 500, retryMs: 100 };

beforeEach(() => {
  journal = new ModelJournal();
  stored = [];
  sequence = 0;
  nowMs = 0;
  publishes = "work";
  begin();
});

/** Another daemon on the same journal and stream. */
function begin(more: ReplicatorOptions = {}): void {
  asked = [];
  replicator = new Replicator({ ...options, ...more });
}

/** One input and, at once, all answers to what it asks for. */
function step(input: ReplicatorInput): void {
  for (const effect of replicator.step(input, nowMs)) {
    const answer = perform(effect);
    if (answer !== undefined) step(answer);
  }
}

function perform(effect: ReplicatorEffect): ReplicatorInput | undefined {
  switch (effect.type) {
    case "list": {
      asked.push(`list ${effect.fromSequence}`);
      const messages = stored.filter((one) => one.sequence >= effect.fromSequence);
      return { type: "listed", request: effect.request, messages, isLast: true };
    }
    case "tail":
      asked.push("tail");
      return { type: "tail", request: effect.request, message: stored.at(-1) };
    case "verify": {
      const raw = journal.raw(effect.message.offset, effect.message.next);
      return {
        type: "verified",
        request: effect.request,
        matches: raw !== undefined && hash32(raw) === effect.message.crc,
      };
    }
    case "read": {
      const read = journal.read(effect.offset, effect.end, effect.bytesMax);
      return { type: "read", request: effect.request, ...read, crc: hash32(read.bytes), gapReason: "trimmed" };
    }
    case "publish": {
      const { from, offset, next, gapReason } = effect.header;
      published = effect.header;
      publishRequest = effect.request;
      asked.push(
        `publish ${from === offset ? "" : `${gapReason} ${from}-`}${offset}-${next} after ${effect.expectedSequence}`,
      );
      if (publishes === "vanish") return undefined;
      if (publishes === "fail") return { type: "failed", request: effect.request, reason: "the quota is full" };
      if (publishes === "refuse") return { type: "refused", request: effect.request };
      if (effect.expectedSequence !== (stored.at(-1)?.sequence ?? 0))
        return { type: "refused", request: effect.request };
      store(effect.header);
      return { type: "published", request: effect.request, sequence };
    }
    case "fork":
      asked.push(`fork ${effect.epoch}: ${effect.reason}`);
      return undefined;
    case "state":
      return undefined;
  }
}

function store(header: Omit<StoredHeader, "sequence">): void {
  sequence += 1;
  stored.push({ ...header, sequence });
}

/** Frames of 8 raw bytes and 6 offsets. */
function grow(frames: number): void {
  for (let at = 0; at < frames; at++) journal.append([1, 2, 3, 4, 5, journal.end & 0xff]);
  journal.sync();
  report();
}

function report(): void {
  step({ type: "journal", start: journal.start, end: journal.durableEnd, bases: journal.bases });
}

function wait(ms: number): void {
  const untilMs = nowMs + ms;
  for (let wakeMs = replicator.wakeAtMs; wakeMs !== undefined && wakeMs <= untilMs; wakeMs = replicator.wakeAtMs) {
    nowMs = Math.max(nowMs, wakeMs);
    step({ type: "tick" });
  }
  nowMs = untilMs;
}

const looked = (): string[] => asked.splice(0);
/** Connects, reads the empty replica, and publishes six frames. */
function following(): void {
  step({ type: "connected" });
  grow(6);
  wait(200);
  assert.deepEqual(looked(), ["list 0", "publish 0-30 after 0", "publish 30-36 after 1"]);
}

test("a full batch is published at once, a smaller one after the linger time", () => {
  step({ type: "connected" });
  report();
  grow(7);
  assert.deepEqual(looked(), ["list 0", "publish 0-30 after 0"]);
  assert.equal(replicator.wakeAtMs, nowMs + 100);
  grow(1);
  assert.deepEqual(looked(), []);
  wait(100);
  assert.deepEqual(looked(), ["publish 30-48 after 1"]);
  assert.deepEqual([replicator.end, replicator.lagBytes, replicator.state], [48, 0, { name: "following" }]);
});

test("only what is durable is published", () => {
  following();
  journal.append([1, 2, 3]);
  report();
  wait(500);
  assert.deepEqual(looked(), []);
  assert.equal(replicator.lagBytes, 0);
});

test("one publish is under way, and the next batch grows while it is", () => {
  following();
  publishes = "vanish";
  grow(7);
  grow(7);
  assert.deepEqual(looked(), ["publish 36-66 after 2"]);
  publishes = "work";
  store(published!);
  step({ type: "published", request: publishRequest, sequence });
  assert.deepEqual(looked(), ["publish 66-96 after 3"]);
});

test("an idle replica is compared each check time, and repaired if the broker has lost its last message", () => {
  following();
  wait(1000);
  assert.deepEqual(looked(), ["tail"]);
  stored.pop();
  wait(1200);
  assert.deepEqual(looked(), ["tail", "list 1", "list 0", "publish 30-36 after 1"]);
  assert.equal(stored.at(-1)?.next, 36);
});

test("a publish without an answer is looked up before anything is sent again", () => {
  following();
  publishes = "vanish";
  grow(5);
  wait(100);
  looked();
  store({ ...stored.at(-1)!, from: 36, offset: 36, next: 66, crc: hash32(journal.raw(36, 66)!) });
  publishes = "work";
  wait(600);
  assert.deepEqual(looked(), ["list 1"]);
  assert.equal(replicator.end, 66);
});

test("a refused publish is resolved from the stream, and a hole is filled from its beginning", () => {
  following();
  // A late message of ours, after a recovery that used the sequences again.
  stored.pop();
  journal.append([9, 9, 9, 9, 9, 9]);
  const late = journal.raw(36, 42)!;
  store({ epoch: 1, epochStart: 0, from: 36, offset: 36, next: 42, rawBytes: 8, crc: hash32(late) });
  grow(1);
  wait(200);
  assert.deepEqual(looked(), ["publish 36-48 after 2", "list 1", "list 0", "publish 30-48 after 3"]);
  assert.equal(replicator.end, 48);
});

test("after each connection the messages since the oldest known one are compared", () => {
  following();
  step({ type: "disconnected" });
  assert.deepEqual(replicator.state, { name: "degraded", reason: "there is no connection to the cluster" });
  grow(1);
  step({ type: "connected" });
  assert.deepEqual(looked(), ["list 1"]);
  wait(100);
  assert.deepEqual(looked(), ["publish 36-42 after 2"]);
});

test("another daemon continues the replica", () => {
  following();
  begin();
  step({ type: "connected" });
  grow(1);
  wait(100);
  assert.deepEqual(looked(), ["list 0", "publish 36-42 after 2"]);
});

test("a replica that is ahead of the journal, or has other bytes, gets a new epoch", () => {
  following();
  journal = new ModelJournal();
  begin();
  step({ type: "connected" });
  grow(1);
  wait(100);
  assert.deepEqual(looked(), ["list 0", "fork 2: the replica ends at 36, the journal at 6", "publish 0-6 after 2"]);
  assert.equal(stored.at(-1)?.epoch, 2);

  stored.pop();
  for (let at = 0; at < 8; at++) journal.append([7, 7, 7, 7, 7, 7]);
  journal.sync();
  begin();
  step({ type: "connected" });
  report();
  wait(100);
  assert.equal(looked()[1], "fork 2: the replica has other bytes than the journal");
});

test("a replica that is too far behind continues at a later segment, with a declared gap", () => {
  begin({ lagBytesMax: 60 });
  step({ type: "connected" });
  report();
  publishes = "fail";
  for (let at = 0; at < 5; at++) {
    grow(5);
    journal.beginSegment();
  }
  publishes = "work";
  report();
  wait(400);
  assert.deepEqual(looked().slice(-2), ["list 0", "publish lag 0-120-150 after 0"]);
});

test("a batch that is large enough does not wait for more", () => {
  begin({ batchBytesMax: 1000, dueBytes: 10 });
  step({ type: "connected" });
  report();
  grow(7);
  assert.deepEqual(looked(), ["list 0", "publish 0-42 after 0"]);
});

test("what the journal has trimmed is a declared gap", () => {
  following();
  step({ type: "disconnected" });
  grow(5);
  journal.beginSegment();
  grow(1);
  journal.trim();
  report();
  step({ type: "connected" });
  wait(100);
  assert.deepEqual(looked(), ["list 1", "publish trimmed 36-66-72 after 2"]);
});

test("a quota that is full degrades the replica until a publish succeeds", () => {
  following();
  publishes = "fail";
  grow(5);
  wait(100);
  const degraded = { name: "degraded", reason: "the quota is full" };
  assert.deepEqual(replicator.state, degraded);
  wait(10_000);
  assert.deepEqual(replicator.state, degraded);
  // 100 ms, doubled: about seven attempts.
  assert.ok(looked().length < 20);
  publishes = "work";
  wait(30_000);
  assert.deepEqual(replicator.state, { name: "following" });
  assert.equal(stored.at(-1)?.next, 66);
});

test("a rival writer is a failure, and is not fought", () => {
  following();
  publishes = "refuse";
  grow(7);
  assert.deepEqual(replicator.state, { name: "degraded", reason: "another writer publishes the same session" });
  looked();
  wait(10_000);
  assert.ok(looked().length < 80);
});

test("a journal without a readable record is not read again and again", () => {
  following();
  step({ type: "disconnected" });
  grow(20);
  journal.beginSegment();
  journal.trim();
  report();
  let reads = 0;
  const read = journal.read.bind(journal);
  journal.read = (...range) => {
    reads += 1;
    return read(...range);
  };
  step({ type: "connected" });
  wait(500);
  assert.deepEqual([reads, replicator.lagBytes], [1, 0]);
  grow(1);
  wait(100);
  assert.deepEqual(looked(), ["list 1", "publish trimmed 36-156-162 after 2"]);
});
