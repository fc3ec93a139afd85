import assert from "node:assert/strict";
import { test } from "node:test";
import { isTarget, missedReason, type ActTarget } from "./target.ts";

const bash: ActTarget = {
  kind: "shell",
  agent: null,
  run: 0,
  program: "bash",
  group: 5,
  pid: 5,
  startTicks: 50,
  image: 1,
  members: [{ pid: 5, startTicks: 50, image: 1 }],
};
const claude: ActTarget = {
  ...bash,
  kind: "agent claude",
  agent: "claude",
  run: 1,
  program: "claude",
  group: 7,
  pid: 7,
  members: [
    { pid: 7, startTicks: 50, image: 1 },
    { pid: 8, startTicks: 80, image: 2 },
  ],
};
const unknown: ActTarget = { ...claude, kind: "unknown", agent: null, run: 0, program: "node" };

test("a target is the same run of the same agent, in the same process group, in any of its processes", () => {
  assert.ok(isTarget(claude, { ...claude }));
  assert.ok(isTarget(claude, { ...claude, pid: 8, startTicks: 80, image: 2 }));
  // Such as the next one of a script that runs two, which all have its group.
  assert.ok(!isTarget(claude, { ...claude, pid: 8, startTicks: 91, image: 2 }));
  assert.ok(!isTarget(claude, { ...claude, pid: 9, startTicks: 81, image: 2 }));
  assert.ok(isTarget(claude, { ...claude, pid: 9, startTicks: 81, image: 2, members: null }));
  // A shell above it that has become another program.
  assert.ok(!isTarget(claude, { ...claude, pid: 8, startTicks: 80, image: 3 }));
  for (const other of [{ run: 2 }, { group: 8 }, { startTicks: 71 }, { image: 2 }, { agent: "codex" }])
    assert.ok(!isTarget(claude, { ...claude, ...other }), JSON.stringify(other));
  assert.ok(!isTarget(claude, { ...bash, run: 1 }));
});

test("a wrapper that has not read may become the agent", () => {
  const wrapper = { ...claude, members: null };
  assert.ok(isTarget(wrapper, { ...claude, image: 2 }));
  assert.ok(!isTarget(wrapper, { ...claude, startTicks: 71 }));
});

test("without a known group the run decides", () => {
  const started: ActTarget = { ...claude, program: null, group: null, pid: null, startTicks: null, image: null };
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
  assert.ok(isTarget(bash, { ...bash, program: "my-bash" }));
  assert.ok(!isTarget(bash, { ...bash, image: 2 }));
  assert.ok(!isTarget(bash, { ...bash, pid: 6 }));
  // Nobody was seen reading in the group yet.
  assert.ok(isTarget({ ...bash, members: null }, { ...bash, pid: 6 }));
  // The leader has ended, and its group reads on.
  assert.ok(isTarget(bash, { ...bash, pid: null, startTicks: null, image: null, members: null }));
});

test("an unknown program may turn out to be an agent", () => {
  assert.ok(isTarget(unknown, claude));
  assert.ok(!isTarget(unknown, { ...claude, group: 8 }));
});

test("the reason names whom the prompt was meant for", () => {
  assert.equal(
    missedReason([claude], { hasEnded: true }),
    "it was meant for claude, which has ended; send it again when claude runs again",
  );
  assert.equal(
    missedReason([{ ...bash, program: "make" }, bash], { hasEnded: false }),
    "it was meant for make or bash, which is not in the foreground any more; send it again when make or bash is in the foreground",
  );
});
