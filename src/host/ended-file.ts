/**
 * The file that says that a daemon was stopped by a person: it exists from `lectern down` to the start of the next daemon, and is empty
 * unless the daemon was stopped in order to start the next one. Then it contains the pid of the process that starts that.
 */
import { readFileSync } from "node:fs";
import { isRunning } from "../pty/proc-files.ts";

/** `down`: a person stopped the daemon. `replaced`: a running process starts the next one. `none`: no person stopped it. */
export type DaemonEnd = "none" | "down" | "replaced";

export function readDaemonEnd(path: string): DaemonEnd {
  try {
    const pid = Number(readFileSync(path, "utf8"));
    return pid > 0 && isRunning(pid) ? "replaced" : "down";
  } catch {
    return "none";
  }
}
