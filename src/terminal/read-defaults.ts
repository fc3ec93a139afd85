import { readinessTimes as times } from "../core/readiness/times.ts";

/** Times in milliseconds, and the bytes at which a read ends. */
export const readDefaults = {
  timeoutMs: times.timeout.ms,
  maxOutputBytes: 2 * 1024 * 1024,
  settleMs: times.settle.ms,
  quietMs: times.quiet.ms,
} as const;
