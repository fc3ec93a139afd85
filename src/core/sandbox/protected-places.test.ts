import assert from "node:assert/strict";
import { test } from "node:test";
import { homePlaces, memoryPlaces, protectedPlaces, standInFor } from "./protected-places.ts";

test("a slash at the end makes the stand-in a directory", () => {
  assert.deepEqual(standInFor("/users/me/.ssh/"), { path: "/users/me/.ssh", text: null });
  assert.deepEqual(standInFor("/users/me/.bashrc"), { path: "/users/me/.bashrc", text: "" });
});

test("no place is named twice, and none leads out of its directory", () => {
  const all = [...protectedPlaces, ...memoryPlaces];
  assert.equal(new Set(all).size, all.length);
  assert.equal(new Set(homePlaces).size, homePlaces.length);
  for (const place of [...all, ...homePlaces]) assert.doesNotMatch(place, /^\/|\.\.\//);
});
