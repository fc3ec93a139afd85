import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { encodeEvent, findEncodedEvents } from "./encoded-event.ts";
import { EncodedEvents, type SightingPlace } from "./encoded-events.ts";

interface Recording {
  readonly recording: string;
  readonly screens: readonly { readonly message: number; readonly sent: string; readonly rows: readonly string[] }[];
}

const fixture = join(import.meta.dirname, "../../../test/fixtures/screens/encoded-events.json");
const recordings = JSON.parse(readFileSync(fixture, "utf8")) as readonly Recording[];

const place = (scope: string, writer: SightingPlace["writer"] = "assistant"): SightingPlace => ({
  scope,
  writer,
  offset: 5,
});
const token = encodeEvent("DONE", { ok: true });

test("EncodedEvents gives an event once, however often and however wrapped it is painted", () => {
  const events = new EncodedEvents();
  const [event, ...more] = events.see([`● ${token}`], place("m1"));
  assert.deepEqual(more, []);
  assert.ok(event?.valid && event.carrier === "encoded" && event.trust === "encoded" && event.offset === 5);
  assert.deepEqual(event.payload, { ok: true });
  assert.deepEqual(events.see(["", `  ${token.slice(0, 20)}`, `  ${token.slice(20)}`], place("m1")), []);
  assert.deepEqual(events.see([], place("m1")), []);
  assert.deepEqual(events.see([token], place("m1")), []);
});

test("EncodedEvents counts an event that stands twice in a message, or in another message, as another one", () => {
  const events = new EncodedEvents();
  const ids = [
    ...events.see([token], place("m1")),
    ...events.see([token, token], place("m1")),
    ...events.see([token], place("m2")),
  ].map((event) => event.id);
  assert.equal(new Set(ids).size, 3);
});

test("EncodedEvents trusts nothing outside of an assistant's message", () => {
  const events = new EncodedEvents();
  assert.equal(events.see([token], place("user", "other"))[0]?.trust, "unverified");
  assert.equal(events.see([token], place("answer"))[0]?.trust, "encoded");
});

test("EncodedEvents does not trust what an assistant quotes in a sentence, or repeats from the output of a tool", () => {
  const events = new EncodedEvents();
  const doubtOf = (rows: readonly string[], at: SightingPlace): unknown[] =>
    events.see(rows, at).map(({ trust, doubt }) => [trust, doubt]);
  assert.deepEqual(doubtOf([`● The log has \`${token}\` in it.`], place("a")), [["unverified", "quoted"]]);
  assert.deepEqual(doubtOf([`● \`${token}\``], place("b")), [["encoded", undefined]]);
  assert.deepEqual(doubtOf([`  ⎿ ${token}`], place("c", "tool")), [["unverified", undefined]]);
  assert.deepEqual(doubtOf([`● ${token}`], place("d")), [["unverified", "repeated"]]);
});

test("EncodedEvents trusts a name that the checksum does not cover only where a schema knows it", () => {
  const rows = ["@@FE1:TASKCOMPLETE:eyJyZXN1bHQiOiJvayJ9:98f46d9b@@"];
  const schemas = new Map([["TASK_COMPLETE", (): string[] => []]]);
  assert.equal(new EncodedEvents({ schemas }).see(rows, place("m"))[0]?.trust, "unverified");
  const known = new Map([["TASKCOMPLETE", (): string[] => []]]);
  assert.equal(new EncodedEvents({ schemas: known }).see(rows, place("m"))[0]?.trust, "encoded");
});

test("EncodedEvents forgets the oldest sighting at its limit", () => {
  const events = new EncodedEvents({ sightingsMax: 1 });
  events.see([token], place("m1"));
  events.see([token], place("m2"));
  assert.equal(events.see([token], place("m2")).length, 0);
  assert.equal(events.see([token], place("m1")).length, 1);
});

for (const { recording, screens } of recordings) {
  test(`EncodedEvents reads each event of ${recording} once and exactly`, () => {
    const events = new EncodedEvents();
    for (const { message, sent, rows } of screens) {
      const expected = findEncodedEvents(sent.split("\n")).map(({ text }) => JSON.parse(text) as unknown);
      const firstLine = sent.split("\n")[0] ?? "";
      const start = rows.findLastIndex((row) => row.includes(firstLine));
      const messageRows = rows.slice(Math.max(0, start));
      const seen = events.see(messageRows, place(`${message}`));
      assert.equal(expected.length, 1);
      assert.deepEqual(
        seen.map((event) => event.valid && event.payload),
        expected,
        sent,
      );
      assert.deepEqual(events.see(messageRows, place(`${message}`)), []);
    }
  });
}
