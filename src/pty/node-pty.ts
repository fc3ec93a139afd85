/**
 * The fallback: `@lydell/node-pty`, if FFI is off or the system is not Linux with glibc. Only its native part is used, which
 * opens a pty, forks and waits. Its JavaScript part destroys the terminal 200 ms after the program ended, read or not, and spins
 * on a program that does not read its input. `UnixPty` replaces it, so both backends obey the same laws.
 *
 * The version is pinned exactly, because the native part is not its public interface (see docs/decisions/pty.md).
 */
import { closeSync, constants as fileConstants, openSync, readSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { LecternError } from "../core/errors.ts";
import { resolveCommand, type ResolvedCommand } from "./command.ts";
import { readStat } from "./proc-files.ts";
import type { Pty, PtyOptions } from "./pty.ts";
import { checkSize, exitStatus, HANG_UP, NOTHING_NOW, readBuffer, UnixPty, type PtyDriver } from "./unix-pty.ts";

/** The native part on Linux and macOS. */
interface Native {
  /** Positional, in this order; `notify` is called from the event loop with exit code and signal number. */
  fork(
    ...parts: [
      file: string,
      parameters: readonly string[],
      environment: readonly string[],
      workingDirectory: string,
      columns: number,
      rows: number,
      userId: number,
      groupId: number,
      utf8: boolean,
      helperPath: string,
      notify: (code: number, signal: number) => void,
    ]
  ): { readonly fd: number; readonly pid: number; readonly pty: string };
  resize(...parts: readonly [descriptor: number, columns: number, rows: number, width: number, height: number]): void;
}

export interface NodePty {
  readonly native: Native;
  /** Used only on macOS. */
  readonly helperPath: string;
}

export type NodePtyStatus =
  | { readonly nodePty: NodePty; readonly reason: undefined }
  | { readonly nodePty: undefined; readonly reason: string };

let loaded: NodePtyStatus | undefined;

/** Loads the package once, at the first call. Never throws. */
export function loadNodePty(): NodePtyStatus {
  loaded ??= load();
  return loaded;
}

function load(): NodePtyStatus {
  if (process.platform === "win32") return { nodePty: undefined, reason: "needs Linux or macOS (on Windows use WSL)" };
  try {
    const require = createRequire(import.meta.url);
    const { native } = require("@lydell/node-pty") as { readonly native: Native };
    const platform = `${process.platform}-${process.arch}`;
    const inside = createRequire(require.resolve("@lydell/node-pty"));
    const library = dirname(inside.resolve(`@lydell/node-pty-${platform}`));
    const helperPath = join(library, "..", "prebuilds", platform, "spawn-helper");
    return { nodePty: { native, helperPath }, reason: undefined };
  } catch (error) {
    return { nodePty: undefined, reason: (error as Error).message.split("\n", 1)[0] ?? "not loadable" };
  }
}

/** Starts a program on a new pty. What can be known before the fork throws; what goes wrong after it ends with code 1. */
export function spawnNodePty({ native, helperPath }: NodePty, options: PtyOptions): Pty {
  checkSize(options);
  const resolved = resolveCommand(options);
  const command = options.mode === "exec" ? withExecModes(resolved) : resolved;
  const environment = Object.entries(options.environment).map(([name, value]) => `${name}=${value}`);
  // Set before the callback, which is called from the event loop.
  let pty: UnixPty | undefined;
  const parts: Parameters<Native["fork"]> = [
    command.file,
    command.arguments.slice(1),
    environment,
    command.workingDirectory,
    options.columns,
    options.rows,
    -1,
    -1,
    true,
    helperPath,
    (code, signal) => pty?.ended(exitStatus(code, signal)),
  ];
  const forked = fork(native, parts);
  try {
    pty = new UnixPty(new NodePtyDriver(native, { pid: forked.pid, master: forked.fd, path: forked.pty }), options);
    return pty;
  } catch (error) {
    process.kill(forked.pid, "SIGKILL");
    closeSync(forked.fd);
    throw error;
  }
}

function fork(native: Native, parts: Parameters<Native["fork"]>): ReturnType<Native["fork"]> {
  try {
    return native.fork(...parts);
  } catch (error) {
    throw new LecternError("PTY_FAILED", `Cannot start "${parts[0]}": ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Without FFI, only a program on the terminal can set its modes, so `stty` does, and the shell then executes the program. */
function withExecModes(command: ResolvedCommand): ResolvedCommand {
  const script = 'PATH=/bin:/usr/bin stty -opost -echo; exec "$0" "$@"';
  return {
    ...command,
    file: "/bin/sh",
    arguments: ["sh", "-c", script, command.file, ...command.arguments.slice(1)],
  };
}

class NodePtyDriver implements PtyDriver {
  readonly backend = "node-pty";
  /** A read without data throws here, which costs more than a small chunk. */
  readonly readsAhead = false;
  /** Known, but of no use without modes and queues. */
  readonly terminalPath = undefined;
  readonly pid: number;
  readonly master: number;
  readonly #native: Native;
  readonly #slave: number;

  constructor(native: Native, parts: { readonly pid: number; readonly master: number; readonly path: string }) {
    this.#native = native;
    this.pid = parts.pid;
    this.master = parts.master;
    // The native part does not keep one, and without it the hang-up could come before the last bytes are read.
    this.#slave = openSync(parts.path, fileConstants.O_RDWR | fileConstants.O_NOCTTY);
  }

  read(offset: number): number {
    try {
      const length = readSync(this.master, readBuffer, offset, readBuffer.length - offset, null);
      return length > 0 ? length : HANG_UP;
    } catch (error) {
      return isAgain(error) ? NOTHING_NOW : HANG_UP;
    }
  }

  write(data: Uint8Array): number | undefined {
    try {
      return writeSync(this.master, data);
    } catch (error) {
      return isAgain(error) ? 0 : undefined;
    }
  }

  resize(columns: number, rows: number): void {
    this.#native.resize(this.master, columns, rows, 0, 0);
  }

  closeSlave(): void {
    closeSync(this.#slave);
  }

  modes(): undefined {
    return undefined;
  }

  queues(): undefined {
    return undefined;
  }

  /** From the leader's stat, on Linux; undefined if it is already reaped. */
  foregroundGroup(): number | undefined {
    const group = readStat(this.pid)?.foregroundGroup ?? 0;
    return group > 0 ? group : undefined;
  }
}

function isAgain(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "EAGAIN" || code === "EINTR";
}
