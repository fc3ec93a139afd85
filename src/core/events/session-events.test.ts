import assert from "node:assert/strict";
import { test } from "node:test";
import { observationsOf } from "../../../test/observed.ts";
import type { Step } from "../observe/step.ts";
import type { Mark } from "../records.ts";
import { SessionEvents, type SessionEventsOptions } from "./session-events.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const tag = '<FORGE_EVENT name="DONE">{"ok":true}</FORGE_EVENT>\n';

const at = { offset: 0, timeUs: 0 };

function opened(options: SessionEventsOptions = {}, nonce: string | null = null): SessionEvents {
  const events = new SessionEvents(options);
  const start: Step = { type: "start", command: [], ...(nonce !== null && { eventNonce: nonce }), ...at };
  play(events, start);
  return events;
}

const play = (events: SessionEvents, ...steps: readonly Step[]) =>
  observationsOf(steps).flatMap((observation) => events.step(observation));

test("a plain tag is unverified unless the user vouches for the session or the tag has the nonce", () => {
  const trustOf = (events: SessionEvents, text = tag): string | undefined => events.output(bytes(text), 0, 0)[0]?.trust;
  assert.equal(trustOf(new SessionEvents()), "unverified");
  assert.equal(trustOf(opened()), "unverified");
  assert.equal(trustOf(opened({ trustsText: false }, "n1")), "unverified");
  assert.equal(trustOf(opened({ trustsText: true })), "text");
  for (const trustsText of [false, true]) {
    const events = opened({ trustsText }, "n1");
    assert.equal(trustOf(events, tag.replace('"DONE"', '"DONE" nonce="n1"')), "nonce");
    assert.equal(trustOf(events, tag.replace('"DONE"', '"DONE" nonce="n2"')), trustsText ? "text" : "unverified");
  }
});

test("the echo of what was typed is unverified", () => {
  const events = opened({ trustsText: true });
  play(events, { type: "input", bytes: bytes(tag), isSecret: false, ...at });
  assert.deepEqual(
    events.output(bytes(tag), 100, 0).map(({ trust }) => trust),
    ["unverified"],
  );
});

test("goes on within a tag where another stood", () => {
  const before = opened({ trustsText: true });
  assert.deepEqual(before.output(bytes(`x${tag.slice(0, 30)}`), 10, 0), []);
  const after = new SessionEvents({ trustsText: true }, JSON.parse(JSON.stringify(before.save())));
  assert.deepEqual(
    after.output(bytes(tag.slice(30)), 41, 1000).map(({ name, offset, trust }) => [name, offset, trust]),
    [["DONE", 11, "text"]],
  );
});

test("wants to be woken while a tag is open, and gives it up then", () => {
  const events = opened();
  assert.equal(events.wakeUs, null);
  events.output(bytes(tag.slice(0, 30)), 0, 1_000_000);
  const { wakeUs } = events;
  assert.ok(wakeUs !== null && wakeUs > 1_000_000);
  assert.deepEqual(play(events, { type: "tick", timeUs: wakeUs }), []);
  assert.equal(events.wakeUs, null);
});

test("a schema counts for every carrier, from where it stands, also after a checkpoint", () => {
  const events = opened();
  const mark = (event: Mark): Step => ({ type: "mark", event, offset: 7, end: 30, timeUs: 0 });
  play(events, mark({ type: "event-schema", name: "DONE", schema: { type: "object", required: ["code"] } }));
  const later = new SessionEvents({}, JSON.parse(JSON.stringify(events.save())));
  for (const each of [events, later]) {
    assert.deepEqual(each.output(bytes(tag), 0, 0)[0]?.valid, false);
    const sent = (name: string, payload: unknown): boolean | undefined =>
      play(each, mark({ type: "event", name, payload, carrier: "socket", trust: "socket", pid: null }))[0]?.valid;
    assert.equal(sent("DONE", { code: 1 }), true);
    assert.equal(sent("DONE", {}), false);
    assert.equal(sent("OTHER", {}), true);
  }
});
