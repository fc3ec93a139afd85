import assert from "node:assert/strict";
import { test } from "node:test";
import { checkAnswer } from "./check-answer.ts";

const session = {
  id: "0123",
  name: "work",
  state: "running",
};

test("what an operation promises is taken, also with more than that", async () => {
  await checkAnswer("sessions.list", { sessions: [] });
  await checkAnswer("sessions.list", { sessions: [], later: 1 });
  await checkAnswer("approvals.list", { version: 1, approvals: [], hints: [], later: { more: true } });
});

test("anything else is refused with its place", async () => {
  for (const answer of [null, "x", [], {}, { sessions: null }, { sessions: [session] }]) {
    await assert.rejects(checkAnswer("sessions.list", answer), {
      code: "MALFORMED",
      message: /^Cannot read what the daemon there answers to "sessions\.list": answer/,
    });
  }
});
