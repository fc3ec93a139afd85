import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { freeInodesAt, whatIsFull } from "./what-is-full.ts";

test("a disk with inodes is full of bytes, and one that cannot be asked counts as that", () => {
  assert.ok(freeInodesAt(tmpdir()) > 0);
  assert.equal(whatIsFull(tmpdir()), "the disk is full");
  assert.equal(whatIsFull("/no/such/directory"), "the disk is full");
});
