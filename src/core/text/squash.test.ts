import assert from "node:assert/strict";
import { test } from "node:test";
import { squash } from "./squash.ts";

test("squash makes texts equal that are only wrapped differently", () => {
  assert.equal(squash("a long\n  line\t\n"), squash("a long line"));
});
