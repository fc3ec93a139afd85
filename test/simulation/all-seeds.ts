/** Simulates many seeds on all processors. */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { RangeReport, SeedRange } from "./seed-worker.ts";

/** So many seeds a thread runs before it asks for more. */
const RANGE_SEEDS = 250;

export interface SeedsReport {
  seeds: number;
  events: number;
  /** The first seed that failed; then the others were not finished. */
  failure: { readonly seed: number; readonly message: string } | undefined;
}

/** Simulates `count` seeds from `from` on, and ends at the first one that fails. */
export async function simulateSeeds(from: number, count: number): Promise<SeedsReport> {
  const report: SeedsReport = { seeds: 0, events: 0, failure: undefined };
  let next = from;
  const threads = Array.from(
    { length: availableParallelism() },
    () => new Worker(new URL("seed-worker.ts", import.meta.url)),
  );
  try {
    await Promise.all(
      threads.map(
        (thread) =>
          new Promise<void>((resolve, reject) => {
            const give = (): void => {
              if (report.failure !== undefined || next >= from + count) return resolve();
              const range: SeedRange = { from: next, count: Math.min(RANGE_SEEDS, from + count - next) };
              next += range.count;
              thread.postMessage(range);
            };
            thread.on("error", reject);
            thread.on("message", (answer: RangeReport) => {
              if ("seed" in answer) report.failure ??= answer;
              else {
                report.seeds += answer.seeds;
                report.events += answer.events;
              }
              give();
            });
            give();
          }),
      ),
    );
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
  return report;
}
