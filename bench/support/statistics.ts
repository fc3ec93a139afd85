/** The values in the middle and at other places of samples, and rounds that are measured in turn. */

/** The value below which a share (0 to 1) of the samples lies. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((first, second) => first - second);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Unlike the mean, not affected by rounds that other programs disturb. */
export const median = (samples: readonly number[]): number => quantile(samples, 0.5);

/** Runs each task once per round, so that the noise of the machine affects all alike. The results by name. */
export async function interleaved<Result>(
  rounds: number,
  tasks: Readonly<Record<string, () => Result | Promise<Result>>>,
): Promise<Map<string, Result[]>> {
  const results = new Map<string, Result[]>(Object.keys(tasks).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, task] of Object.entries(tasks)) results.get(name)?.push(await task());
  }
  return results;
}

/** Splits bytes into pieces of `size`; the pieces are views. */
export function chunksOf<Bytes extends Uint8Array>(bytes: Bytes, size: number): Bytes[] {
  const chunks: Bytes[] = [];
  for (let start = 0; start < bytes.length; start += size) chunks.push(bytes.subarray(start, start + size) as Bytes);
  return chunks;
}
