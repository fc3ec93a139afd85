import assert from "node:assert/strict";
import { test } from "node:test";
import { isTarget, missedReason, type PromptTarget } from "./target.ts";

const bash: PromptTarget = { agent: null, run: 0, program: "bash", group: 5, startTicks: 50 };
const claude: PromptTarget = { agent: "claude", run: 1, program: "claude", group: 7, startTicks: 70 };

test("a target is the same run of the same agent, in the same process group", () => {
  assert.ok(isTarget(claude, { ...claude }));
  assert.ok(!isTarget(claude, { ...bash, run: 1 }));
  assert.ok(!isTarget(claude, { ...claude, run: 2 }));
  assert.ok(!isTarget(claude, { ...claude, group: 8 }));
  assert.ok(!isTarget(claude, { ...claude, startTicks: 71 }));
  assert.ok(!isTarget(claude, { ...claude, agent: "codex" }));
});

test("without a known group the run decides", () => {
  const started: PromptTarget = { agent: "claude", run: 1, program: null, group: null, startTicks: null };
  assert.ok(isTarget(started, claude));
  assert.ok(!isTarget(started, { ...bash, run: 1 }));
  assert.ok(!isTarget(started, { ...claude, run: 2 }));
});

test("a shell stays the same while agents come and go, and an agent is not the shell", () => {
  assert.ok(isTarget(bash, { ...bash, run: 3 }));
  assert.ok(!isTarget(bash, claude));
  assert.ok(!isTarget(bash, { ...claude, group: 5, startTicks: 50 }));
});

test("a program that has replaced itself is another one, and one that has another name is not", () => {
  const read = { ...bash, image: 1, pid: 5 };
  assert.ok(isTarget(read, { ...read, program: "my-bash" }));
  assert.ok(!isTarget(read, { ...read, image: 2 }));
  assert.ok(!isTarget(read, { ...read, pid: 6 }));
  // The leader has ended, and its group reads on.
  assert.ok(isTarget(read, { ...read, startTicks: null, image: null }));
  assert.ok(!isTarget(claude, { ...claude, group: null, startTicks: null }));
});

test("an unknown program may turn out to be an agent", () => {
  const unknown: PromptTarget = { agent: null, run: 0, program: "node", group: 7, startTicks: 70 };
  assert.ok(isTarget(unknown, claude));
  assert.ok(!isTarget(unknown, { ...claude, group: 8 }));
});

test("the reason names whom the prompt was meant for", () => {
  assert.equal(missedReason([claude], { hasEnded: true }), "it was meant for claude, which has ended");
  assert.equal(
    missedReason([{ ...bash, program: "make" }, bash], { hasEnded: false }),
    "it was meant for make or bash, which is not in the foreground any more",
  );
});
