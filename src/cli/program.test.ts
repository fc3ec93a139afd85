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
