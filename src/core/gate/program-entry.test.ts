import assert from "node:assert/strict";
import { test } from "node:test";
import { readRecord, RecordError, type ProgramEntry } from "./program-entry.ts";

const problem = (record: ProgramEntry): string => {
  try {
    readRecord("x", record);
  } catch (error) {
    assert.ok(error instanceof RecordError);
    return error.message;
  }
  assert.fail("the record is accepted");
};

test("a record that breaks the form is refused, with the reason", () => {
  const shape = 'The record of "x" is wrong: ';
  assert.equal(problem({ options: { writes: "-o=" } }), `${shape}"writes" is not a section`);
  assert.equal(problem({ options: { write: "-o=", read: "-o|--of=" } }), `${shape}-o is there twice`);
  assert.equal(problem({ options: { write: "-o=|--output=" } }), `${shape}"-o=|--output=" is not an option`);
  assert.equal(problem({ operands: "reads..." }), `${shape}"reads..." is not a role`);
  assert.equal(problem({ parse: "dos" }), `${shape}"dos" is not a grammar`);
  assert.equal(problem({ does: "harm" }), `${shape}"harm" is not an effect`);
  assert.equal(problem({ use: "diff" }), `${shape}there is no shared set "diff"`);
  assert.equal(problem({ input: "none" }), `${shape}"none" is not an input`);
  assert.equal(problem({ sub: { a: { as: "b" } } }), `${shape}there is no subcommand "b"`);
});

test("names, kinds of values, roles and effects are read", () => {
  const program = readRecord("x", {
    options: { write: "-o|--output= -d=?" },
    operands: "pattern read-tree... write-target",
    does: "network; write-tree node_modules",
  });
  assert.deepEqual(program.options.get("--output"), { section: "write", value: "needed", names: ["-o", "--output"] });
  assert.equal(program.options.get("-d")?.value, "glued");
  assert.deepEqual(
    program.roles.map(({ kind, name, isTree, isMany }) => [name, kind, isTree, isMany]),
    [
      ["pattern", undefined, false, false],
      ["effect", "read", true, true],
      ["target", "write", false, false],
    ],
  );
  assert.deepEqual(program.does, [
    { kind: "network", isTree: false, target: null },
    { kind: "write", isTree: true, target: "node_modules" },
  ]);
});

test("a subcommand can be as another one, with more options", () => {
  const { sub } = readRecord("x", { sub: { log: { operands: "data..." }, reflog: { as: "log", steps: "refs" } } });
  assert.equal(sub?.get("reflog")?.roles.length, 1);
  assert.deepEqual(sub.get("reflog")?.steps, ["refs"]);
});
