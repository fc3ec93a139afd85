/**
 * Seven ways to end, each many times, one and several at a time, on both backends. Every column must be 0.
 *
 *   node bench/pty-exit-race.ts [runs=1000] [backend]
 *
 * The case that waits (a background job prints 0.6 s after the end) runs more at a time: one by one it would take ten minutes.
 */
import { isDeepStrictEqual } from "node:util";
import { describeBackends } from "../src/pty/spawn.ts";
import { exitCases, runExitCase } from "../test/pty-run.ts";

const runs = Number(process.argv[2] ?? 1_000);
const onlyBackend = process.argv[3];
const lateCase = "a background job that prints after the program ended";
/** Instead of 1 and 8. */
const lateParallel = { 1: 16, 8: 64 } as const;

interface Counts {
  lostBytes: number;
  wrongStatus: number;
  dataAfterExit: number;
  dataWhilePaused: number;
}

let failed = false;
for (const { backend } of describeBackends().filter(
  (one) => one.available && (onlyBackend ?? one.backend) === one.backend,
)) {
  for (const parallel of [1, 8] as const) {
    for (const [name, exitCase] of Object.entries(exitCases)) {
      const counts: Counts = { lostBytes: 0, wrongStatus: 0, dataAfterExit: 0, dataWhilePaused: 0 };
      let left = runs;
      const startMs = performance.now();
      const worker = async (): Promise<void> => {
        while (left-- > 0) {
          const outcome = await runExitCase(exitCase, backend);
          if (outcome.output !== exitCase.output) counts.lostBytes += 1;
          if (!isDeepStrictEqual(outcome.status, exitCase.status)) counts.wrongStatus += 1;
          counts.dataAfterExit += outcome.afterExit;
          counts.dataWhilePaused += outcome.whilePaused;
        }
      };
      const workers = name === lateCase ? lateParallel[parallel] : parallel;
      await Promise.all(Array.from({ length: workers }, worker));
      failed ||= Object.values(counts).some((count) => count > 0);
      const seconds = ((performance.now() - startMs) / 1_000).toFixed(1);
      console.log(
        `${backend.padEnd(8)} ${String(workers).padStart(2)} at a time  ${name.padEnd(54)} ${runs} runs ${seconds.padStart(6)} s  ` +
          `lost ${counts.lostBytes}  wrong status ${counts.wrongStatus}  after exit ${counts.dataAfterExit}  while paused ${counts.dataWhilePaused}`,
      );
    }
  }
}
process.exitCode = failed ? 1 : 0;
