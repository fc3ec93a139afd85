import assert from "node:assert/strict";
import { test } from "node:test";
import { joinAddress, machineNameSchema, machineSchema, splitAddress } from "./machines.ts";

for (const reference of ["work", "box/work", "box/0123456789"]) {
  test(`the address ${reference} is split and joined`, () => {
    assert.equal(joinAddress(splitAddress(reference)), reference);
  });
}

test("only the first slash separates, so a second one is refused as part of a name", () => {
  assert.deepEqual(splitAddress("a/b/c"), { machine: "a", session: "b/c" });
  assert.deepEqual(splitAddress("/work"), { machine: "", session: "work" });
});

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
