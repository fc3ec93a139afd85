import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf } from "../../../test/frames.ts";
import { observationsOf } from "../../../test/observed.ts";
import { wireRequest, wireTurn } from "../../../test/marks.ts";
import type { Step } from "../observe/step.ts";
import type { Mark } from "../records.ts";
import { SessionEvents, type SessionEventsOptions, Sightings } from "./session-events.ts";
import { readEvent, type TaggedEvent } from "./tagged-event.ts";

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
  assert.equal(trustOf(opened({ trustText: false }, "n1")), "unverified");
  assert.equal(trustOf(opened({ trustText: true })), "text");
  for (const trustText of [false, true]) {
    const events = opened({ trustText }, "n1");
    assert.equal(trustOf(events, tag.replace('"DONE"', '"DONE" nonce="n1"')), "nonce");
    assert.equal(trustOf(events, tag.replace('"DONE"', '"DONE" nonce="n2"')), trustText ? "text" : "unverified");
  }
});

test("the echo of what was typed is unverified", () => {
  const events = opened({ trustText: true });
  play(events, { type: "input", bytes: bytes(tag), isSecret: false, ...at });
  assert.deepEqual(
    events.output(bytes(tag), 100, 0).map(({ trust }) => trust),
    ["unverified"],
  );
});

test("goes on within a tag where another stood", () => {
  const before = opened({ trustText: true });
  assert.deepEqual(before.output(bytes(`x${tag.slice(0, 30)}`), 10, 0), []);
  const after = new SessionEvents({ trustText: true }, JSON.parse(JSON.stringify(before.save())));
  assert.deepEqual(
    after.output(bytes(tag.slice(30)), 41, 1000).map(({ name, offset, trust }) => [name, offset, trust]),
    [["DONE", 11, "text"]],
  );
});

test("wants to be woken while a tag is open, and then reports that it was abandoned", () => {
  const events = opened();
  assert.equal(events.wakeUs, null);
  events.output(bytes(tag.slice(0, 30)), 0, 1_000_000);
  const { wakeUs } = events;
  assert.ok(wakeUs !== null && wakeUs > 1_000_000);
  const [event, ...more] = play(events, { type: "tick", timeUs: wakeUs });
  assert.ok(event !== undefined && !event.valid && event.error.code === "abandoned");
  assert.match(event.error.message, /event "DONE": its end did not come within 30000 ms/);
  assert.deepEqual(more, []);
  assert.equal(events.wakeUs, null);
});

test("schemas count for every carrier, from where they stand, also after a checkpoint, and for names without one", () => {
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
    assert.equal(sent("OTHER", {}), false);
  }
  const [other] = later.output(bytes(tag.replace("DONE", "OTHER")), 100, 0);
  assert.ok(other !== undefined && !other.valid && other.error.code === "unknown-name");
  assert.match(other.error.message, /no schema for event "OTHER": the session has schemas for DONE/);
});

test("name and limits of the tag are those of the session", () => {
  const events = new SessionEvents({ tagName: "EV", tagBytesMax: 300, tagMsMax: 1000 });
  const own = (name: string, body = "{}"): Uint8Array => bytes(`<EV name="${name}">${body}</EV>\n`);
  const names = (text: Uint8Array, offset: number, timeUs = 0): string[] =>
    events.output(text, offset, timeUs).map(({ name, valid }) => `${name} ${valid}`);
  assert.deepEqual(names(bytes(tag), 0), []);
  assert.deepEqual(names(own("A"), 100), ["A true"]);
  assert.deepEqual(names(own("BIG", `"${"x".repeat(400)}"`), 200), ["BIG false"]);
  assert.deepEqual(names(bytes('<EV name="LATE">{'), 1000), []);
  assert.deepEqual(names(bytes("}</EV>"), 1100, 2_000_000), ["LATE false"]);
  assert.deepEqual(names(bytes('<EV name="OUTER"><EV name="INNER">{}</EV>'), 2000, 3_000_000), [
    "OUTER false",
    "INNER true",
  ]);
});

test("a program that paints its screen again sends no second event, one that prints again does", () => {
  const events = opened();
  const count = (text: string, offset: number): number => events.output(bytes(text), offset, 0).length;
  assert.equal(count(`\u001b[H${tag}`, 0), 1);
  assert.equal(count(`\u001b[H${tag}`, 100), 0);
  assert.equal(count(tag, 200), 1);
  play(events, { type: "input", bytes: bytes("again\r"), isSecret: false, ...at });
  assert.equal(count(`\u001b[H${tag}`, 300), 1);
});

