import assert from "node:assert/strict";
import { test } from "node:test";
import { SessionReducers } from "./session-reducers.ts";

test("the command decides what a tag is worth, and a saved state knows it", () => {
  const folds = new SessionReducers();
  folds.step({ type: "start", command: ["bash"], offset: 0, timeUs: 0 });
  const tag = new TextEncoder().encode('<FORGE_EVENT name="A">{}</FORGE_EVENT>');
  const trusts = [folds, new SessionReducers({}, JSON.parse(JSON.stringify(folds.save())))].map(
    (each) => each.output(tag, 10, 5).map((change) => (change.kind === "event" ? change.event.trust : ""))[0],
  );
  assert.deepEqual(trusts, ["unverified", "unverified"]);
});

test("an open tag asks for a time to be given up, and not again", () => {
  const folds = new SessionReducers();
  folds.output(new TextEncoder().encode('<FORGE_EVENT name="A">{'), 0, 0);
  const { wakeUs } = folds;
  assert.ok(wakeUs !== null);
  folds.step({ type: "tick", timeUs: wakeUs });
  assert.notEqual(folds.wakeUs, wakeUs);
});
