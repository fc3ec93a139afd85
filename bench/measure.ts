/** What the benches share: interleaved rounds and their medians. */
import { median } from "./support/statistics.ts";

/** A run is repeated until it takes so long: the grain of the clock is a thirtieth of it. */
const windowMs = 120;

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
export function compare(rounds: number, one: () => unknown, two: () => unknown): { first: number; second: number } {
  const times = Math.max(timesFor(one), timesFor(two));
  const pairs: { first: number; second: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = round % 2 === 0 ? milliseconds(() => repeat(times, one)) : 0;
    const second = milliseconds(() => repeat(times, two));
    const first = round % 2 === 0 ? before : milliseconds(() => repeat(times, one));
    pairs.push({ first: first / times, second: second / times });
  }
  pairs.sort((left, right) => left.first / left.second - right.first / right.second);
  return pairs[Math.floor(rounds / 2)] ?? { first: Number.NaN, second: Number.NaN };
}

/** Median cost in milliseconds. */
export function cost(rounds: number, run: () => unknown): number {
  const times = timesFor(run);
  const samples: number[] = [];
  for (let round = 0; round < rounds; round += 1) samples.push(milliseconds(() => repeat(times, run)));
  return median(samples) / times;
}

/** How often to run it so that the clock's grain does not matter; warms it up on the way. */
function timesFor(run: () => unknown): number {
  let times = 1;
  while (milliseconds(() => repeat(times, run)) < windowMs && times < 4096) times *= 2;
  return times;
}

function repeat(times: number, run: () => unknown): void {
  for (let index = 0; index < times; index += 1) run();
}

/** `compare` for work that is asynchronous: each run is awaited. The medians of both, in CPU time of this thread. */
export async function compareAsync(
  rounds: number,
  one: () => Promise<void>,
  two: () => Promise<void>,
): Promise<{ first: number; second: number }> {
  const times = Math.max(await timesForAsync(one), await timesForAsync(two));
  const [first, second]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    first.push((await millisecondsAsync(times, one)) / times);
    second.push((await millisecondsAsync(times, two)) / times);
  }
  return { first: median(first), second: median(second) };
}

async function millisecondsAsync(times: number, run: () => Promise<void>): Promise<number> {
  const before = process.threadCpuUsage();
  for (let index = 0; index < times; index += 1) await run();
  const used = process.threadCpuUsage(before);
  return (used.user + used.system) / 1000;
}

async function timesForAsync(run: () => Promise<void>): Promise<number> {
  let times = 1;
  while ((await millisecondsAsync(times, run)) < windowMs && times < 4096) times *= 2;
  return times;
}
