import assert from "node:assert/strict";
import { test } from "node:test";
import type { MachineRow } from "./machine-row.ts";
import { AWAY_AFTER_MS, PresenceTable } from "./presence-table.ts";

const row = (changes: Partial<MachineRow> = {}): MachineRow => ({
  name: "box",
  version: "1.0.0",
  protocolVersion: 1,
  sessions: 0,
  sinceMs: 0,
  instance: "a",
  claim: 1,
  state: "running",
  ...changes,
});

const stateOf = (table: PresenceTable): string | undefined => table.get("box")?.state;

/** Checks each second from one time to another. */
function passes(table: PresenceTable, fromMs: number, toMs: number, whyDeaf: string | null = null): void {
  for (let nowMs = fromMs; nowMs <= toMs; nowMs += 1000) table.check(nowMs, whyDeaf);
}

test("a machine that is heard each second stays connected, and is away after four seconds of silence", () => {
  const table = new PresenceTable();
  for (let nowMs = 0; nowMs <= 10_000; nowMs += 1000) {
    table.heard(row(), nowMs);
    table.check(nowMs, null);
  }
  assert.equal(stateOf(table), "connected");
  passes(table, 11_000, 13_000);
  assert.equal(stateOf(table), "connected");
  passes(table, 14_000, 14_000);
  assert.deepEqual(table.get("box"), { ...table.get("box"), state: "away", sinceMs: 14_000 });
});

test("a machine is back with its first sign of life", () => {
  const table = new PresenceTable();
  table.heard(row(), 0);
  passes(table, 0, 5000);
  assert.equal(table.heard(row(), 60_000), true);
  assert.equal(stateOf(table), "connected");
});

test("a machine that stops its daemon is away at once, with the reason", () => {
  const table = new PresenceTable();
  table.heard(row(), 0);
  table.heard(row({ state: "stopped" }), 100);
  assert.equal(stateOf(table), "away");
  assert.match(table.get("box")?.reason ?? "", /stopped/);
});

test("a row that the stream has kept is no sign of life", () => {
  const table = new PresenceTable();
  table.known(row(), 0);
  assert.equal(stateOf(table), "connecting");
  passes(table, 1000, AWAY_AFTER_MS);
  assert.equal(stateOf(table), "away");
});

test("a process that stood still does not take all others for dead", () => {
  const table = new PresenceTable();
  table.heard(row(), 0);
  table.check(0, null);
  table.check(60_000, null);
  assert.equal(stateOf(table), "connected");
  passes(table, 61_000, 64_000);
  assert.equal(stateOf(table), "away");
});

test("a clock that is set back or forth by an hour changes no state", () => {
  for (const jumpMs of [3_600_000, -3_600_000]) {
    const table = new PresenceTable();
    const startMs = 10_000_000;
    table.heard(row(), startMs);
    table.check(startMs, null);
    table.check(startMs + jumpMs, null);
    assert.equal(stateOf(table), "connected");
  }
});

test("while this machine hears nothing, that is the reason", () => {
  const table = new PresenceTable();
  table.heard(row(), 0);
  passes(table, 0, 5000, "no connection");
  assert.equal(table.get("box")?.reason, "no connection");
});

test("the clock of the other machine does not count", () => {
  const table = new PresenceTable();
  table.heard(row({ sinceMs: 9e15 }), 0);
  table.check(1000, null);
  assert.equal(stateOf(table), "connected");
});

test("a table has at most 1,024 machines", () => {
  const table = new PresenceTable();
  for (let index = 0; index < 2000; index += 1) table.heard(row({ name: `m${index}` }), 0);
  assert.equal(table.all.length, 1024);
});
