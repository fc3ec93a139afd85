/** Tells the servers of a cluster that run on this machine to read their configuration again. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { executableOf } from "../../pty/proc-files.ts";
import { serversOf } from "./cluster-directory.ts";

export interface Reloads {
  /** Names of the servers that were told. */
  readonly reloaded: readonly string[];
  /** They run elsewhere, from a copy of their directory, or do not run. */
  readonly elsewhere: readonly string[];
}

/** A server writes its process id into its directory, so one that runs from a copy is not found here. */
export function reloadServers(directory: string): Reloads {
  const names = serversOf(directory).map(({ name }) => name);
  const reloaded = names.filter((name) => reload(join(directory, name, "nats-server.pid")));
  return { reloaded, elsewhere: names.filter((name) => !reloaded.includes(name)) };
}

/** A process id may belong to another program by now, so the program is checked. */
function reload(pidFile: string): boolean {
  try {
    const pid = Number(readFileSync(pidFile, "utf8").trim());
    if (!Number.isInteger(pid) || pid <= 1) return false;
    const program = executableOf(pid);
    if (program === undefined || !program.startsWith("nats-server")) return false;
    process.kill(pid, "SIGHUP");
    return true;
  } catch {
    return false;
  }
}
