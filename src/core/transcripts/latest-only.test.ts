import assert from "node:assert/strict";
import { test } from "node:test";
import { latestOnly } from "./latest-only.ts";

const said = (text: string) => ({ kind: "message", id: "a", role: "assistant", text, timeMs: 0 }) as const;

test("a message is reported again only when it has changed, or after it was taken back", () => {
  const isNew = latestOnly();
  assert.deepEqual([said("x"), said("x"), said("xy"), said("xy")].map(isNew), [true, false, true, false]);
  assert.ok(!isNew({ ...said("xy"), timeMs: 5 }));
  assert.ok(isNew({ kind: "taken-back", ids: ["a"], why: "rewound" }));
  assert.ok(isNew(said("xy")));
});
