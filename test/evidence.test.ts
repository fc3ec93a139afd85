import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { checkJournal } from "../src/journal/check.ts";

/** Short, because sockets are below it. */
const directory = mkdtempSync(join(tmpdir(), "lev-"));
after(() => rmSync(directory, { recursive: true, force: true }));
const failed = join(directory, "lectern-failed");
const EARLIER = 25;

test("a failed test prints its last screens and its daemon's log, and keeps its journals", async () => {
  for (let index = 0; index < EARLIER; index += 1) {
    const earlier = join(failed, `earlier-${index}`);
    mkdirSync(earlier, { recursive: true });
    utimesSync(earlier, index, index);
  }
  const output = await runFailing();

  const own = blockOf(output, "fails in its own home");
  assert.match(own, shows("own"));
  assert.match(own, /daemon\.log:\n(?: +\{.*\}\n)* +\{.*"path":"\/v1\/sessions\/own\/wait".*"msg":"request"\}\n/);
  await checkJournals(own, 1);

  const common = blockOf(output, "fails in a shared home");
  assert.match(common, shows("common"));
  assert.match(common, /process \d+: \(\S+\) [A-Z] \d+, \(/);
  await checkJournals(common, 1);

  const inner = blockOf(output, "fails with a daemon in its process");
  assert.match(inner, shows("inner"));
  assert.match(inner, /daemon\.log:\n +problem 12\n[^]*problem 30\n +'the last error'\n/);
  const [, log = ""] = /end of the daemon's log (.*):\n/.exec(inner) ?? [];
  assert.match(readFileSync(log, "utf8"), /^problem 1\n/);
  await checkJournals(inner, 2);

  const endless = blockOf(output, "never ends");
  assert.match(endless, shows("common"));
  await checkJournals(endless, 1);

  // No home is left, and the oldest directories are removed.
  assert.deepEqual(readdirSync(directory), ["lectern-failed"]);
  const kept = readdirSync(failed);
  assert.equal(kept.length, 20);
  assert.ok(!kept.includes("earlier-5") && kept.includes("earlier-6"), kept.join(" "));
});

async function runFailing(): Promise<string> {
  const support = resolve(import.meta.dirname, "support");
  const { LECTERN_TEST_HOME: _, NODE_TEST_CONTEXT: __, ...environment } = process.env;
  const words = ["--test", `--import=${support}/preload.mjs`, `${support}/failing.ts`];
  const env = { ...environment, TMPDIR: directory };
  // Without a limit of its own a run that stands still would outlive this test.
  const child = spawn(process.execPath, words, { env, timeout: 150_000 });
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  assert.equal(code, 1, output + errors);
  assert.match(output, /Ended what 1 unfinished test had started/);
  return output;
}

/** What is printed for a test. */
function blockOf(output: string, name: string): string {
  const [, block] = output.split(`What the failed test "${name}" saw\n`);
  assert.ok(block !== undefined, output);
  return block.slice(0, block.search(/^\S/m));
}

const shows = (name: string): RegExp =>
  new RegExp(`session "${name}": bash -c .*\\n +journal: .*\\n +last screen:\\n +\\| seen in ${name}\\n`);

async function checkJournals(block: string, count: number): Promise<void> {
  const paths = [...block.matchAll(/journal: (.*)/g)].map(([, path = ""]) => path);
  assert.equal(paths.length, count);
  for (const path of paths) {
    assert.ok(path.startsWith(failed), path);
    const { damaged, records } = await checkJournal(path);
    assert.deepEqual(damaged, []);
    assert.ok(records > 1, `${records} records`);
  }
}
