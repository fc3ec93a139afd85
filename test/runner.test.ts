/** The runner of `npm test`: what it selects, the order and the limits of its pool, and what a person sees of a failure or after Ctrl-C. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { globSync, mkdtempDisposableSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { test } from "node:test";
import { select, WrongArguments } from "./runner/arguments.ts";
import { runJob } from "./runner/job-process.ts";
import { root, stagesOf, type Job, type Stage } from "./runner/jobs.ts";
import { markedProcesses, RUN_VARIABLE } from "./runner/marked-processes.ts";
import { runPool } from "./runner/pool.ts";
import { filesThatUse, needsTable } from "./runner/programs.ts";
import { until } from "./support/until.ts";

const filesOf = (stages: readonly Stage[]): string[] =>
  stages.flatMap(({ jobs }) => jobs.flatMap(({ files }) => files));
const namesOf = (stages: readonly Stage[]): string[] => stages.map(({ name }) => name);

/** They run by hand: what they show needs minutes for each agent, or an account. */
const byHand = ["direct", "events", "gateway", "live", "own-servers", "tasks"].map(
  (name) => `test/agents/${name}.test.ts`,
);

test("each test file of the project is in one stage", () => {
  const suite = filesOf(stagesOf());
  const inStages = new Set([...suite, ...filesOf(stagesOf({ isLong: true }))]);
  const all = globSync(["src/**/*.test.ts", "test/**/*.test.ts"], { cwd: root }).map((path) =>
    path.split(sep).join("/"),
  );
  assert.deepEqual(all.filter((file) => !inStages.has(file)).toSorted(), byHand);
  assert.equal(new Set(suite).size, suite.length);
});

test("what npm test has in part runs as a whole in the stage of variants", () => {
  const variants = stagesOf({ isLong: true }).filter(({ name }) => name === "variants");
  const inSuite = new Set(filesOf(stagesOf()));
  const [more, tables] = [false, true].map((isInSuite) =>
    filesOf(variants).filter((file) => inSuite.has(file) === isInSuite),
  );
  assert.deepEqual(
    more?.filter((file) => !file.startsWith("test/e2e/variants/")),
    [],
  );
  assert.deepEqual(new Set(tables), filesThatUse(["test/support/variants.ts"]));
  assert.deepEqual(
    variants.map(({ environment }) => environment?.["LECTERN_VARIANTS"]),
    ["all"],
  );
});

test("each long stage runs every night", () => {
  const workflow = readFileSync(join(root, ".github/workflows/nightly.yml"), "utf8");
  const listed = /\bstage:\n((?: +- [a-z]+\n)+)/.exec(workflow)?.[1]?.match(/[a-z]+/g);
  assert.deepEqual(listed, namesOf(stagesOf({ isLong: true })));
});

test("a stage brings the one whose results it uses", () => {
  assert.deepEqual(namesOf(select(["--only", "package"]).stages), ["page", "build", "package"]);
  assert.deepEqual(namesOf(select(["--only", "unit,lint"]).stages), ["lint", "unit"]);
});

test("a file runs alone, and a folder with all of its files", () => {
  const { stages } = select(["test/e2e/exec.test.ts", "src/core/sse"]);
  assert.deepEqual(
    filesOf(stages).filter((file) => !file.startsWith("src/core/sse/")),
    ["test/e2e/exec.test.ts"],
  );
  assert.ok(filesOf(stages).length > 1);
});

for (const [words, message] of [
  [["--only", "e2"], /^There is no stage "e2": page, /],
  [["test/nothing.test.ts"], /^No test file of these stages is "test\/nothing.test.ts" or in it$/],
  [["--shard", "5/4"], /^--shard takes a part such as 1\/4, not "5\/4"$/],
  [["--slots", "0"], /^--slots takes a number from 1 on, not "0"$/],
  [["--onyl", "e2e"], /--onyl/],
] as const) {
  test(`wrong arguments are named: ${words.join(" ")}`, () => {
    assert.throws(
      () => select(words),
      (error) => error instanceof WrongArguments && message.test(error.message),
    );
  });
}

test("the shards together are the suite, each file once", () => {
  const parts = [1, 2, 3, 4].flatMap((part) => filesOf(select(["--shard", `${part}/4`]).stages));
  assert.deepEqual(parts.toSorted(), filesOf(stagesOf()).toSorted());
});

/** Runs jobs that end in the order in which they began, and reports what ran beside what. */
async function pool(stages: readonly Stage[], slots: number, abortAt?: string): Promise<string[]> {
  const abort = new AbortController();
  const running = new Set<string>();
  const seen: string[] = [];
  await runPool(stages, {
    slots,
    signal: abort.signal,
    run: async ({ name }) => {
      running.add(name);
      seen.push([...running].join("+"));
      if (name === abortAt) abort.abort();
      for (let turn = 0; turn < 3; turn += 1) await Promise.resolve();
      running.delete(name);
    },
  });
  return seen;
}

const jobsOf = (stage: string, names: readonly string[], slots = 1): Job[] =>
  names.map((name) => ({ stage, name, files: [], slots }));
