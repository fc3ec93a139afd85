import assert from "node:assert/strict";
import { test } from "node:test";
import { loaderOf, mayLoad } from "./repl-loader.ts";

const line = (program: string, prompt: string, command: readonly string[] | null = null): string | undefined =>
  loaderOf({ program, prompt, command })?.line("/p");

test("only the REPL itself reads a file, and not another program with its name or its prompt", () => {
  assert.equal(line("python3.13", ">>> "), "exec(open('/p').read())");
  assert.equal(line("python3", "(Pdb) "), undefined);
  assert.equal(line("python3", "name? "), undefined);
  for (const command of ["node", "/usr/bin/node -i --no-warnings"])
    assert.equal(line("node", "> ", command.split(" ")), "eval(fs.readFileSync('/p')+'')");
  assert.equal(line("node", "> ", ["/a directory/node", "-i"]), "eval(fs.readFileSync('/p')+'')");
  for (const command of ["node chat.js", "node --eval=1", "node -e 1", "node -", "node --run x", "bash"])
    assert.equal(line("node", "> ", command.split(" ")), undefined, command);
  assert.equal(line("node", "> ", null), undefined);
  assert.equal(line("node", "chat> ", ["node"]), undefined);
  assert.equal(line("mysql", "mysql> "), undefined);
  assert.equal(line("sqlite3", "sqlite> "), ".read /p");
});

test("the programs that may be handed files are known by their command", () => {
  assert.deepEqual(
    [["/usr/bin/python3", "-q"], ["irb"], ["bash"], ["pythonic"]].map((command) => mayLoad(command)),
    [true, true, false, false],
  );
});

test("what stands in the file is ASCII where the language of the file depends on the locale", () => {
  for (const [program, prompt] of [
    ["python3", ">>> "],
    ["gdb", "(gdb) "],
    ["irb", "irb> "],
  ] as const)
    assert.match(loaderOf({ program, prompt, command: null })?.text("é\t'\"\\#{😀}") ?? "é", /^[ -~]+\n$/, program);
});

test("node and irb are typed only what no file can hold, and the others what their line editors take", () => {
  const types = (program: string, prompt: string, text: string): boolean | undefined =>
    loaderOf({ program, prompt, command: [program] })?.types.test(text);
  for (const text of ["await f()", ".load x.js", "const { x } = await import('x')"])
    assert.ok(types("node", "> ", text), text);
  for (const text of ["6 * 7", "await f(\n)", "é"]) assert.equal(types("node", "> ", text), false, text);
  assert.deepEqual(
    [types("irb", "irb> ", "1"), types("gdb", "(gdb) ", "1"), types("gdb", "(gdb) ", "\t")],
    [false, true, false],
  );
});
