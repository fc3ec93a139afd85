import assert from "node:assert/strict";
import { test } from "node:test";
import type { Receipt } from "../../core/acting/receipt.ts";
import { isTarget, type ActTarget } from "../../core/acting/target.ts";
import { readReceipt } from "./registry-rows.ts";

const receipt: Receipt = {
  key: "k",
  session: "s",
  text: "go on",
  state: "accepted",
  reason: null,
  steps: [{ state: "accepted", timeUs: 1, offset: 2 }],
};
const common = { run: 1, group: 40, startTicks: 900 };
const now = { ...common, image: 5, pid: 40, members: [{ pid: 40, startTicks: 900, image: 5 }] };

const read = (target: object): ActTarget | undefined =>
  readReceipt(JSON.stringify({ ...receipt, targets: [target] })).targets?.[0];

test("a prompt that an earlier Lectern accepted for an agent is for this agent and its process", () => {
  const claude = read({ ...common, agent: "claude", program: "claude", image: 5 });
  assert.ok(claude !== undefined);
  assert.equal(claude.kind, "agent claude");
  const same: ActTarget = { ...now, kind: "agent claude", agent: "claude", program: "claude" };
  assert.equal(isTarget(claude, same), true);
  assert.equal(isTarget(claude, { ...same, startTicks: 901 }), false);
  assert.equal(isTarget(claude, { ...same, kind: "shell", agent: null, program: "bash", group: 30, pid: 30 }), false);
});

test("without members, a prompt is for the process that was seen reading", () => {
  const program = read({ ...common, kind: "unknown", agent: null, program: "sh", pid: 41, image: 7 });
  assert.ok(program !== undefined);
  const members = [{ pid: 41, startTicks: 900, image: 7 }];
  const same: ActTarget = { ...now, kind: "unknown", agent: null, program: "sh", pid: 41, image: 7, members };
  assert.equal(isTarget(program, same), true);
  assert.equal(isTarget(program, { ...same, pid: 42, members: [{ pid: 42, startTicks: 900, image: 7 }] }), false);
});

test("receipts of today and without targets stay as they are", () => {
  const target: ActTarget = { ...now, kind: "shell", agent: null, program: "bash" };
  assert.deepEqual(read(target), target);
  assert.deepEqual(readReceipt(JSON.stringify(receipt)), receipt);
  assert.throws(() => readReceipt("{"), SyntaxError);
});
