import assert from "node:assert/strict";
import { test } from "node:test";
import { isAtOrBelow, isVisible, visibility, type SandboxMount } from "./plan.ts";

const mounts: readonly SandboxMount[] = [
  { kind: "writable", path: "/project" },
  { kind: "read-only", path: "/project/.git/hooks" },
  { kind: "empty", path: "/users/me/.ssh" },
  { kind: "memory", path: "/tmp" },
];

test("the deepest mount that contains a path decides how it is seen", () => {
  assert.equal(visibility(mounts, "/project/a/b"), "writable");
  assert.equal(visibility(mounts, "/project/.git/hooks/pre-commit"), "read-only");
  assert.equal(visibility(mounts, "/projects"), "read-only");
  assert.equal(visibility(mounts, "/users/me/.ssh/id"), "empty");
});

test("what is hidden or made fresh is not visible", () => {
  assert.equal(isVisible(mounts, "/users/me/.ssh"), false);
  assert.equal(isVisible(mounts, "/tmp/x"), false);
  assert.equal(isVisible(mounts, "/etc/hosts"), true);
});

test("a directory contains itself, and the root contains everything", () => {
  assert.equal(isAtOrBelow("/a", "/a"), true);
  assert.equal(isAtOrBelow("/ab", "/a"), false);
  assert.equal(isAtOrBelow("/a", "/"), true);
});
