/** Whether a host that nobody can connect to still lives: it holds the lock of each of its journals. */
import { readHostRecord } from "../../host/host-record.ts";
import { isWriterLocked } from "../../journal/writer-lock.ts";

/** A host that lives. */
export interface HostProcess {
  /** Undefined where it cannot be found out. */
  readonly pid: number | undefined;
}

/** The host that runs the sessions in these directories. Undefined if it has ended. */
export function findHostProcess(directories: readonly string[]): HostProcess | undefined {
  const locked = directories.find((directory) => isWriterLocked(directory));
  return locked === undefined ? undefined : { pid: readHostRecord(locked)?.pid };
}
