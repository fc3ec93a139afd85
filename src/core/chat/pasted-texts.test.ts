import assert from "node:assert/strict";
import { test } from "node:test";
import { withPastes } from "./pasted-texts.ts";

test("what was pasted stands where an agent shows a placeholder", () => {
  const pastes = ["one\ntwo\nthree"];
  assert.equal(withPastes("[Pasted text #1 +2 lines] and more", pastes), "one\ntwo\nthree and more");
  assert.equal(withPastes("[one two... Pasted +3 lines]", pastes), "one\ntwo\nthree");
  assert.equal(withPastes("[other... Pasted +3 lines]", pastes), "[other... Pasted +3 lines]");
  assert.equal(withPastes("[Pasted text #1 +9 lines]", pastes), "[Pasted text #1 +9 lines]");
  assert.equal(withPastes("no placeholder", pastes), "no placeholder");
});

test("the last paste that fits counts", () => {
  assert.equal(withPastes("[Pasted text #2 +1 lines]", ["a\nb", "c\nd", "1\n2\n3\n4"]), "c\nd");
});
