/** The trailer of an answer whose recording has damaged parts: `FROM-TO, FROM-TO`, the offsets that are missing. */
export interface OffsetRange {
  readonly from: number;
  readonly to: number;
}

/** Name of the HTTP trailer. */
export const DAMAGED_TRAILER = "lectern-damaged";

/** Trailers count as headers, of which Node reads 16 KiB. */
const RANGES_MAX = 100;

/** At most 100 ranges: the last one then reaches to the end of the last. */
export function encodeDamagedRanges(ranges: readonly OffsetRange[]): string {
  const last = ranges.at(-1);
  const listed = ranges.slice(0, RANGES_MAX);
  const rest = ranges[RANGES_MAX - 1];
  if (ranges.length > RANGES_MAX && rest !== undefined && last !== undefined)
    listed[RANGES_MAX - 1] = { from: rest.from, to: last.to };
  return listed.map(({ from, to }) => `${from}-${to}`).join(", ");
}

/** Undefined, as without a trailer, gives no ranges. */
export const decodeDamagedRanges = (text: string | undefined): OffsetRange[] =>
  [...(text ?? "").matchAll(/(\d+)-(\d+)/g)].map(([, from, to]) => ({ from: Number(from), to: Number(to) }));
