/** What the benches share: interleaved rounds and their medians. */
import { median } from "./support/statistics.ts";

/** A full collection of garbage; undefined without `--expose-gc`. */
export const { gc: collect } = globalThis as { gc?: () => void };

/** How samples are taken. */
export interface Sampling {
  readonly name: string;
  /** A run is repeated until it takes so long. Some kernels count CPU time in steps of 4 ms. */
  readonly windowMs: number;
  /** Runs before each sample and is not counted. */
  readonly before?: () => void;
}

const steady: Sampling = { name: "steady", windowMs: 120 };

/** Without a full collection, and each sample right after one: a sample is short, so that compiling again is a part of it. */
export const samplings: readonly Sampling[] =
  collect === undefined ? [steady] : [steady, { name: "collected", windowMs: 40, before: collect }];

/** CPU time of this thread, so that other programs disturb less. It moves in steps of 4 ms on some kernels. */
function milliseconds(run: () => unknown): number {
  const before = process.threadCpuUsage();
  run();
  const used = process.threadCpuUsage(before);
  return (used.user + used.system) / 1000;
}

/**
 * Cost of both in milliseconds, from the round whose ratio is the median one: within a round other programs disturb both
 * alike. The rounds take turns in who comes first; both repeat equally often.
 */
export function compare(rounds: number, one: () => unknown, two: () => unknown): Pair {
  return sampledBy(steady).compare(rounds, one, two);
}

interface Pair {
  readonly first: number;
  readonly second: number;
}

interface Comparison {
  compare(rounds: number, one: () => unknown, two: () => unknown): Pair;
  /** For work that is asynchronous: each run is awaited. */
  compareAsync(rounds: number, one: () => Promise<void>, two: () => Promise<void>): Promise<Pair>;
}

/** `compare` with other samples. */
export function sampledBy({ windowMs, before }: Sampling): Comparison {
  return {
    compare(rounds, one, two) {
      const times = Math.max(timesFor(one, windowMs), timesFor(two, windowMs));
      const sample = (run: () => unknown): number => {
        before?.();
        return milliseconds(() => repeat(times, run)) / times;
      };
      const pairs: Pair[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const early = round % 2 === 0 ? sample(one) : 0;
        const second = sample(two);
        pairs.push({ first: round % 2 === 0 ? early : sample(one), second });
      }
      return middle(pairs);
    },
    async compareAsync(rounds, one, two) {
      const times = Math.max(await timesForAsync(one, windowMs), await timesForAsync(two, windowMs));
      const sample = async (run: () => Promise<void>): Promise<number> => {
        before?.();
        return (await millisecondsAsync(times, run)) / times;
      };
      const pairs: Pair[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const early = round % 2 === 0 ? await sample(one) : 0;
        const second = await sample(two);
        pairs.push({ first: round % 2 === 0 ? early : await sample(one), second });
      }
      return middle(pairs);
    },
  };
}

function middle(pairs: Pair[]): Pair {
  pairs.sort((left, right) => left.first / left.second - right.first / right.second);
  return pairs[Math.floor(pairs.length / 2)] ?? { first: Number.NaN, second: Number.NaN };
}

/** Median cost in milliseconds. */
export function cost(rounds: number, run: () => unknown): number {
  const times = timesFor(run, steady.windowMs);
  const samples: number[] = [];
  for (let round = 0; round < rounds; round += 1) samples.push(milliseconds(() => repeat(times, run)));
  return median(samples) / times;
}

/** How often to run it so that the clock's grain does not matter; warms it up on the way. */
function timesFor(run: () => unknown, windowMs: number): number {
  let times = 1;
  while (milliseconds(() => repeat(times, run)) < windowMs && times < 4096) times *= 2;
  return times;
}

function repeat(times: number, run: () => unknown): void {
  for (let index = 0; index < times; index += 1) run();
}

async function millisecondsAsync(times: number, run: () => Promise<void>): Promise<number> {
  const before = process.threadCpuUsage();
  for (let index = 0; index < times; index += 1) await run();
  const used = process.threadCpuUsage(before);
  return (used.user + used.system) / 1000;
}

async function timesForAsync(run: () => Promise<void>, windowMs: number): Promise<number> {
  let times = 1;
  while ((await millisecondsAsync(times, run)) < windowMs && times < 4096) times *= 2;
  return times;
}
