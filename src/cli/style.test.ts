import assert from "node:assert/strict";
import { test } from "node:test";
import { makeStyle } from "./style.ts";

test("colour is for terminals that want it", () => {
  assert.equal(makeStyle(true, {}).red("x"), "\u001b[31mx\u001b[0m");
  assert.equal(makeStyle(true, { NO_COLOR: "1" }).red("x"), "x");
  assert.equal(makeStyle(true, { TERM: "dumb" }).red("x"), "x");
  assert.equal(makeStyle(false, {}).red("x"), "x");
  assert.equal(makeStyle(false, { FORCE_COLOR: "1" }).bold("x"), "\u001b[1mx\u001b[0m");
});
