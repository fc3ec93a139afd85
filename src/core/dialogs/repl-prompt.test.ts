import assert from "node:assert/strict";
import { test } from "node:test";
import { isBarePrompt, isCommandPrompt, isPager, isReplPrompt } from "./repl-prompt.ts";

test("prompts of REPLs are known by their end, and those of pagers and questions are none", () => {
  for (const line of [">>> ", "(gdb) ", "In [1]:", "1 ]=> ", "db=# ", "?- "])
    assert.ok(isReplPrompt("any", line), line);
  for (const line of ["└ ", "? Conflict on a.txt (ysH)", "Name of the branch > ", "Pay with 5 $? "])
    assert.ok(!isReplPrompt("any", line), line);
  for (const line of ["keys: ", "Go on? [y/N] ", "Delete? › (y/N)", "", "Password:"])
    assert.ok(!isReplPrompt("any", line), line);
  assert.ok(!isReplPrompt("less", "(END)"));
  assert.ok(isPager("less"));
  assert.ok(!isPager(null));
});

const any = { program: "any" };

test("without a line editor only a prompt of one word is typed behind, and none below a question", () => {
  for (const line of [">>> ", "> ", "(gdb) ", "In [1]:", "1 ]=> ", "db=# "])
    assert.ok(isBarePrompt(any, line, ""), line);
  for (const line of ["Choose > ", "Really pay 5 $ ", "Pick # "]) assert.ok(!isBarePrompt(any, line, ""), line);
  for (const line of ["MariaDB [(none)]> ", "lftp me@host:~> ", ">>> "])
    assert.ok(isCommandPrompt(any, line, ""), line);
  for (const line of ["Choose > ", "Choose (one) > ", "Pick # "]) assert.ok(!isCommandPrompt(any, line, ""), line);
  for (const above of ["Delete it?", "Choose one: "]) assert.ok(!isCommandPrompt(any, "> ", above), above);
});

test("where the kernel shows no line editor, a sign or a word is a menu's unless no menu has it", () => {
  for (const line of ["> ", "? ", "❯ ", ">>> ", "Choose> ", "(gdb) ", "db=# "]) {
    assert.ok(!isBarePrompt({ ...any, editsLine: false }, line, ""), line);
    assert.ok(!isCommandPrompt({ ...any, editsLine: false }, line, ""), line);
    assert.ok(isBarePrompt({ ...any, editsLine: true }, line, ""), line);
  }
  const raw = (program: string): { program: string; editsLine: boolean } => ({ program, editsLine: false });
  for (const line of ["127.0.0.1:6379> ", "irb(main):001:0> ", "In [1]:", "12> ", "1 ]=> "])
    assert.ok(isBarePrompt(raw("any"), line, ""), line);
  assert.ok(isBarePrompt(raw("ghc"), "ghci> ", ""));
  assert.ok(isBarePrompt(raw("julia"), "julia> ", ""));
});