test("in a wired session the model's text is the event, and sightings are the same one", () => {
  const events = opened();
  const mark = (event: Mark, offset: number): Step => ({ type: "mark", event, offset, end: offset + 5, timeUs: 0 });
  play(events, mark(wireRequest(), 0));
  const seen = events.output(bytes(tag), 100, 0);
  assert.deepEqual(
    seen.map(({ id, trust }) => [id, trust]),
    [["text:100", "unverified"]],
  );
  const written = play(events, mark(wireTurn({ text: tag }), 200));
  assert.deepEqual(
    written.map(({ id, carrier, trust }) => [id, carrier, trust]),
    [["text:100", "wire", "wire"]],
  );
  assert.deepEqual(events.output(bytes(tag), 300, 0), []);
  assert.deepEqual(
    events.message({ id: "m1", role: "assistant", source: "wire", text: tag, isPartial: false }, 400),
    [],
  );
});

test("in a wired session a program's own invalid tag is reported, and a painted one is a damaged sighting", () => {
  const broken = bytes(tag.replace('{"ok":true}', "{bad"));
  const wired: Step = { type: "mark", event: wireRequest(), offset: 0, end: 5, timeUs: 0 };
  const validity = (events: SessionEvents): boolean[] => events.output(broken, 100, 0).map(({ valid }) => valid);
  const printing = opened();
  play(printing, wired);
  assert.deepEqual(validity(printing), [false]);
  const painting = opened();
  play(painting, wired, { type: "frame", frame: frameOf("|", { isAlternate: true }) });
  assert.deepEqual(validity(painting), []);
});

test("of a message what a model meant is left out; what it quoted, and what others wrote, is content", () => {
  const own = '<FORGE_EVENT name="DONE">{}</FORGE_EVENT>';
  const encoded = "@@FE1:DONE:e30:7f3a2d11@@";
  const text = `Write \`${own}\`.\n\n${own}\n\nDone.`;
  const readable = (role: string, source: string, trustText = false): string =>
    new SessionEvents({ trustText }).readable({ role, source, text });
  assert.equal(readable("assistant", "wire"), `Write \`${own}\`.\n\nDone.`);
  for (const [role, source] of [
    ["assistant", "screen"],
    ["tool-result", "wire"],
    ["user", "wire"],
    ["shell", "screen"],
  ] as const)
    assert.equal(readable(role, source), text, `${role} ${source}`);
  assert.equal(readable("shell", "screen", true), "Write ``.\n\nDone.");
  assert.equal(readable("tool-result", "wire", true), "Write ``.\n\nDone.");
  assert.equal(readable("assistant", "screen", true), text, "a tag on the screen of an agent is not trusted");
  const echoed = { role: "tool-result", source: "screen", text: `cat: ${encoded}` };
  assert.equal(new SessionEvents().readable(echoed), echoed.text);
});

const event = (carrier: "text" | "wire" | "socket", id: string, text = "{}"): TaggedEvent =>
  readEvent({ name: "A", text, attributes: {}, id, carrier, trust: "unverified", offset: 0, end: 0 });

const ids = (sightings: Sightings, ...events: readonly TaggedEvent[]): string[] =>
  sightings.unify(events).map(({ id }) => id);

test("what the model wrote has the id of its first sighting, and later sightings are not reported", () => {
  let sightings = new Sightings();
  assert.deepEqual(ids(sightings, event("text", "t1"), event("text", "t2")), ["t1", "t2"]);
  assert.deepEqual(ids(sightings, event("wire", "w1")), ["t1"]);
  sightings = new Sightings(JSON.parse(JSON.stringify(sightings.save())));
  assert.deepEqual(ids(sightings, event("text", "t3")), []);
  assert.deepEqual(ids(sightings, event("wire", "w2")), ["w2"]);
  assert.deepEqual(ids(sightings, event("text", "t4", "1"), event("socket", "s1")), ["t4", "s1"]);
});

test("damaged sightings are not reported", () => {
  assert.deepEqual(ids(new Sightings(), event("text", "t1", "{broken"), event("wire", "w1", "{broken")), ["w1"]);
});
