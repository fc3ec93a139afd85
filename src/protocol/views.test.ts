import assert from "node:assert/strict";
import { test } from "node:test";
import { isEventName } from "../core/events/tagged-event.ts";
import type { ViewChange } from "../core/views/change.ts";
import { eventNameSchema } from "./names.ts";
import { changeSchema } from "./views.ts";

const event = {
  type: "tagged-event",
  id: "text:5",
  name: "DONE",
  attributes: {},
  carrier: "text",
  trust: "text",
  offset: 5,
  end: 50,
} as const;

test("a change goes through its schema as it is", () => {
  const changes: ViewChange[] = [
    { kind: "event", offset: 50, timeUs: 1, event: { ...event, valid: true, payload: { ok: [1, null] } } },
    {
      kind: "event",
      offset: 50,
      timeUs: 1,
      event: { ...event, valid: false, error: { code: "malformed-json", message: "no" }, text: "{" },
    },
    {
      kind: "message",
      offset: 9,
      timeUs: 1,
      message: {
        id: "m1",
        role: "shell",
        agent: null,
        text: "a\n",
        source: "screen",
        isPartial: false,
        isIncomplete: false,
        offset: 1,
        end: 9,
        timeUs: 1,
        endTimeUs: 2,
        shell: { command: "echo a", exitCode: 0 },
      },
    },
  ];
  for (const change of changes) assert.deepEqual(changeSchema.parse(change), change);
});

test("a kind, a role or a state that nobody knows is refused", () => {
  assert.equal(changeSchema.safeParse({ kind: "other", offset: 0, timeUs: 0 }).success, false);
  assert.equal(
    changeSchema.safeParse({ kind: "event", offset: 0, timeUs: 0, event: { ...event, valid: true, trust: "high" } })
      .success,
    false,
  );
});

test("a name of an event is one on both sides", () => {
  for (const name of ["A", "task.done-2", "", "1", "a b", "x".repeat(64), "x".repeat(65), "Ä"]) {
    assert.equal(eventNameSchema.safeParse(name).success, isEventName(name), name);
  }
});
