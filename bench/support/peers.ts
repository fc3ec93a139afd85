/** Compares ways to do the same work in one run: rounds are interleaved, so that the noise of the machine hits all alike. */
import { median } from "./statistics.ts";

export interface Contender {
  readonly name: string;
  /** Does the work once and returns a number that depends on the result, so that nothing is optimised away. */
  readonly run: () => number;
}

export interface Result {
  readonly name: string;
  readonly megabytesPerSecond: number;
}

const ROUNDS = 9;
const ROUND_MS = 60;
let sink = 0;

/** Median speed of each contender over interleaved rounds. */
export function compare(contenders: readonly Contender[], bytes: number): Result[] {
  for (const contender of contenders) measure(contender, bytes);
  const speeds = contenders.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, contender] of contenders.entries()) speeds[index]?.push(measure(contender, bytes));
  }
  if (Number.isNaN(sink)) throw new Error("A contender returned no number");
  return contenders.map(({ name }, index) => ({ name, megabytesPerSecond: median(speeds[index] ?? []) }));
}

/** Prints each result with its ratio to the others, the first one being ours. */
export function report(title: string, results: readonly Result[]): void {
  const [ours, ...peers] = results;
  if (ours === undefined) return;
  const ratios = peers.map(
    (peer) =>
      `${(ours.megabytesPerSecond / peer.megabytesPerSecond).toFixed(2)} x ${peer.name} (${peer.megabytesPerSecond.toFixed(0)} MB/s)`,
  );
  console.log(`${title}: ${ours.name} ${ours.megabytesPerSecond.toFixed(0)} MB/s = ${ratios.join(", ")}`);
}

function measure(contender: Contender, bytes: number): number {
  const start = performance.now();
  let runs = 0;
  while (performance.now() - start < ROUND_MS) {
    sink += contender.run();
    runs++;
  }
  return (runs * bytes) / 1_000 / (performance.now() - start);
}
