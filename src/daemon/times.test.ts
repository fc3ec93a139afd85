import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultTimes, readTimes } from "./times.ts";

test("LECTERN_TIMES changes the times that it names, and refuses any other text", () => {
  assert.deepEqual(readTimes(), defaultTimes);
  const changed = { ...defaultTimes, hostAnswerMs: 1000, deviceAfterMs: 100 };
  assert.deepEqual(readTimes("hostAnswerMs=1000,deviceAfterMs=100"), changed);
  for (const text of ["hostAnswerMs", "hostAnswerMs=", "hostAnswerMs=0", "hostAnswerMs=1s", "toString=1", "x=1"]) {
    const message = `Cannot use "${text}" in LECTERN_TIMES: wanted one of idleViewMs, `;
    assert.throws(() => readTimes(text), { code: "INVALID_INPUT", message: new RegExp(`^${message}`) }, text);
  }
});