const stageOf = (name: string, names: readonly string[], more: Partial<Stage> & { slots?: number } = {}): Stage => ({
  name,
  summary: "",
  jobs: jobsOf(name, names, more.slots),
  ...more,
});

test("the pool fills its slots in order, and a stage waits for the one that it uses", async () => {
  const stages = [stageOf("a", ["a1"]), stageOf("b", ["b1", "b2"], { after: ["a"] }), stageOf("c", ["c1"])];
  assert.deepEqual(await pool(stages, 2), ["a1", "a1+c1", "b1", "b1+b2"]);
});

test("the pool keeps the limits of a stage and of a job", async () => {
  assert.deepEqual(await pool([stageOf("a", ["a1", "a2"], { atOnce: 1 })], 4), ["a1", "a2"]);
  assert.deepEqual(await pool([stageOf("a", ["a1", "a2"], { slots: 3 })], 4), ["a1", "a2"]);
  assert.deepEqual(await pool([stageOf("a", ["a1"], { slots: 9 })], 4), ["a1"]);
});

test("the pool begins nothing after an interrupt", async () => {
  assert.deepEqual(await pool([stageOf("a", ["a1", "a2", "a3"])], 1, "a2"), ["a1", "a2"]);
});

async function run(file: string, silentMsMax?: number): Promise<Awaited<ReturnType<typeof runJob>>> {
  using directory = mkdtempDisposableSync(join(tmpdir(), "lectern-test-"));
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  return await runJob(
    { stage: "real", name: file, files: [file], slots: 1 },
    {
      resultsFile: join(directory.path, "results.jsonl"),
      environment: { ...environment, [RUN_VARIABLE]: "test" },
      testMsMax: 1000,
      ...(silentMsMax !== undefined && { silentMsMax }),
      onStart: () => {},
    },
  );
}

test("a test that never ends fails, and its process ends", async () => {
  const { failed, output } = await run("test/support/unfinished.ts");
  assert.match(failed[0]?.name ?? "", /^test\/support\/unfinished\.ts:\d+ never ends$/);
  assert.match(failed[0]?.text ?? "", /timed out after 1000ms/);
  assert.match(output, /Ended what 1 unfinished test had started/);
});

test("a test that blocks its own process fails, and its process ends", async () => {
  const { failed } = await run("test/support/blocked.ts", 4000);
  assert.deepEqual(failed, [{ name: "test/support/blocked.ts", text: "Its process ended with SIGKILL" }]);
});

test("a file without a test is a failure", async () => {
  const { failed } = await run("test/support/until.ts");
  assert.deepEqual(failed, [{ name: "test/support/until.ts", text: "It has no test" }]);
});

test("Ctrl-C stops all that a run has started", async () => {
  const words = [join(root, "test/runner/start.mjs"), "test/e2e/live-session.test.ts", "--slots", "1"];
  const { NODE_TEST_CONTEXT: _, [RUN_VARIABLE]: __, ...environment } = process.env;
  const runner = spawn(process.execPath, words, { cwd: root, env: environment, detached: true });
  const ended = Promise.withResolvers<number | null>();
  runner.on("close", ended.resolve);
  let output = "";
  runner.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  const pid = runner.pid ?? 0;
  let id: string | undefined;
  await until(() => (id = runOf(pid)) !== undefined, "a test process begins");
  await until(() => markedProcesses(id ?? "").length > 1, "it starts a program");
  process.kill(-pid, "SIGINT");
  assert.equal(await ended.promise, 130, output);
  assert.match(output, /^Interrupted$/m);
  assert.deepEqual(markedProcesses(id ?? ""), []);
});

/** The mark of the run below a process, once there is one. */
function runOf(pid: number): string | undefined {
  const children = (parent: number): number[] =>
    readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  const below = [pid].flatMap(function all(each: number): number[] {
    try {
      return [each, ...children(each).flatMap(all)];
    } catch {
      return [];
    }
  });
  for (const each of below) {
    try {
      const found = new RegExp(`${RUN_VARIABLE}=([^\\0]+)`).exec(readFileSync(`/proc/${each}/environ`, "latin1"))?.[1];
      if (found !== undefined) return found;
    } catch {
      // It has ended.
    }
  }
  return undefined;
}

test("each program that system-packages installs names the tests that start it, and each of its files is there", () => {
  const listed = [...readFileSync(join(root, "scripts/system-packages"), "utf8").matchAll(/^ {2}\[(\S+)\]=/gm)];
  assert.deepEqual(
    listed.map(([, name = ""]) => name).filter((name) => !(name in needsTable)),
    [],
  );
  for (const [program, anchors] of Object.entries(needsTable))
    for (const anchor of anchors) assert.ok(filesThatUse([anchor]).size > 0, `${program}: ${anchor}`);
});

test("a file that ends before its tests, and a hook that fails, are failures with their reason", async () => {
  const early = await run("test/support/ends-early.ts");
  assert.deepEqual(
    early.failed.map(({ text }) => text),
    ["Its process ended before all of its tests"],
  );
  const { failed } = await run("test/support/failing-hook.ts");
  assert.match(failed.map(({ text }) => text).join("\n"), /the hook fails/);
});
