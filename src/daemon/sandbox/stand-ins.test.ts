import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import type { SandboxPlan } from "../../core/sandbox/plan.ts";
import { StandIns } from "./stand-ins.ts";

let root = "";
beforeEach(() => (root = mkdtempSync(join(tmpdir(), "stand-ins-"))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A plan that needs a directory and a file. */
const plan = (): Pick<SandboxPlan, "mounts" | "standIns"> => ({
  standIns: [
    { path: join(root, ".claude"), text: null },
    { path: join(root, "settings"), text: "." },
  ],
  mounts: [".claude", "settings"].map((name) => ({ kind: "read-only", path: join(root, name) })),
});

test("what is made for a session is removed at its end", () => {
  const standIns = new StandIns();
  const taken = standIns.take("a", plan());
  assert.deepEqual(readdirSync(root).toSorted(), [".claude", "settings"]);
  standIns.release("a", taken);
  assert.deepEqual(readdirSync(root), []);
});

test("the last of two sessions removes it, whichever that is", () => {
  const standIns = new StandIns();
  const first = standIns.take("a", plan());
  // The second one finds the places there, so that its plan has no stand-ins.
  const second = standIns.take("b", { ...plan(), standIns: [] });
  standIns.release("a", first);
  assert.equal(readdirSync(root).length, 2);
  standIns.release("b", second);
  assert.deepEqual(readdirSync(root), []);
});

test("what was there before, and what somebody has filled, stays", () => {
  writeFileSync(join(root, "settings"), "own");
  const standIns = new StandIns();
  const taken = standIns.take("a", plan());
  writeFileSync(join(root, ".claude/file"), "");
  standIns.release("a", taken);
  assert.deepEqual(readdirSync(root).toSorted(), [".claude", "settings"]);
});

test("a start that fails leaves nothing", () => {
  const standIns = new StandIns();
  const impossible = { path: join(root, "missing/x"), text: null };
  assert.throws(() => standIns.take("a", { mounts: [], standIns: [...plan().standIns, impossible] }), /ENOENT/);
  assert.deepEqual(readdirSync(root), []);
});

test("after a restart the sessions that run keep theirs", () => {
  const before = new StandIns();
  const taken = before.take("a", plan());
  const restarted = new StandIns();
  restarted.hold("a", taken);
  restarted.hold("b", taken);
  restarted.release("b", taken);
  assert.ok(existsSync(join(root, ".claude")));
  restarted.release("a", taken);
  assert.deepEqual(readdirSync(root), []);
});
