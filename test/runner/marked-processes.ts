/**
 * The processes that a run of the tests has started, also daemons and hosts that have left its process tree: each inherits a variable of the
 * run. Linux only; elsewhere there are none.
 */
import { readdirSync, readFileSync } from "node:fs";

/** Not `LECTERN_...`: Lectern keeps those from the programs of its sessions. */
export const RUN_VARIABLE = "TEST_RUN_OF_LECTERN";

export interface MarkedProcess {
  readonly pid: number;
  readonly parent: number;
  /** Of `proc_pid_stat(5)`: "T" is stopped, "Z" has ended. */
  readonly state: string;
  readonly hasTerminal: boolean;
  readonly command: string;
}

/** Those of the run that have not ended, without this process. */
export function markedProcesses(run: string): MarkedProcess[] {
  const mark = `${RUN_VARIABLE}=${run}\0`;
  return numbersIn("/proc").flatMap((pid) => {
    if (pid === process.pid) return [];
    try {
      if (!`${readFileSync(`/proc/${pid}/environ`, "latin1")}\0`.includes(mark)) return [];
      return [read(pid)].filter(({ state }) => state !== "Z");
    } catch {
      // It has ended, or belongs to somebody else.
      return [];
    }
  });
}

function numbersIn(directory: string): number[] {
  try {
    return readdirSync(directory)
      .map(Number)
      .filter((pid) => pid > 0);
  } catch {
    return [];
  }
}

function read(pid: number): MarkedProcess {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const [state = "", parent, , , terminal] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  return {
    pid,
    parent: Number(parent),
    state,
    hasTerminal: terminal !== "0",
    command,
  };
}

/** Sends a signal; false if the process has ended. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}
