/**
 * The backend that uses the C library. The life of a pty:
 *
 * 1. `posix_openpt` returns the master, our side. It is close-on-exec, so no program holds another session's terminal, and
 *    non-blocking, so no program can stop our event loop by not reading.
 * 2. `TIOCGPTPEER` returns a descriptor of the slave, the program's side. We set the modes on it and keep it (see `unix-pty.ts`).
 * 3. `posix_spawn` creates a child that calls `setsid`, so it leads its own session without a terminal. Then it opens the
 *    slave by its path, which makes it the controlling terminal: Ctrl-C reaches its foreground group, and only that. Descriptors
 *    above 2 are closed, signals are at their defaults. All of this happens before the program starts, and errors are returned to us.
 * 4. SIGCHLD reports that some child changed. We wait for each of our programs by its pid with WNOHANG, so no other child
 *    is reaped. One listener serves all sessions: there is no thread per session.
 */
import { constants } from "node:os";
import { getSystemErrorName } from "node:util";
import { LecternError, type ErrorCode } from "../core/errors.ts";
import { waits } from "../core/waits.ts";
import { resolveCommand, shellScriptCommand, type ResolvedCommand } from "./command.ts";
import { termiosFlags, type Libc, type ReapResult } from "./libc.ts";
import type { ExitStatus } from "../protocol/records.ts";
import type { Pty, PtyOptions, QueueLengths, TerminalModes } from "./pty.ts";
import { checkSize, exitStatus, HANG_UP, NOTHING_NOW, readBuffer, UnixPty, type PtyDriver } from "./unix-pty.ts";

const { EAGAIN, EINTR, ENOEXEC } = constants.errno;

/** Starts a program on a new pty. Throws if it cannot start; then nothing is left behind. */
export function spawnFfiPty(libc: Libc, options: PtyOptions): Pty {
  checkSize(options);
  const command = resolveCommand(options);
  const master = libc.openMaster();
  let slave = -1;
  let pid = 0;
  try {
    slave = libc.openSlave(master);
    libc.setWindowSize(master, options.columns, options.rows);
    setModes(libc, slave, options.mode ?? "interactive");
    startReaper(libc);
    const terminalPath = libc.slavePath(master);
    pid = start(libc, command, { terminalPath, environment: options.environment });
    const pty = new UnixPty(new FfiDriver(libc, { pid, master, slave, terminalPath }), options);
    running.set(pid, (result) => pty.ended(statusOf(result)));
    return pty;
  } catch (error) {
    if (pid > 0) {
      process.kill(pid, "SIGKILL");
      running.set(pid, () => {});
    } else if (running.size === 0) stopReaper();
    if (slave !== -1) libc.close(slave);
    libc.close(master);
    throw error;
  }
}

/** IUTF8 makes erase remove whole characters; `exec` turns output processing and echo off. */
function setModes(libc: Libc, slave: number, mode: "interactive" | "exec"): void {
  libc.changeTerminalFlags(slave, (flags) => ({
    input: flags.input | termiosFlags.IUTF8,
    output: mode === "exec" ? flags.output & ~termiosFlags.OPOST : flags.output,
    local: mode === "exec" ? flags.local & ~termiosFlags.ECHO : flags.local,
  }));
}

function start(
  libc: Libc,
  command: ResolvedCommand,
  where: { readonly terminalPath: string; readonly environment: PtyOptions["environment"] },
): number {
  const environment = Object.entries(where.environment).map(([name, value]) => `${name}=${value}`);
  const request = { ...command, environment, terminalPath: where.terminalPath };
  let pid = libc.spawn(request);
  if (pid === -ENOEXEC) pid = libc.spawn({ ...request, ...shellScriptCommand(command) });
  if (pid > 0) return pid;
  const errno = getSystemErrorName(pid);
  const { code, reason } = startFailures[errno] ?? { code: "PTY_FAILED", reason: errno };
  throw new LecternError(code, `Cannot start "${command.file}": ${reason}`, {
    details: { file: command.file, errno },
  });
}

