import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable, Writable, type Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { lecternPaths } from "../daemon/paths.ts";
import { runProgram } from "./program.ts";

const directory = mkdtempSync(join(tmpdir(), "lectern-program-"));
const environment = { LECTERN_HOME: join(directory, "home"), NO_COLOR: "1" };
after(() => rmSync(directory, { recursive: true }));

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function ran(words: readonly string[], input = "", signal?: AbortSignal): Promise<Ran> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const code = await runProgram(words, environment, {
    stdin: Readable.from([input]) as NodeJS.ReadStream,
    stdout: stdout as Duplex as NodeJS.WriteStream,
    stderr: stderr as Duplex as NodeJS.WriteStream,
    workingDirectory: directory,
    ...(signal !== undefined && { signal }),
  });
  stdout.end();
  stderr.end();
  return { code, stdout: await text(stdout), stderr: await text(stderr) };
}

test("runProgram reads and writes the given streams, and files of the given directory", async () => {
  assert.match((await ran(["version"])).stdout, /^lectern \d/);
  assert.deepEqual(await ran(["atach"]), {
    code: 2,
    stdout: "",
    stderr: 'lectern: Unknown command "atach", did you mean "attach"?; see "lectern --help"\n',
  });
  writeFileSync(join(directory, "policy.yaml"), "version: 1\nrules: []\n");
  assert.match((await ran(["policy", "check", "policy.yaml"])).stdout, /^policy\.yaml/);
  const unread = await ran(["emit", "DONE", "-"], "{");
  assert.deepEqual([unread.code, unread.stdout], [1, ""], unread.stderr);
});

const policy = `version: 1
mode: log-only
default: allow
rules:
  - { id: lost, effect: deny, tool: bash, command: rm ** }
  - { id: push, effect: ask, tool: bash, command: git push * }
`;

