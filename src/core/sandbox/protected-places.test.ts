import assert from "node:assert/strict";
import { test } from "node:test";
import { homePlaces, standInFor } from "./protected-places.ts";

test("a slash at the end makes the stand-in a directory", () => {
  assert.deepEqual(standInFor("/users/me/.ssh/"), { path: "/users/me/.ssh", text: null });
  assert.deepEqual(standInFor("/users/me/.bashrc"), { path: "/users/me/.bashrc", text: "" });
});

test("no place is named twice, and none leads out of its directory", () => {
  assert.equal(new Set(homePlaces).size, homePlaces.length);
  for (const place of homePlaces) assert.doesNotMatch(place, /^\/|\.\.\//);
});
