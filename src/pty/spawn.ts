/** Picks the backend of a pty. */
import { LecternError } from "../core/errors.ts";
import { spawnFfiPty } from "./ffi-pty.ts";
import { loadLibc } from "./libc.ts";
import { loadNodePty, spawnNodePty } from "./node-pty.ts";
import type { Pty, PtyBackend, PtyOptions } from "./pty.ts";

export interface SpawnPtyOptions extends PtyOptions {
  /** The best one that works here, unless it is named. */
  readonly backend?: PtyBackend;
}

/** What a backend can do beyond the contract that both keep. */
export interface PtyCapabilities {
  /** `modes()` and `queues()` answer. */
  readonly kernelProbes: boolean;
  /** The modes of `exec` hold before the program's first instruction, so that input written at once is not echoed. */
  readonly execModeFromTheStart: boolean;
  /** The program holds descriptors 0, 1 and 2 only. Otherwise also what we inherited without close-on-exec, but never a terminal. */
  readonly cleanDescriptors: boolean;
  /** No child that this process starts by other means (`node:child_process`) inherits a terminal. */
  readonly mastersCloseOnExec: boolean;
  /** `execve` failures that no look at the file foretells are errors of `spawnPty`; otherwise the program ends with code 1. */
  readonly exactStartErrors: boolean;
  /** The program sees the command as it was written as its name; otherwise the path that was found. */
  readonly exactArgumentZero: boolean;
  /** No thread of ours waits for each program. */
  readonly threadless: boolean;
}

/** The one list of differences: the contract suite and `lectern doctor` read it. */
export const ptyCapabilities: Readonly<Record<PtyBackend, PtyCapabilities>> = {
  ffi: {
    kernelProbes: true,
    execModeFromTheStart: true,
    cleanDescriptors: true,
    mastersCloseOnExec: true,
    exactStartErrors: true,
    exactArgumentZero: true,
    threadless: true,
  },
  "node-pty": {
    kernelProbes: false,
    execModeFromTheStart: false,
    cleanDescriptors: false,
    mastersCloseOnExec: false,
    exactStartErrors: false,
    exactArgumentZero: false,
    threadless: false,
  },
};

/** One backend as `lectern doctor` shows it; `reason` says why it is not available. */
export interface BackendDescription {
  readonly backend: PtyBackend;
  readonly available: boolean;
  readonly reason: string | undefined;
  readonly capabilities: PtyCapabilities;
}

/** Best first: the first that is available is the one that `spawnPty` takes. */
export function describeBackends(): readonly BackendDescription[] {
  const reasons = { ffi: loadLibc().reason, "node-pty": loadNodePty().reason };
  return (["ffi", "node-pty"] as const).map((backend) => ({
    backend,
    available: reasons[backend] === undefined,
    reason: reasons[backend],
    capabilities: ptyCapabilities[backend],
  }));
}

/**
 * Starts a program on a new pty. Throws before anything exists where it cannot: `COMMAND_NOT_FOUND`, `COMMAND_NOT_EXECUTABLE`,
 * `WORKING_DIRECTORY_NOT_FOUND`, `INVALID_INPUT`, `TOO_LARGE`, `LIMIT_EXCEEDED` (no descriptor or terminal left), `PTY_FAILED`, and
 * `NOT_AVAILABLE` where the backend does not work here.
 *
 * @example
 * ```ts
 * const pty = spawnPty({
 *   command: ["bash", "-c", "echo hello"],
 *   workingDirectory: "/",
 *   environment: cleanEnvironment(process.env),
 *   columns: 80,
 *   rows: 24,
 *   onOutput: (chunk) => process.stdout.write(chunk.slice()),
 *   onExit: (status) => console.log(status),
 * });
 * ```
 */
export function spawnPty(options: SpawnPtyOptions): Pty {
  if (options.backend !== "node-pty") {
    const { libc, reason } = loadLibc();
    if (libc !== undefined) return spawnFfiPty(libc, options);
    if (options.backend === "ffi") throw notAvailable(`"ffi" ${reason}`);
  }
  const { nodePty, reason } = loadNodePty();
  if (nodePty !== undefined) return spawnNodePty(nodePty, options);
  throw notAvailable(
    options.backend === "node-pty" ? `"node-pty" ${reason}` : `"ffi" ${loadLibc().reason}; "node-pty" ${reason}`,
  );
}

function notAvailable(reasons: string): LecternError {
  return new LecternError("NOT_AVAILABLE", `Cannot start a program in a terminal: ${reasons}`);
}
