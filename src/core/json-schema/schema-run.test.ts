import assert from "node:assert/strict";
import { test } from "node:test";
import { Evaluated, SchemaRun, VisitsSpent } from "./schema-run.ts";

const limits = { referenceVisitsMax: 2, problemsMax: 2, findsAll: false };
const problem = { keyword: "type", message: "must be null", wanted: "null", schema: {}, name: null };

test("SchemaRun puts the path of parts in front of their problems, and keeps a limited number", () => {
  const run = new SchemaRun(limits);
  for (let round = 0; round < 3; round += 1) {
    run.checkPart((_, inner) => inner.checkPart(() => inner.fail(problem), 0, "a/b~"), {}, 7);
  }
  assert.deepEqual(
    run.problems.map(({ path }) => path),
    ["/7/a~1b~0", "/7/a~1b~0"],
  );
});

test("SchemaRun stops behind the last visit", () => {
  const run = new SchemaRun(limits);
  run.visit();
  run.visit();
  assert.throws(() => run.visit(), VisitsSpent);
});

test("SchemaRun counts what an alternative looked at only if it fits", () => {
  const run = new SchemaRun(limits);
  run.evaluated = new Evaluated();
  for (const valid of [true, false]) {
    run.checkBranch((_, inner) => {
      inner.evaluated?.names.add(String(valid));
      return valid;
    }, {});
  }
  assert.deepEqual([...run.evaluated.names], ["true"]);
});
