/** How a pty ends, on every backend that works here. `bench/pty-exit-race.ts` runs the same cases thousands of times. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { describeBackends } from "../src/pty/spawn.ts";
import { exitCases, PtyRun, processState, runExitCase } from "./pty-run.ts";
import { until } from "./support/until.ts";

const rounds = 1;
const parallel = 8;

for (const { backend } of describeBackends().filter(({ available }) => available)) {
  describe(`pty exit, ${backend}`, { concurrency: false }, () => {
    for (const [name, exitCase] of Object.entries(exitCases)) {
      test(`no byte and no status is lost at ${name}`, async () => {
        for (let round = 0; round < rounds; round++) {
          const outcomes = await Promise.all(Array.from({ length: parallel }, () => runExitCase(exitCase, backend)));
          for (const outcome of outcomes) {
            const { output, status } = exitCase;
            assert.deepEqual(outcome, { output, status, afterExit: 0, whilePaused: 0 });
          }
        }
      });
    }

    test("a background job that keeps the terminal delays the exit by lingerMs only", async () => {
      const run = new PtyRun("trap '' HUP; sleep 60 & printf \"<$!>\"; exit 2", { backend, lingerMs: 50 });
      assert.deepEqual(await run.ended, { reason: "exited", code: 2, signal: null });
      const job = Number(/<(\d+)>/.exec(run.text)?.[1]);
      assert.notEqual(processState(job), "Z", "the job is left alone: it ignores the hang-up");
      process.kill(job, "SIGKILL");
    });

    test("a background job that floods the terminal does not delay the exit beyond lingerMs, and is cut off then", async () => {
      const run = new PtyRun("trap '' HUP; yes & printf \"<$!>\"; exit 6", { backend, lingerMs: 50 });
      assert.deepEqual(await run.ended, { reason: "exited", code: 6, signal: null });
      const job = Number(/<(\d+)>/.exec(run.text)?.[1]);
      // Nobody reads any more, and the kernel tells it so (EIO).
      await until(() => processState(job) === "Z");
      assert.equal(run.broken, 0);
    });
  });
}
