/** Whether a process is there, for those that wait for its end. */
import { readLivingStat } from "./proc-files.ts";

/** False for one that has ended and that nobody has waited for, where the system tells (Linux), and for another user's elsewhere. */
export function isRunning(pid: number): boolean {
  if (process.platform === "linux") return readLivingStat(pid) !== undefined;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
