/** Identifies one run of a system, within which pid and start time identify a process. */
import { readProc, readStat } from "./proc-files.ts";

/**
 * The boot id of the kernel and the start time of process 1, because a restarted container has the same kernel and counts its processes
 * from 1 again. Undefined on systems other than Linux.
 */
export function systemId(): string | undefined {
  if (process.platform !== "linux") return undefined;
  const boot = readProc("/proc/sys/kernel/random/boot_id").text?.trim();
  return `${boot ?? "unknown"} ${readStat(1)?.startTicks ?? "unknown"}`;
}
