/** Durations and sizes as people write them, on command lines and in files. */
import { unitMs } from "../waits.ts";

const factors: Readonly<Record<string, number>> = unitMs;
const unitBytes: Readonly<Record<string, number>> = { "": 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4 };

/** Milliseconds; a number without a unit is in seconds. Undefined if it is not a duration. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,12}(?:\.\d{1,6})?)(ms|s|m|h|d)?$/.exec(text);
  const factor = factors[match?.[2] ?? "s"];
  return match === null || factor === undefined ? undefined : Math.round(Number(match[1]) * factor);
}

/** Bytes; `64K`, `64KB` and `64KiB` are the same. Undefined if it is not a size. */
export function parseSize(text: string): number | undefined {
  const match = /^(\d{1,12}(?:\.\d{1,6})?)([KMGT]?)(?:i?B)?$/i.exec(text);
  const factor = unitBytes[match?.[2]?.toUpperCase() ?? ""];
  return match === null || factor === undefined ? undefined : Math.round(Number(match[1]) * factor);
}
