import assert from "node:assert/strict";
import { test } from "node:test";
import { joinAddress, splitAddress } from "./session-address.ts";

for (const reference of ["work", "box/work", "box/0123456789"]) {
  test(`the address ${reference} is split and joined`, () => {
    assert.equal(joinAddress(splitAddress(reference)), reference);
  });
}

test("only the first slash separates, so a second one is refused as part of a name", () => {
  assert.deepEqual(splitAddress("a/b/c"), { machine: "a", session: "b/c" });
  assert.deepEqual(splitAddress("/work"), { machine: "", session: "work" });
});
