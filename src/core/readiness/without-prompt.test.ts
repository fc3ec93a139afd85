import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutPrompt } from "./without-prompt.ts";

test("withoutPrompt cuts the last line, or only the prompt if that is known", () => {
  assert.equal(withoutPrompt("42\n>>> ", ""), "42\n");
  assert.equal(withoutPrompt(">>> ", ">>> "), "");
  assert.equal(withoutPrompt("no line feed>>> ", ">>> "), "no line feed");
  assert.equal(withoutPrompt("42\nuser@lab:~$ ", "$$ "), "42\n");
});
