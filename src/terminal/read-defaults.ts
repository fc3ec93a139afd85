import { LecternError } from "../core/errors.ts";
import { readinessTimes as times } from "../core/readiness/times.ts";
import type { ReadOptions } from "./terminal-options.ts";

/** Times in milliseconds, and the bytes at which a read ends. */
export const readDefaults = {
  timeoutMs: times.timeout.ms,
  maxOutputBytes: 2 * 1024 * 1024,
  settleMs: times.settle.ms,
  quietMs: times.quiet.ms,
} as const;

type Limit = keyof typeof readDefaults;

/** The least and the greatest value of each, as in the operations of a session. */
const LIMITS: Readonly<Record<Limit, readonly [least: number, most: number]>> = {
  timeoutMs: [0, 86_400_000],
  maxOutputBytes: [1, 16 * 1024 * 1024],
  settleMs: [0, 600_000],
  quietMs: [0, 3_600_000],
};

/** Before anything is typed. Throws `INVALID_INPUT` for a value that no read can have. */
export function checkLimits(options: Pick<ReadOptions, Limit>): void {
  for (const [name, [least, most]] of Object.entries(LIMITS)) {
    const value = options[name as Limit];
    if (value === undefined || (value >= least && value <= most)) continue;
    throw new LecternError("INVALID_INPUT", `${name} is ${value}, wanted ${least} to ${most}; nothing was typed`);
  }
}
