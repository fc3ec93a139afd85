import assert from "node:assert/strict";
import { test } from "node:test";
import { Presence, type PresenceInput } from "./presence.ts";

const beat = (count: number, boot = "1", machine = "box"): PresenceInput => ({
  type: "heartbeat",
  machine,
  boot,
  beat: count,
});
const state = (presence: Presence, machine = "box"): string | undefined => presence.machine(machine)?.state;

test("a machine is away 5 s after its last heartbeat, and back with the next one", () => {
  const presence = new Presence();
  presence.step(beat(1), 100);
  assert.equal(state(presence), "here");
  presence.step(beat(2), 1100);
  assert.deepEqual(presence.step({ type: "tick" }, 5100), []);
  const away = { machine: "box", state: "away", sinceMs: 6100, reason: "it was not heard for 5 s" };
  assert.deepEqual(presence.step({ type: "tick" }, 6100), [away]);
  assert.deepEqual(presence.step(beat(3), 7000), [{ machine: "box", state: "here", sinceMs: 7000, reason: "" }]);
});

test("a machine that is only listed is unheard, then away", () => {
  const presence = new Presence();
  presence.step({ type: "known", machine: "box" }, 0);
  assert.equal(state(presence), "unheard");
  presence.step({ type: "tick" }, 5000);
  assert.equal(state(presence), "away");
});

test("a heartbeat that was counted, or of an earlier start, is not a sign of life", () => {
  const presence = new Presence();
  presence.step(beat(7, "1"), 0);
  presence.step(beat(1, "2"), 1000);
  for (const old of [beat(8, "1"), beat(1, "2"), beat(0, "2")]) {
    presence.step(old, 3000);
    presence.step({ type: "tick" }, 6000);
    assert.equal(state(presence), "away");
  }
});

test("a daemon that has said goodbye is away at once, and late heartbeats of it do not count", () => {
  const presence = new Presence();
  presence.step(beat(1, "1"), 0);
  presence.step({ type: "left", machine: "box", boot: "0" }, 1);
  assert.equal(state(presence), "here");
  presence.step({ type: "left", machine: "box", boot: "1" }, 2);
  assert.equal(presence.machine("box")?.reason, "it has left");
  presence.step(beat(2, "1"), 3);
  assert.equal(state(presence), "away");
  presence.step(beat(1, "2"), 4);
  assert.equal(state(presence), "here");
});

test("without its own connection a watcher names that as the reason", () => {
  const presence = new Presence();
  presence.step(beat(1), 0);
  presence.step({ type: "connection", isUp: false }, 100);
  presence.step({ type: "tick" }, 5000);
  assert.equal(presence.machine("box")?.reason, "this machine has no connection to the cluster");
});

test("machines beyond the limit replace those that are away, or are not watched", () => {
  const presence = new Presence({ machinesMax: 2 });
  presence.step(beat(1, "1", "a"), 0);
  presence.step(beat(1, "1", "b"), 1000);
  presence.step(beat(1, "1", "c"), 1000);
  assert.equal(state(presence, "c"), undefined);
  presence.step(beat(2, "1", "b"), 5000);
  presence.step(beat(2, "1", "c"), 5000);
  assert.deepEqual(
    presence.machines().map(({ machine }) => machine),
    ["b", "c"],
  );
});
