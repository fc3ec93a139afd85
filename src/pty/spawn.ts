/** Selects the backend of a pty. */
import { LecternError } from "../core/errors.ts";
import { spawnFfiPty } from "./ffi-pty.ts";
import { loadLibc } from "./libc.ts";
import { loadNodePty, spawnNodePty } from "./node-pty.ts";
import { requireNode } from "./needs-node.ts";
import type { Pty, PtyBackend, PtyOptions } from "./pty.ts";

export interface SpawnPtyOptions extends PtyOptions {
  /** Default: the first available of `describeBackends`. */
  readonly backend?: PtyBackend;
}

/** A backend as `lectern doctor` shows it; `reason` is why it is not available. */
export interface BackendDescription {
  readonly backend: PtyBackend;
  readonly available: boolean;
  readonly reason: string | undefined;
}

/** Best first: `spawnPty` uses the first one that is available. */
export function describeBackends(): readonly BackendDescription[] {
  const reasons = { ffi: loadLibc().reason, "node-pty": loadNodePty().reason };
  return (["ffi", "node-pty"] as const).map((backend) => ({
    backend,
    available: reasons[backend] === undefined,
    reason: reasons[backend],
  }));
}

/**
 * Starts a program on a new pty. If it cannot start, throws and leaves nothing behind: `COMMAND_NOT_FOUND`, `COMMAND_NOT_EXECUTABLE`,
 * `WORKING_DIRECTORY_NOT_FOUND`, `INVALID_INPUT`, `TOO_LARGE`, `LIMIT_EXCEEDED` (no descriptor or terminal left), `PTY_FAILED`, and
 * `NOT_AVAILABLE` if the backend does not work on this system, or on Bun and Deno.
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
  requireNode("start a program in a terminal");
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

const notAvailable = (reasons: string): LecternError =>
  new LecternError("NOT_AVAILABLE", `Cannot start a program in a terminal: ${reasons}`);
