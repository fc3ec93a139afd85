import assert from "node:assert/strict";
import { test } from "node:test";
import { isPager, isReplPrompt } from "./repl-prompt.ts";

test("prompts of REPLs are known by their end, and those of pagers and questions are none", () => {
  for (const line of [">>> ", "(gdb) ", "In [1]:", "1 ]=> ", "db=# "]) assert.ok(isReplPrompt("any", line), line);
  for (const line of ["keys: ", "Go on? [y/N] ", "Delete? › (y/N)", "", "Password:"])
    assert.ok(!isReplPrompt("any", line), line);
  assert.ok(!isReplPrompt("less", "(END)"));
  assert.ok(isPager("less"));
  assert.ok(!isPager(null));
});