/** What a command without a daemon prints, or the line of its error. */
const printed: readonly (readonly [words: string, code: number, text: RegExp])[] = [
  ["", 0, /^Usage:/m],
  ["--version", 0, /^lectern \d/],
  ["-h", 0, /^Usage:/m],
  ["help ls", 0, /^Usage: lectern ls/m],
  ["ls --help", 0, /^Usage: lectern ls/m],
  ["help all", 0, /^Administration:$/m],
  ["help atach", 2, /Unknown command "atach", did you mean "attach"\?/],
  ["agent --model m fix the tests", 2, /Unknown command "agent": it is the program "examples\/agent"/],
  ["help agent", 2, /Unknown command "agent"/],
  ["stop work", 2, /Unknown command "stop": "lectern kill SESSION" ends a program, "lectern down" the daemon/],
  ["qqqqqqqqqqq", 2, /Unknown command "qqqqqqqqqqq"; see "lectern --help"/],
  ["ls --jsn", 2, /--json/],
  ["usage --by time --json", 2, /^\{.*"Cannot add up by \\"time\\": wanted session, agent, model, label:KEY or day/],
  ["usage --by label:", 2, /Cannot add up by "label:"/],
  ["usage --csv --json", 2, /Cannot use --csv with --json/],
  ["usage --since yesterday", 2, /Cannot read --since "yesterday"/],
  ["completion bash", 0, /^complete .*lectern/m],
  ["completion zsh", 0, /^#compdef lectern/],
  ["completion fish", 0, /^complete -c lectern/m],
  ["policy init coding", 0, /^version: 1/m],
  ["policy check", 2, /wanted FILE/],
  ["policy check p.yaml q.yaml", 2, /wanted FILE/],
  ["policy check p.yaml", 0, /^p\.yaml: 2 rules, 0 limits, default allow, log-only: nothing is refused/m],
  ["policy check p.yaml --strict", 1, /^p\.yaml: 2 rules/m],
  ["policy check p.yaml --json", 0, /"ok":true,"problems":\[\{/],
  ["policy check p.yaml --json --strict", 1, /"ok":true,"problems":\[\{/],
  ["policy check bad.yaml", 1, /^bad\.yaml:2/],
  ["policy check bad.yaml --json", 1, /"ok":false/],
  ["policy check p.yaml --output x", 2, /--output is for init/],
  ["policy init coding --strict", 2, /--strict is for check/],
  ["policy init coding --tool bash", 2, /--tool is for explain/],
  ["policy explain p.yaml", 2, /wanted FILE COMMAND, with the command in quotes/],
  [
    "policy explain bad.yaml ls",
    2,
    /Cannot use the policy: bad\.yaml:2:1: Unknown key "rulez": did you mean "rules"\?$/m,
  ],
  ["policy explain worse.yaml ls", 2, /Unknown key.*; see all 2 with "lectern policy check worse\.yaml"$/m],
  ["policy explain p.yaml ls", 0, /allow/],
  ["policy explain p.yaml ls --json", 0, /^\{.*"allow"/],
  ["policy explain p.yaml {} --tool read", 0, /allow/],
  ["policy explain p.yaml ls --tool read", 2, /"read" is not known to have a shell text/],
  ["policy test p.yaml", 2, /wanted FILE CASES/],
  ["policy test p.yaml cases.yaml", 1, /^cases\.yaml:2: .*\n2 cases, 1 failed\nNo case reached: push/],
  ["policy test p.yaml cases.yaml --json", 1, /"passed":false/],
  ["policy test p.yaml bad.yaml", 1, /bad\.yaml:2:1: error: Unknown key "rulez"/],
  ["policy test p.yaml bad.yaml --json", 1, /^\{"ok":false/],
  ["policy replay p.yaml", 2, /wanted FILE SESSION/],
  ["policy schema", 0, /"log-only"/],
  ["policy schema cases", 0, /"expect"/],
  ["policy schema rules", 2, /wanted policy or cases/],
];

test("commands that need no daemon print what is there, and say what they wanted instead", async () => {
  writeFileSync(join(directory, "p.yaml"), policy);
  writeFileSync(join(directory, "bad.yaml"), "version: 1\nrulez: []\n");
  writeFileSync(join(directory, "worse.yaml"), "version: 1\nrulez: []\nlimitz: []\n");
  writeFileSync(
    join(directory, "cases.yaml"),
    "cases:\n  - { tool: bash, command: ls, expect: deny }\n  - { tool: bash, command: rm a, expect: deny }\n",
  );
  const others: object[] = [];
  for (const [words, code, wanted] of printed) {
    const found = await ran(words.split(" ").filter(Boolean));
    if (found.code !== code || !wanted.test(found.stdout + found.stderr)) others.push({ words, ...found });
  }
  assert.deepEqual(others, []);
});

test("runProgram with surroundings leaves no listener and nothing open in the process", async () => {
  await ran(["version"]);
  const open = (): number =>
    process.getActiveResourcesInfo().length +
    process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
  const before = open();
  for (let call = 0; call < 1000; call++) assert.equal((await ran(["version"])).code, 0);
  assert.ok(open() <= before, `${before} before, ${open()} afterwards`);
});

test("runProgram ends with the code of Ctrl-C when its signal is aborted", async () => {
  const { daemonSocket, runtimeDirectory } = lecternPaths(environment);
  mkdirSync(runtimeDirectory, { recursive: true, mode: 0o700 });
  const end = new AbortController();
  const silent = createServer(() => end.abort()).listen(daemonSocket);
  try {
    assert.deepEqual(await ran(["usage"], "", end.signal), { code: 130, stdout: "", stderr: "" });
  } finally {
    silent.close();
  }
});

test("runProgram ends with the code of Ctrl-C while nobody reads what it wrote", async () => {
  const end = new AbortController();
  // Its reader took one piece of it and no more.
  const stdout = new Writable({ highWaterMark: 1, write: () => end.abort() });
  const surroundings = {
    stdin: Readable.from([]) as NodeJS.ReadStream,
    stdout: stdout as NodeJS.WriteStream,
    stderr: new PassThrough() as Duplex as NodeJS.WriteStream,
    workingDirectory: directory,
    signal: end.signal,
  };
  const code = await Promise.race([
    runProgram(["help", "all"], environment, surroundings),
    new Promise((resolve) => setTimeout(resolve, 20_000, "waits for ever")),
  ]);
  assert.equal(code, 130);
});
