import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
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

test("a file that cannot be read is one problem, and the others are read", async () => {
  const base = mkdtempSync(join(tmpdir(), "lectern-agents-"));
  writeFileSync(join(base, "z.yaml"), "name: mine");
  symlinkSync(join(base, "nowhere"), join(base, "a.yaml"));
  mkdirSync(join(base, "b.yaml"));
  execFileSync("mkfifo", [join(base, "c.yaml")]);
  const problems: (string | null)[] = [];
  const ended = Promise.withResolvers<void>();
  using known = await KnownAgents.open([base, join(base, "missing")], {
    onFiles: () => ended.resolve(),
    onProblem: (problem) => problems.push(problem),
  });
  await ended.promise;
  assert.equal(known.registry.named("mine")?.name, "mine");
  const found = (problems.at(-1) ?? "").replaceAll(`${base}/`, "");
  assert.match(found, /a\.yaml:1:1: Cannot read the file: it is a link to a file that does not exist;/);
  assert.match(found, /b\.yaml:1:1: Cannot read the file: it is not a regular file;/);
  assert.match(found, /c\.yaml:1:1: Cannot read the file: it is not a regular file;/);
  assert.match(found, /missing:1:1: Cannot read it: ENOENT: no such file or directory$/);
  rmSync(base, { recursive: true });
});
