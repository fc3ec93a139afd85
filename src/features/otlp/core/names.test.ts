import assert from "node:assert/strict";
import { test } from "node:test";
import { names } from "./names.ts";

test("names are unique and in the form of attributes", () => {
  const all = Object.values(names);
  assert.equal(new Set(all).size, all.length);
  for (const name of all) assert.match(name, /^[a-z_]+(?:\.[a-z_]+)+$/);
});
