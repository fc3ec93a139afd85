import assert from "node:assert/strict";
import { test } from "node:test";
import type { ZodType } from "zod";
import { operations } from "./operations.ts";
import type { Operation } from "./operations/define.ts";

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

test("an input may be as small and as large as its limits", () => {
  const { input: search } = operations["sessions.search"];
  const { input: remove } = operations["files.remove"];
  const { input: check } = operations["policy.check"];
  const { input: answer } = operations["approvals.answer"];
  const isAccepted = {
    by: (chars: number) =>
      answer.safeParse({ session: "a", approval: "a1", option: "y", digest: "d", by: "b".repeat(chars) }).success,
    hitsMax: (hitsMax: number) => search.safeParse({ words: "a", hitsMax }).success,
    file: (chars: number) => remove.safeParse({ session: "a", file: "f".repeat(chars) }).success,
    policy: (chars: number) => check.safeParse({ policy: "p".repeat(chars) }).success,
  };
  const limits = { by: [1, 64], hitsMax: [1, 1000], file: [1, 255], policy: [0, 65_536] } as const;
  for (const name of ["by", "hitsMax", "file", "policy"] as const) {
    const [min, max] = limits[name];
    const accepted = [min - 1, min, max, max + 1].filter((each) => each >= 0).filter(isAccepted[name]);
    assert.deepEqual(accepted, [min, max], name);
  }
});

test("a flag that is not given is off, but that a shell gives marks", () => {
  const on = Object.entries<Operation>(operations).flatMap(([name, { input }]) =>
    Object.entries<ZodType>(input.shape).flatMap(([field, schema]) =>
      schema.safeParse(undefined).data === true ? [`${name} ${field}`] : [],
    ),
  );
  assert.deepEqual(on, ["sessions.create shellIntegration"]);
});

test("with the scope read nothing is changed: an operation that is no GET takes only a long input", () => {
  const found = Object.entries<Operation>(operations)
    .filter(([, { endpoint, scope }]) => scope === "read" && !endpoint.startsWith("GET "))
    .map(([name]) => name);
  assert.deepEqual(found, ["sessions.wait", "audit.verify", "policy.check", "policy.replay"]);
});

test("a time may be that of another time zone", () => {
  const { input } = operations["usage.list"];
  assert.ok(input.safeParse({ since: "2026-11-26T01:19:00+01:00" }).success);
  assert.ok(input.safeParse({ since: "2026-11-26T00:19:00Z" }).success);
  assert.ok(!input.safeParse({ since: "2026-11-26" }).success);
});

test("sizes and signals that no terminal has are refused", () => {
  const { input: resize } = operations["sessions.resize"];
  for (const columns of [0, -1, 1e9, Number.NaN])
    assert.ok(!resize.safeParse({ session: "a", columns, rows: 1 }).success);
  const { input: signal } = operations["sessions.signal"];
  assert.ok(!signal.safeParse({ session: "a", signal: "KILL;ls" }).success);
  assert.ok(signal.safeParse({ session: "a", signal: "INT" }).success);
});
