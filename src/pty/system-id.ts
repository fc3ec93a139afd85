/** Names one run of a system, within which a pid and a start time name one process. */
import { readProc, readStat } from "./proc-files.ts";

/**
 * The boot of the kernel and the start of process 1, because a container that is started again has the same kernel and counts its processes
 * anew. Undefined on systems other than Linux.
 */
export function systemId(): string | undefined {
  if (process.platform !== "linux") return undefined;
  const boot = readProc("/proc/sys/kernel/random/boot_id").text?.trim();
  return `${boot ?? "unknown"} ${readStat(1)?.startTicks ?? "unknown"}`;
}