/** Errors that `resolveCommand` cannot predict. */
const startFailures: Readonly<Record<string, { readonly code: ErrorCode; readonly reason: string }>> = {
  E2BIG: { code: "TOO_LARGE", reason: "its arguments and environment are too large; shorten them" },
  EACCES: {
    code: "COMMAND_NOT_EXECUTABLE",
    reason: "the system forbids it; check the permissions and mount options",
  },
  EAGAIN: { code: "LIMIT_EXCEEDED", reason: 'too many processes; end some or raise "ulimit -u"' },
};

class FfiDriver implements PtyDriver {
  readonly backend = "ffi";
  readonly readsAhead = true;
  readonly pid: number;
  readonly master: number;
  readonly terminalPath: string;
  readonly #libc: Libc;
  readonly #slave: number;

  constructor(
    libc: Libc,
    parts: { readonly pid: number; readonly master: number; readonly slave: number; readonly terminalPath: string },
  ) {
    this.#libc = libc;
    this.pid = parts.pid;
    this.master = parts.master;
    this.terminalPath = parts.terminalPath;
    this.#slave = parts.slave;
  }

  read(offset: number): number {
    bufferAddress ??= this.#libc.addressOf(readBuffer);
    const length = this.#libc.read(this.master, bufferAddress + BigInt(offset), readBuffer.length - offset);
    if (length > 0) return length;
    // EIO: no slave is open and everything is read. Other systems return 0 instead.
    return length === -EAGAIN || length === -EINTR ? NOTHING_NOW : HANG_UP;
  }

  write(data: Uint8Array): number | undefined {
    const length = this.#libc.write(this.master, data);
    if (length >= 0) return length;
    return length === -EAGAIN || length === -EINTR ? 0 : undefined;
  }

  resize(columns: number, rows: number): void {
    this.#libc.setWindowSize(this.master, columns, rows);
  }

  closeSlave(): void {
    this.#libc.close(this.#slave);
  }

  modes(): TerminalModes {
    const flags = this.#libc.terminalFlags(this.#slave);
    const canonical = (flags.local & termiosFlags.ICANON) !== 0;
    return {
      canonical,
      editsLine: !canonical && !flags.hasLineNext,
      echo: (flags.local & termiosFlags.ECHO) !== 0,
      signals: (flags.local & termiosFlags.ISIG) !== 0,
      outputProcessing: (flags.output & termiosFlags.OPOST) !== 0,
    };
  }

  queues(): QueueLengths {
    return { input: this.#libc.readableBytes(this.#slave), output: this.#libc.readableBytes(this.master) };
  }

  foregroundGroup(): number | undefined {
    return this.#libc.foregroundGroup(this.master);
  }
}

let bufferAddress: bigint | undefined;

type Ended = Exclude<ReapResult, { readonly state: "running" }>;

/** `wait(2)`: the low 7 bits are the signal, bit 7 reports a core file, the second byte is the exit code. */
function statusOf(result: Ended): ExitStatus {
  if (result.state === "gone") return { reason: "lost", code: null, signal: null };
  return exitStatus((result.raw >> 8) & 0xff, result.raw & 0x7f);
}

const running = new Map<number, (result: Ended) => void>();
let reaper: { readonly timer: NodeJS.Timeout; readonly listener: () => void } | undefined;

/** Called before the first spawn: a process that inherited an ignored SIGCHLD would not get the exit status of its children. */
function startReaper(libc: Libc): void {
  if (reaper !== undefined) return;
  const listener = (): void => reapEnded(libc);
  process.on("SIGCHLD", listener);
  // Worker threads get no signals, and other code may remove the listener.
  reaper = { timer: setInterval(listener, waits.checkMs).unref(), listener };
}

function reapEnded(libc: Libc): void {
  for (const [pid, ended] of running) {
    const result = libc.reap(pid);
    if (result.state === "running") continue;
    running.delete(pid);
    ended(result);
  }
  if (running.size === 0) stopReaper();
}

function stopReaper(): void {
  if (reaper === undefined) return;
  clearInterval(reaper.timer);
  process.off("SIGCHLD", reaper.listener);
  reaper = undefined;
}
