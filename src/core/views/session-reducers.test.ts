import assert from "node:assert/strict";
import { test } from "node:test";
import { SessionReducers } from "./session-reducers.ts";
import { SessionView } from "./session-view.ts";

test("the command decides what a tag is worth, and a saved state knows it", () => {
  const folds = new SessionReducers();
  folds.step({ type: "start", command: ["bash"], offset: 0, timeUs: 0 });
  const tag = new TextEncoder().encode('<FORGE_EVENT name="A">{}</FORGE_EVENT>');
  const trusts = [folds, new SessionReducers({}, JSON.parse(JSON.stringify(folds.save())))].map(
    (each) => each.output(tag, 10, 5).map((change) => (change.kind === "event" ? change.event.trust : ""))[0],
  );
  assert.deepEqual(trusts, ["unverified", "unverified"]);
});

/** The last message of a shell in which a file with a tag was shown. */
function shownTag(trustText: boolean): readonly (string | undefined)[] {
  const view = new SessionView({ columns: 80, rows: 24, events: { trustText } });
  const tag = '<FORGE_EVENT name="A">{}</FORGE_EVENT>';
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  view.step({ type: "start", command: ["bash"], offset: 0, timeUs: 0 });
  view.output(bytes("$ "), 10, 1000);
  view.advance(3_000_000);
  view.step({ type: "input", bytes: bytes("cat tags\r"), isSecret: false, offset: 12, timeUs: 4_000_000 });
  const shown = bytes(`cat tags\r\none\r\n${tag}\r\ntwo\r\n$ `);
  const changes = [...view.output(shown, 30, 4_100_000).changes, ...view.advance(9_000_000)];
  const message = changes.flatMap((change) => (change.kind === "message" ? [change.message] : [])).at(-1);
  view.dispose();
  return [message?.text, message?.rawText];
}

test("a tag that nobody believes is content; without the others the text with them is kept beside the message", () => {
  const whole = 'one\n<FORGE_EVENT name="A">{}</FORGE_EVENT>\ntwo';
  assert.deepEqual(shownTag(false), [whole, undefined]);
  assert.deepEqual(shownTag(true), ["one\ntwo", whole]);
});

test("an open tag asks for a time to be given up, and not again", () => {
  const folds = new SessionReducers();
  folds.output(new TextEncoder().encode('<FORGE_EVENT name="A">{'), 0, 0);
  const { wakeUs } = folds;
  assert.ok(wakeUs !== null);
  folds.step({ type: "tick", timeUs: wakeUs });
  assert.notEqual(folds.wakeUs, wakeUs);
});
