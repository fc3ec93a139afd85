import assert from "node:assert/strict";
import { test } from "node:test";
import type { StatusState } from "../../../core/status/status.ts";
import { SessionWatch } from "./session-watch.ts";

/** `"working 5"`: since the fifth second. */
function watched(
  statuses: readonly string[],
  agent: string | null = "claude",
  watch = new SessionWatch(),
): SessionWatch {
  for (const status of statuses) {
    const [state = "", second = ""] = status.split(" ");
    watch.feed({ state: state as StatusState, sinceUs: Number(second) * 1e6, offset: 0, agent });
  }
  return watch;
}
const keyAfter = (...statuses: readonly string[]): string | undefined => watched(statuses).current(null)?.key;

test("a turn that ended is done, from then until the next one", () => {
  assert.equal(keyAfter("starting 0", "waiting 1"), undefined);
  assert.equal(keyAfter("waiting 1", "working 2"), undefined);
  assert.equal(keyAfter("waiting 1", "working 2", "waiting 3"), "done 3000000");
  assert.equal(keyAfter("waiting 1", "working 2", "waiting 3", "idle 5"), "done 3000000");
  assert.equal(keyAfter("waiting 1", "working 2", "waiting 3", "working 4"), undefined);
});

test("a turn with a question in it ends once", () => {
  assert.equal(keyAfter("working 2", "blocked 3"), "blocked 3000000");
  assert.equal(keyAfter("working 2", "blocked 3", "working 4", "waiting 5"), "done 5000000");
  assert.equal(keyAfter("working 2", "blocked 3", "waiting 4"), "done 4000000");
  assert.equal(keyAfter("working 2", "unknown 3", "waiting 4"), "done 4000000");
});

test("a short command of a shell is not reported, a long one is", () => {
  assert.equal(watched(["working 1", "waiting 5"], null).current(null), null);
  assert.equal(watched(["working 1", "waiting 11"], null).current(null)?.key, "done 11000000");
});

test("a question has its own key, whatever the status is", () => {
  const watch = watched(["working 1", "blocked 2"]);
  assert.deepEqual(watch.current({ id: "a7", sinceUs: 5 }), { kind: "blocked", key: "question a7", sinceUs: 5 });
});

test("a usage limit comes before the end of the turn that it caused", () => {
  const watch = watched(["working 1"]);
  const waiting = { state: "waiting", sinceUs: 2e6, offset: 0, agent: "claude" } as const;
  assert.equal(watch.feed({ ...waiting, limit: { untilUs: 9e6 } }), true);
  assert.equal(watch.current(null)?.key, "limit 9000000");
  watch.feed({ ...waiting, limit: null });
  assert.equal(watch.current(null)?.key, "done 2000000");
});

test("a status that was fed before changes nothing, so a new daemon may feed all again", () => {
  const statuses = ["waiting 1", "working 2", "waiting 3", "working 4"];
  const first = watched(statuses);
  const again = watched([...statuses, "waiting 5"], "claude", new SessionWatch(first.state));
  assert.equal(again.current(null)?.key, "done 5000000");
  assert.equal(again.feed({ state: "waiting", sinceUs: 5e6, offset: 0, agent: "claude" }), false);
});

test("a receipt ends a turn that no status has shown", () => {
  const watch = watched(["waiting 1"]);
  watch.turnEnded();
  assert.equal(watch.current(null)?.key, "done 1000000");
  const working = watched(["working 1"]);
  working.turnEnded();
  assert.equal(working.current(null), null);
});
