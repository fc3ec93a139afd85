/** A thread that simulates ranges of seeds, and reports each range or the first seed that fails. */
import { parentPort } from "node:worker_threads";
import { simulate } from "./scenario.ts";

export interface SeedRange {
  readonly from: number;
  readonly count: number;
}

export type RangeReport =
  | { readonly seeds: number; readonly events: number }
  | { readonly seed: number; readonly message: string };

parentPort?.on("message", ({ from, count }: SeedRange) => parentPort?.postMessage(run(from, count)));

function run(from: number, count: number): RangeReport {
  let events = 0;
  for (let seed = from; seed < from + count; seed++) {
    try {
      events += simulate(seed);
    } catch (error) {
      return { seed, message: error instanceof Error ? error.message : String(error) };
    }
  }
  return { seeds: count, events };
}
