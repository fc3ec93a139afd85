import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { stepsOf } from "../../../test/frames.ts";
import { readRecording, recordedSteps } from "../../../test/recordings.ts";
import type { Step } from "../observe/step.ts";
import { Watch, type WatchChange } from "./watch.ts";

const run = (steps: Iterable<Step>): WatchChange[] => {
  const watch = new Watch();
  return [...steps].flatMap((step) => [...watch.step(step)]);
};
const brief = (change: WatchChange): string =>
  change.type === "status" ? change.status.state : `${change.approval.id} ${change.approval.state}`;

test("an approval comes in front of the status that it makes", () => {
  const changes = run(recordedSteps("codex-inline-events-80x24")).map(brief);
  const opened = changes.findIndex((change) => change.endsWith(" open"));
  assert.equal(changes[opened + 1], "blocked");
  assert.ok(changes.findIndex((change) => change.endsWith(" answered")) > opened);
});

test("a watch that was saved at any step goes on the same", () => {
  for (const name of ["codex-inline-events-80x24", "pi-two-80x24", "repl-bash-color-80x24"]) {
    const whole = new Watch();
    let restored = new Watch();
    for (const step of recordedSteps(name)) {
      restored = new Watch(JSON.parse(JSON.stringify(restored.save())));
      assert.deepEqual(restored.step(step), whole.step(step));
      assert.equal(restored.wakeUs, whole.wakeUs);
    }
    assert.deepEqual(restored.save(), whole.save());
  }
});

test("the same bytes give the same changes at every split of their records", () => {
  for (const name of ["claude-two-80x24", "gemini-encode-80x24", "repl-slow-80x24"]) {
    const { columns, rows, events } = readRecording(name);
    const whole = run(stepsOf(events, { columns, rows }));
    const length = events.reduce((sum, [, type, data]) => sum + (type === "o" ? Buffer.byteLength(data) : 0), 0);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: length - 1 }), { minLength: 1, maxLength: 40 }), (cuts) => {
        assert.deepEqual(run(stepsOf(events, { columns, rows, cutsAt: cuts })), whole);
      }),
      { numRuns: 6 },
    );
  }
});
