/** Where Lectern keeps its files. The environment is an argument: only the CLI reads the real one. */
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { temporaryDirectory } from "../host/private-directory.ts";
import { platform } from "../pty/platform.ts";

/** The files and directories of one data directory. */
export interface LecternPaths {
  /** Mode 0700; all persistent files. */
  readonly dataDirectory: string;
  /** Mode 0700; sockets. */
  readonly runtimeDirectory: string;
  readonly daemonSocket: string;
  /** The process that holds the data directory. */
  readonly daemonFile: string;
  /** Exists while no daemon runs because a person stopped it. */
  readonly endedFile: string;
  /** Why a daemon that was killed could not be started again. */
  readonly restartsFile: string;
  /** What the last `lectern up` was given. */
  readonly upFile: string;
  readonly lockFile: string;
  readonly tokenFile: string;
  /** The token with which this machine has joined a cluster. */
  readonly clusterFile: string;
  readonly databaseFile: string;
  /** What was read from the journals; it may be removed, and is rebuilt. */
  readonly viewsFile: string;
  /** One directory per session, named by its id. */
  readonly sessionsDirectory: string;
  /** The rows of the audit log, its head and its index. */
  readonly auditDirectory: string;
  readonly blobsDirectory: string;
  /** The user's configuration; it may not exist. */
  readonly configFile: string;
  readonly agentsDirectory: string;
  readonly gatewayFile: string;
  readonly logFile: string;
  /** The machines that are reached over SSH. */
  readonly hostsFile: string;
  /** What was reported outside of this machine, and what still is to be. Created with the first notice. */
  readonly notifyFile: string;
  /** Mode 0700; the sockets of connections to other machines. Created with the first one. */
  readonly machinesDirectory: string;
}

const DAEMON_SOCKET = "daemon.sock";
/** As long as the longest name of a socket, `host-0123456789ab.sock`. */
const SOCKET_NAME_BYTES = 22;
const HASH_CHARS = 16;
/** As long as the longest name of a socket of a connection, `0123456789ab.ctl`, with the 17 bytes that ssh appends until it listens. */
const MACHINE_SOCKET_NAME_BYTES = 16 + 17;

/**
 * Returns the paths of the data directory: `LECTERN_HOME`, else `$XDG_DATA_HOME/lectern` (`~/.local/share/lectern`). Sockets are in `run`
 * in it, not in `$XDG_RUNTIME_DIR`, which systemd removes at the last logout while programs still run.
 */
export function lecternPaths(environment: Readonly<Record<string, string | undefined>>): LecternPaths {
  const home = environment["LECTERN_HOME"];
  const xdgData = environment["XDG_DATA_HOME"];
  const dataDirectory = home
    ? resolve(home)
    : join(xdgData || join(environment["HOME"] || homedir(), ".local", "share"), "lectern");
  const runtimeDirectory = socketDirectory(dataDirectory, "run", SOCKET_NAME_BYTES);
  return {
    dataDirectory,
    runtimeDirectory,
    daemonSocket: join(runtimeDirectory, DAEMON_SOCKET),
    daemonFile: join(dataDirectory, "daemon.json"),
    endedFile: join(runtimeDirectory, "ended"),
    upFile: join(dataDirectory, "up.json"),
    restartsFile: join(runtimeDirectory, "restarts.json"),
    lockFile: join(dataDirectory, "lectern.lock"),
    tokenFile: join(dataDirectory, "token"),
    clusterFile: join(dataDirectory, "cluster.json"),
    databaseFile: join(dataDirectory, "lectern.db"),
    viewsFile: join(dataDirectory, "views.db"),
    sessionsDirectory: join(dataDirectory, "sessions"),
    auditDirectory: join(dataDirectory, "audit"),
    blobsDirectory: join(dataDirectory, "blobs"),
    configFile: join(dataDirectory, "lectern.yaml"),
    agentsDirectory: join(dataDirectory, "agents"),
    gatewayFile: join(dataDirectory, "gateway.json"),
    logFile: join(dataDirectory, "daemon.log"),
    hostsFile: join(dataDirectory, "hosts.json"),
    notifyFile: join(dataDirectory, "notify.db"),
    machinesDirectory: socketDirectory(dataDirectory, "ssh", MACHINE_SOCKET_NAME_BYTES),
  };
}

/** What ssh expands, or takes for the end of a path, in its options. */
const READ_BY_SSH = /[\s"'\\:%$#[\]]/;

/**
 * `name` in the data directory; if the path of a socket would be too long, or ssh would read it as something else, a directory below `/tmp`
 * that is named after it.
 */
function socketDirectory(dataDirectory: string, name: "run" | "ssh", nameBytes: number): string {
  const directory = join(dataDirectory, name);
  const isShort = Buffer.byteLength(directory) + 1 + nameBytes <= platform.socketPathBytesMax;
  if (isShort && (name === "run" || !READ_BY_SSH.test(directory))) return directory;
  const { createHash } = process.getBuiltinModule("node:crypto");
  // The same directory by another path has the same sockets.
  const hash = createHash("sha256").update(withoutLinks(dataDirectory)).digest("hex");
  return join(temporaryDirectory(), hash.slice(0, HASH_CHARS) + (name === "run" ? "" : `-${name}`));
}

/** The real path, also of what does not exist yet. */
function withoutLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(withoutLinks(parent), basename(path));
  }
}
