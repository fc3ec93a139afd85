/** Whether the process for which something is typed is the one in the foreground of a terminal, by `/proc`. */
import type { TargetProcess } from "../core/acting/target.ts";
import { LecternError } from "../core/errors.ts";
import { readLivingStat } from "./proc-files.ts";

/** A process of a group with its name; undefined if it is not known, has ended or belongs to another group. */
export function processIn(group: number, pid: number | null) {
  const stat = pid === null ? undefined : readLivingStat(pid);
  if (pid === null || stat?.group !== group) return undefined;
  return { group, pid, startTicks: stat.startTicks, image: stat.image, program: stat.name };
}

/**
 * Throws `CONFLICT`, with `foreground` in the details, where another program than the target is in the foreground, or where it has stopped.
 * Passes where the kernel does not tell: `foregroundGroup` is undefined.
 */
export function assertReads(reader: TargetProcess, foregroundGroup: number | undefined): void {
  if (foregroundGroup === undefined || reader.group === null) return;
  const leader = readLivingStat(foregroundGroup);
  const refuse = (why: string): LecternError =>
    new LecternError("CONFLICT", `Cannot type for process ${reader.pid ?? reader.group}: ${why}; nothing was typed`, {
      details: { foreground: leader?.name ?? null, foregroundGroup },
    });
  if (foregroundGroup !== reader.group)
    throw refuse(`${leader?.name ?? `process group ${foregroundGroup}`} is in the foreground now`);
  if (reader.pid === null) return;
  const stat = readLivingStat(reader.pid);
  if (stat?.group !== reader.group || stat.startTicks !== reader.startTicks) throw refuse("it has ended");
  if (reader.image !== null && stat.image !== reader.image) throw refuse(`it has become ${stat.name}`);
  if (stat.state === "T") throw refuse("it is stopped");
}
