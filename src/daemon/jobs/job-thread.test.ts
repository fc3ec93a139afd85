import assert from "node:assert/strict";
import { test } from "node:test";
import type { LecternError } from "../../core/errors.ts";
import { readPolicy } from "./read-policy.ts";
import { JobThread } from "./job-thread.ts";

const policy = 'version: 1\nrules:\n  - { id: no-rm, effect: deny, command: "rm **", reason: never }\n';

test("a policy that was read in a thread has the places of its rules", async () => {
  const read = await new JobThread().run("policy", policy);
  assert.ok(read.ok);
  assert.equal(read.data.rules?.[0]?.id, "no-rm");
  assert.deepEqual(read.places.get('["rules",0]'), { line: 3, column: 5 });
});

test("the problems of a text are a result", async () => {
  const checked = await new JobThread().run("policy.check", "version: 1\nrulse: []");
  assert.deepEqual(
    checked.problems.map(({ line, message }) => `${line} ${message}`),
    ['2 Unknown key "rulse": did you mean "rules"?'],
  );
});

test(
  "a text that takes more processor time than the limit is refused, and the next one is read",
  { timeout: 60_000 },
  async () => {
    const hung = new URL("data:text/javascript,for (let turns = 0; turns >= 0;) turns += 1;");
    await assert.rejects(new JobThread({ cpuMsMax: 20, entry: hung }).run("policy", policy), {
      code: "LIMIT_EXCEEDED",
    });
  },
);

/** A thread that answers with the number of the job, and never does one whose policy is "hang". */
const counting = new URL(
  `data:text/javascript,import { parentPort } from "node:worker_threads"; let jobs = 0;
  parentPort.on("message", ({ input }) => { while (input === "hang") jobs += 1; parentPort.postMessage(jobs += 1); });`.replaceAll(
    "\n",
    "",
  ),
);

test("a thread is kept for the next job, and replaced after one over its limit", { timeout: 60_000 }, async () => {
  const thread = new JobThread({ cpuMsMax: 1000, entry: counting });
  assert.deepEqual([await thread.run("policy", "a"), await thread.run("policy", "b")], [1, 2]);
  await assert.rejects(thread.run("policy", "hang"), { code: "LIMIT_EXCEEDED", message: /make it shorter/ });
  assert.equal(await thread.run("policy", "c"), 1);
});

test("callers have turns, and none takes all the places", async () => {
  const thread = new JobThread({ entry: counting, waitingMax: 8 });
  const done: string[] = [];
  const run = async (caller: string): Promise<void> => {
    await thread.run("policy", "", caller);
    done.push(caller);
  };
  const jobs = [run("busy"), run("busy"), run("busy"), run("other")];
  await Promise.all(jobs);
  assert.deepEqual(done, ["busy", "busy", "other", "busy"]);
  // One of them is done, four wait.
  const results = await Promise.allSettled([...Array.from({ length: 6 }, () => run("busy")), run("other")]);
  const refused = results.flatMap((result) => (result.status === "rejected" ? [result.reason as LecternError] : []));
  assert.deepEqual(
    refused.map(({ code }) => code),
    ["LIMIT_EXCEEDED"],
  );
  assert.equal(results.at(-1)?.status, "fulfilled");
});

test("texts that wait are counted", async () => {
  const thread = new JobThread({ waitingMax: 1 });
  const first = thread.run("policy", policy);
  await assert.rejects(thread.run("match", { pattern: "a", text: "a" }), {
    code: "LIMIT_EXCEEDED",
    message: "Cannot match the pattern: 1 others wait; try again later",
  });
  assert.ok((await first).ok);
  assert.ok((await thread.run("policy", policy)).ok);
});

test("an error of a job names the job", async () => {
  await assert.rejects(new JobThread().run("match", { pattern: "(", text: "a" }), {
    code: "INTERNAL",
    message: /^Cannot match the pattern: Invalid regular expression/,
  });
});

test("one text is read once for several sessions", async () => {
  const long = `${policy}# ${"x".repeat(2000)}\n`;
  assert.equal(readPolicy(long), readPolicy(long));
  assert.ok((await readPolicy(long)).ok);
});
