import assert from "node:assert/strict";
import { test } from "node:test";
import { operations } from "./operations.ts";

test("an unknown key is refused by every operation", () => {
  for (const [name, { input }] of Object.entries(operations)) {
    const result = input.safeParse({ surprise: 1 });
    assert.ok(!result.success, name);
    assert.match(JSON.stringify(result.error.issues), /unrecognized_keys/, name);
  }
});

test("numbers and flags are read from a query as from a body", () => {
  const { input } = operations["sessions.records"];
  assert.equal(input.parse({ session: "a", from: "12" }).from, 12);
  assert.equal(input.parse({ session: "a", from: 12 }).from, 12);
  for (const bad of ["-1", "1e9", "0x10", "", "9".repeat(16)])
    assert.ok(!input.safeParse({ session: "a", from: bad }).success, bad);
  assert.deepEqual(input.parse({ session: "a", types: "mark,exit" }).types, ["mark", "exit"]);
});

test("sizes and signals that no terminal has are refused", () => {
  const { input: resize } = operations["sessions.resize"];
  for (const columns of [0, -1, 1e9, Number.NaN])
    assert.ok(!resize.safeParse({ session: "a", columns, rows: 1 }).success);
  const { input: signal } = operations["sessions.signal"];
  assert.ok(!signal.safeParse({ session: "a", signal: "KILL;ls" }).success);
  assert.ok(signal.safeParse({ session: "a", signal: "INT" }).success);
});
