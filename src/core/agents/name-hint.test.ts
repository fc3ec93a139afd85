import assert from "node:assert/strict";
import { test } from "node:test";
import { nameHint } from "./name-hint.ts";

test("the nearest name is offered, and all if none is near", () => {
  assert.equal(nameHint("claud", ["claude", "codex"]), 'did you mean "claude"?');
  assert.equal(nameHint("emacs", ["claude", "codex"]), "the agents are claude, codex");
});
