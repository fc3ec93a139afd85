import assert from "node:assert/strict";
import { test } from "node:test";
import { standInFor } from "./protected-places.ts";

test("a slash at the end makes the stand-in a directory", () => {
  assert.deepEqual(standInFor("/users/me/.ssh/"), { path: "/users/me/.ssh", text: null });
  assert.deepEqual(standInFor("/users/me/.bashrc"), { path: "/users/me/.bashrc", text: "" });
});
