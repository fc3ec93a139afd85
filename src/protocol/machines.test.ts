import assert from "node:assert/strict";
import { test } from "node:test";
import { machineNameSchema, machineSchema } from "./machines.ts";

test("names of machines are as those of sessions, and shorter", () => {
  assert.equal(machineNameSchema.safeParse("box-1.example").success, true);
  for (const name of ["", "-a", "a b", "a/b", "x".repeat(33)])
    assert.equal(machineNameSchema.safeParse(name).success, false, name);
  const row = {
    name: "box",
    link: "ssh",
    address: "me@box",
    state: "unasked",
    reason: null,
    sinceMs: 0,
    version: null,
  };
  assert.deepEqual(machineSchema.parse(row), row);
});
