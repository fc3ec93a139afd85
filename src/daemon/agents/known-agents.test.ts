import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { builtInAgents } from "../../core/agents/built-in-agents.ts";
import { KnownAgents } from "./known-agents.ts";

test("files in several folders are read, and again when they change", async () => {
  const base = mkdtempSync(join(tmpdir(), "lectern-agents-"));
  const [own, other] = [join(base, "own"), base];
  writeFileSync(join(other, "b.yaml"), "name: second\ncommands: [second]");
  const problems: (string | null)[] = [];
  let told = Promise.withResolvers<string>();
  using known = await KnownAgents.open([own, other], {
    onFiles: (files) => told.resolve(files.map(({ name }) => name).join(" ")),
    onProblem: (problem) => problems.push(problem),
  });
  assert.equal(await told.promise, "second");
  assert.equal(known.registry.ofProgram("second")?.name, "second");
  told = Promise.withResolvers();
  writeFileSync(join(own, "a.yaml"), "name: first");
  assert.equal(await told.promise, "second first");
  told = Promise.withResolvers();
  rmSync(join(own, "a.yaml"));
  rmSync(join(other, "b.yaml"));
  assert.equal(await told.promise, "");
  assert.equal(known.registry, builtInAgents);
  assert.deepEqual(
    problems.filter((problem) => problem !== null),
    [],
  );
  rmSync(base, { recursive: true });
});

test("a folder that cannot be watched is a problem, and its files are read all the same", async () => {
  const base = mkdtempSync(join(tmpdir(), "lectern-agents-"));
  const problems: (string | null)[] = [];
  using known = await KnownAgents.open([base, join(base, "missing")], {
    onFiles: () => undefined,
    onProblem: (problem) => problems.push(problem),
  });
  assert.equal(known.registry, builtInAgents);
  assert.match(problems[0] ?? "", /Cannot watch the agent files/);
  rmSync(base, { recursive: true });
});
