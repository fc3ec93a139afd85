/** Where Lectern keeps its files. The environment is an argument: only the CLI reads the real one. */
import { homedir } from "node:os";
import { join, resolve } from "node:path";

export interface LecternPaths {
  /** Mode 0700; everything that lasts. */
  readonly dataDirectory: string;
  /** Mode 0700; sockets and locks. */
  readonly runtimeDirectory: string;
  readonly daemonSocket: string;
  readonly tokenFile: string;
  readonly databaseFile: string;
  /** What was read off the journals: it may be removed, and is made again. */
  readonly viewsFile: string;
  /** One directory per session, named by its id. */
  readonly sessionsDirectory: string;
  /** The rows of the audit log, its head and its index. */
  readonly auditDirectory: string;
  readonly blobsDirectory: string;
  /** Where the gateway listens. */
  readonly gatewayFile: string;
  readonly logFile: string;
}

/**
 * `LECTERN_HOME` puts everything below one directory. Without it: `$XDG_DATA_HOME/lectern` (or `~/.local/share/lectern`)
 * and `$XDG_RUNTIME_DIR/lectern` (or `run` in the data directory).
 */
export function lecternPaths(environment: Readonly<Record<string, string | undefined>>): LecternPaths {
  const home = environment["LECTERN_HOME"];
  const xdgData = environment["XDG_DATA_HOME"];
  const xdgRuntime = environment["XDG_RUNTIME_DIR"];
  const dataDirectory = home
    ? resolve(home)
    : join(xdgData || join(environment["HOME"] || homedir(), ".local", "share"), "lectern");
  const runtimeDirectory = home || !xdgRuntime ? join(dataDirectory, "run") : join(xdgRuntime, "lectern");
  return {
    dataDirectory,
    runtimeDirectory,
    daemonSocket: join(runtimeDirectory, "daemon.sock"),
    tokenFile: join(dataDirectory, "token"),
    databaseFile: join(dataDirectory, "lectern.db"),
    viewsFile: join(dataDirectory, "views.db"),
    sessionsDirectory: join(dataDirectory, "sessions"),
    auditDirectory: join(dataDirectory, "audit"),
    blobsDirectory: join(dataDirectory, "blobs"),
    gatewayFile: join(dataDirectory, "gateway.json"),
    logFile: join(dataDirectory, "daemon.log"),
  };
}
