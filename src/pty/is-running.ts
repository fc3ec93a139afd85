/** Whether a process is running, for callers that wait for its end. */
import { readLivingStat } from "./proc-files.ts";

/** On Linux false for a zombie; on other systems false for a process of another user. */
export function isRunning(pid: number): boolean {
  if (process.platform === "linux") return readLivingStat(pid) !== undefined;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
