/**
 * The C library through `node:ffi`. All native signatures of the project are in this file, because a wrong
 * one crashes the process instead of throwing.
 *
 * Works on Linux with glibc >= 2.34 on x64 and arm64, Node >= 26.1 with FFI on. Both machines share these layouts and
 * numbers (`bits/types/struct_sched_param.h`, `asm-generic/ioctls.h`, `asm-generic/termbits.h`); others do not, so they are refused.
 *
 * Calls that may fail return the value or `-errno`, like a Linux system call. `errno` is read directly after the call, on the
 * same thread, before anything else can run.
 */
import type * as ffiModule from "node:ffi";
import { constants } from "node:os";
import { getSystemErrorName } from "node:util";
import { LecternError } from "../core/errors.ts";
import { platform } from "./platform.ts";

type Ffi = typeof ffiModule;

const signatures = {
  __errno_location: { arguments: [], return: "pointer" },
  posix_openpt: { arguments: ["int32"], return: "int32" },
  grantpt: { arguments: ["int32"], return: "int32" },
  unlockpt: { arguments: ["int32"], return: "int32" },
  ptsname_r: { arguments: ["int32", "pointer", "uint64"], return: "int32" },
  tcgetattr: { arguments: ["int32", "pointer"], return: "int32" },
  tcsetattr: { arguments: ["int32", "int32", "pointer"], return: "int32" },
  // Variadic in C; both machines pass integers and pointers to variadic functions like to others.
  ioctl: { arguments: ["int32", "uint64", "pointer"], return: "int32" },
  fcntl: { arguments: ["int32", "int32", "pointer"], return: "int32" },
  poll: { arguments: ["pointer", "uint64", "int32"], return: "int32" },
  read: { arguments: ["int32", "pointer", "uint64"], return: "int64" },
  write: { arguments: ["int32", "pointer", "uint64"], return: "int64" },
  close: { arguments: ["int32"], return: "int32" },
  getxattr: { arguments: ["pointer", "pointer", "pointer", "uint64"], return: "int64" },
  getsockopt: { arguments: ["int32", "int32", "int32", "pointer", "pointer"], return: "int32" },
  waitpid: { arguments: ["int32", "pointer", "int32"], return: "int32" },
  posix_spawn: { arguments: ["pointer", "pointer", "pointer", "pointer", "pointer", "pointer"], return: "int32" },
  posix_spawnattr_init: { arguments: ["pointer"], return: "int32" },
  posix_spawnattr_destroy: { arguments: ["pointer"], return: "int32" },
  posix_spawnattr_setflags: { arguments: ["pointer", "int16"], return: "int32" },
  posix_spawnattr_setsigdefault: { arguments: ["pointer", "pointer"], return: "int32" },
  posix_spawnattr_setsigmask: { arguments: ["pointer", "pointer"], return: "int32" },
  posix_spawn_file_actions_init: { arguments: ["pointer"], return: "int32" },
  posix_spawn_file_actions_destroy: { arguments: ["pointer"], return: "int32" },
  posix_spawn_file_actions_addopen: { arguments: ["pointer", "int32", "pointer", "int32", "uint32"], return: "int32" },
  posix_spawn_file_actions_adddup2: { arguments: ["pointer", "int32", "int32"], return: "int32" },
  posix_spawn_file_actions_addchdir_np: { arguments: ["pointer", "pointer"], return: "int32" },
  posix_spawn_file_actions_addclosefrom_np: { arguments: ["pointer", "int32"], return: "int32" },
  malloc_trim: { arguments: ["uint64"], return: "int32" },
} as const;

type Functions = ReturnType<typeof ffiModule.dlopen<typeof signatures>>["functions"];

const O_RDWR = 0o2;
const O_NOCTTY = 0o400;
const O_NONBLOCK = 0o4000;
const O_CLOEXEC = 0o2000000;
const TIOCGPGRP = 0x540f;
const TIOCSWINSZ = 0x5414;
/** The same number as TIOCINQ: bytes that a read would find. */
const FIONREAD = 0x541b;
const TIOCGPTPEER = 0x5441;
/** `struct flock` has 32 bytes. The lock belongs to the open file description, not to the process (`fcntl(2)`). */
const F_OFD_SETLK = 37;
const F_WRLCK = 1;
const flockOffsets = { type: 0, start: 8, length: 16 } as const;
const flockBytes = 32;
const TCSANOW = 0;
const WNOHANG = 1;
const POLLIN = 1;
const POLLERR = 8;
const POLLHUP = 16;
const SOL_SOCKET = 1;
const SO_PEERCRED = 17;
/** Linux 6.5 (`asm-generic/socket.h`): a descriptor of the process that connected, whatever has become of its pid. */
const SO_PEERPIDFD = 77;
const POSIX_SPAWN_SETSIGDEF = 0x04;
const POSIX_SPAWN_SETSIGMASK = 0x08;
const POSIX_SPAWN_SETSID = 0x80;

/** `struct termios` has 60 bytes, with the flag words at these offsets. */
const termiosBytes = 60;
const termiosOffsets = { input: 0, output: 4, local: 12 } as const;
/** `c_cc[VLNEXT]`, the key that takes the next character as it is; 0 if the terminal has none. */
const lineNextOffset = 17 + 15;
/** Sizes in bytes: `posix_spawnattr_t` (336) and `posix_spawn_file_actions_t` (80), both rounded up, and `sigset_t`. */
const attributesBytes = 512;
const fileActionsBytes = 256;
const signalSetBytes = 128;

/** Bits of the flag words of a terminal (`asm-generic/termbits-common.h`, `termbits.h`). */
export const termiosFlags = {
  IUTF8: 0o40000,
  OPOST: 0o1,
  ISIG: 0o1,
  ICANON: 0o2,
  ECHO: 0o10,
} as const;

/** The three flag words of a terminal that Lectern reads and sets. */
export interface TerminalFlags {
  readonly input: number;
  readonly output: number;
  readonly local: number;
}

/** A program for `Libc.spawn`: all paths are resolved, and the terminal is open. */
export interface LibcSpawnRequest {
  readonly file: string;
  readonly arguments: readonly string[];
  readonly environment: readonly string[];
  readonly workingDirectory: string;
  /** `/dev/pts/N`: becomes file descriptors 0, 1, 2 and the controlling terminal. */
  readonly terminalPath: string;
}

/** `raw` is the status word of `wait(2)`: the low 7 bits are the signal, the second byte is the exit code. */
export type ReapResult =
  | { readonly state: "running" }
  /** Reaped by other code, so its exit status is lost. */
  | { readonly state: "gone" }
  | { readonly state: "ended"; readonly raw: number };

/** The calls that a pty needs, each a thin typed wrapper around one C function. */
export class Libc {
  readonly #ffi: Ffi;
  readonly #functions: Functions;
  readonly #errno: bigint;
  readonly #scratch = Buffer.allocUnsafeSlow(128);

  constructor(ffi: Ffi, functions: Functions) {
    this.#ffi = ffi;
    this.#functions = functions;
    this.#errno = functions.__errno_location();
  }

  /** A new unlocked master, close-on-exec and non-blocking. */
  openMaster(): number {
    const master = this.#check(
      this.#functions.posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC),
      "open a terminal",
    );
    try {
      this.#check(this.#functions.grantpt(master), "own a terminal");
      this.#check(this.#functions.unlockpt(master), "unlock a terminal");
    } catch (error) {
      this.close(master);
      throw error;
    }
    return master;
  }

  /** Returns free memory of the allocator to the system (`malloc_trim(3)`). */
  trimMemory(): void {
    this.#functions.malloc_trim(0n);
  }

  /** The slave of a master, without a path lookup that another process could race (`ioctl_tty(2)`, TIOCGPTPEER). */
  openSlave(master: number): number {
    const flags = BigInt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    return this.#check(
      this.#functions.ioctl(master, BigInt(TIOCGPTPEER), flags),
      "open the program's end of a terminal",
    );
  }

  slavePath(master: number): string {
    // ptsname_r returns the error number; some versions do not set errno.
    const error = this.#functions.ptsname_r(master, this.#scratch, BigInt(this.#scratch.length));
    if (error !== 0) throw failure("name a terminal", error);
    return this.#scratch.toString("latin1", 0, this.#scratch.indexOf(0));
  }

  terminalFlags(descriptor: number): TerminalFlags & { readonly hasLineNext: boolean } {
    const flags = this.#readFlags(descriptor, this.#scratch);
    return { ...flags, hasLineNext: this.#scratch[lineNextOffset] !== 0 };
  }

  changeTerminalFlags(descriptor: number, change: (flags: TerminalFlags) => TerminalFlags): void {
    const termios = Buffer.alloc(termiosBytes);
    const flags = change(this.#readFlags(descriptor, termios));
    for (const word of ["input", "output", "local"] as const)
      termios.writeUInt32LE(flags[word] >>> 0, termiosOffsets[word]);
    this.#check(this.#functions.tcsetattr(descriptor, TCSANOW, termios), "set the modes of a terminal");
  }

  #readFlags(descriptor: number, termios: Buffer): TerminalFlags {
    this.#check(this.#functions.tcgetattr(descriptor, termios), "read the modes of a terminal");
    const word = (name: keyof TerminalFlags): number => termios.readUInt32LE(termiosOffsets[name]);
    return { input: word("input"), output: word("output"), local: word("local") };
  }

  /** The kernel sends SIGWINCH to the foreground group if the size differs. */
  setWindowSize(descriptor: number, columns: number, rows: number): void {
    const size = new Uint16Array([rows, columns, 0, 0]);
    this.#check(this.#functions.ioctl(descriptor, BigInt(TIOCSWINSZ), size), "resize a terminal");
  }

  /** Undefined if the terminal no longer has a session. */
  foregroundGroup(master: number): number | undefined {
    const failed = this.#functions.ioctl(master, BigInt(TIOCGPGRP), this.#scratch) < 0;
    const group = this.#scratch.readInt32LE(0);
    return failed || group <= 0 ? undefined : group;
  }

  /**
   * Bytes that a read of this side would return. The kernel passes bytes from one side to the other in a work queue. The poll
   * waits for it, so 0 really means that there are none.
   */
  readableBytes(descriptor: number): number {
    const request = new Int32Array([descriptor, POLLIN]);
    this.#functions.poll(request, 1n, 0);
    this.#check(this.#functions.ioctl(descriptor, BigInt(FIONREAD), this.#scratch), "count the bytes of a terminal");
    return this.#scratch.readInt32LE(0);
  }

  /** Whether the other side of a pipe, socket or terminal is closed; false for a file. */
  hasHungUp(descriptor: number): boolean {
    const request = new Int32Array([descriptor, 0]);
    const found = this.#functions.poll(request, 1n, 0);
    // `struct pollfd`: descriptor, 16 bits of requested events, 16 bits of returned events.
    return found > 0 && (((request[1] ?? 0) >>> 16) & (POLLERR | POLLHUP)) !== 0;
  }

  /** Locks bytes of an open file for writing until its last descriptor is closed. False if some of them are already locked. */
  lockBytes(descriptor: number, { start, length }: { readonly start: number; readonly length: number }): boolean {
    const flock = Buffer.alloc(flockBytes);
    flock.writeInt16LE(F_WRLCK, flockOffsets.type);
    flock.writeBigInt64LE(BigInt(start), flockOffsets.start);
    flock.writeBigInt64LE(BigInt(length), flockOffsets.length);
    if (this.#functions.fcntl(descriptor, F_OFD_SETLK, flock) === 0) return true;
    const error = this.#errorNumber();
    if (error === constants.errno.EAGAIN || error === constants.errno.EACCES) return false;
    throw failure("lock a file", error);
  }

  /** An extended attribute of a file as text, at most 127 bytes; undefined if it does not exist or cannot be read. */
  extendedAttribute(path: string, name: string): string | undefined {
    const length = this.#functions.getxattr(cString(path), cString(name), this.#scratch, BigInt(this.#scratch.length));
    return length < 0n ? undefined : this.#scratch.toString("latin1", 0, Number(length)).replace(/\0.*$/s, "");
  }

  /** The process that connected to a unix socket, as recorded by the kernel (`unix(7)`); undefined if it is unknown. */
  peerOf(socket: number): { readonly pid: number; readonly uid: number } | undefined {
    const length = new Uint32Array([12]);
    if (this.#functions.getsockopt(socket, SOL_SOCKET, SO_PEERCRED, this.#scratch, length) < 0) return undefined;
    const pid = this.#scratch.readInt32LE(0);
    return pid > 0 ? { pid, uid: this.#scratch.readUInt32LE(4) } : undefined;
  }

  /**
   * A descriptor of the process that connected to a unix socket, by which `hasEnded` tells whether its pid is still its own; to be closed.
   * `gone`: it has ended, or no descriptor is left. Undefined on a kernel before 6.5.
   */
  peerDescriptor(socket: number): number | "gone" | undefined {
    const length = new Uint32Array([4]);
    if (this.#functions.getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, this.#scratch, length) >= 0)
      return this.#scratch.readInt32LE(0);
    const error = this.#errorNumber();
    return error === constants.errno.ENOPROTOOPT || error === constants.errno.EOPNOTSUPP ? undefined : "gone";
  }

  /** Whether the process of this descriptor has ended (`pidfd_open(2)`: it is readable then). */
  hasEnded(process: number): boolean {
    const request = new Int32Array([process, POLLIN]);
    return this.#functions.poll(request, 1n, 0) !== 0;
  }

  /** The address for `read`, valid while the buffer is referenced, because its memory does not move. */
  addressOf(buffer: Uint8Array): bigint {
    return this.#ffi.getRawPointer(buffer);
  }

  /** Takes a bare address, because a view of the shared read buffer for each read would be garbage. */
  read(descriptor: number, address: bigint, bytesMax: number): number {
    return this.#sized(this.#functions.read(descriptor, address, BigInt(bytesMax)));
  }

  write(descriptor: number, data: Uint8Array): number {
    return this.#sized(this.#functions.write(descriptor, data, BigInt(data.length)));
  }

  /** For descriptors opened here: in a worker, Node counts its own descriptors and would warn about others. */
  close(descriptor: number): void {
    this.#functions.close(descriptor);
  }

  /** Waits for this child only, so that children of other code are not reaped. */
  reap(pid: number): ReapResult {
    const result = this.#functions.waitpid(pid, this.#scratch, WNOHANG);
    if (result === 0) return { state: "running" };
    if (result > 0) return { state: "ended", raw: this.#scratch.readInt32LE(0) };
    return this.#errorNumber() === constants.errno.EINTR ? { state: "running" } : { state: "gone" };
  }

  /**
   * Starts a program as the leader of its own session, with the terminal as descriptors 0 to 2 and as controlling terminal, no other
   * open descriptors, all signals at their default and none blocked. Returns the pid, or `-errno` if the program did not start.
   */
  spawn(request: LibcSpawnRequest): number {
    const fn = this.#functions;
    const attributes = Buffer.alloc(attributesBytes);
    const actions = Buffer.alloc(fileActionsBytes);
    const pid = Buffer.alloc(4);
    fn.posix_spawnattr_init(attributes);
    fn.posix_spawn_file_actions_init(actions);
    try {
      fn.posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
      fn.posix_spawnattr_setsigdefault(attributes, Buffer.alloc(signalSetBytes, 0xff));
      fn.posix_spawnattr_setsigmask(attributes, Buffer.alloc(signalSetBytes));
      // The first terminal that a session leader opens becomes its controlling terminal: TIOCSCTTY is not needed.
      fn.posix_spawn_file_actions_addopen(actions, 0, cString(request.terminalPath), O_RDWR, 0);
      fn.posix_spawn_file_actions_adddup2(actions, 0, 1);
      fn.posix_spawn_file_actions_adddup2(actions, 0, 2);
      fn.posix_spawn_file_actions_addchdir_np(actions, cString(request.workingDirectory));
      fn.posix_spawn_file_actions_addclosefrom_np(actions, 3);
      const argv = this.#stringTable(request.arguments);
      const envp = this.#stringTable(request.environment);
      const error = fn.posix_spawn(pid, cString(request.file), actions, attributes, argv, envp);
      return error === 0 ? pid.readInt32LE(0) : -error;
    } finally {
      fn.posix_spawn_file_actions_destroy(actions);
      fn.posix_spawnattr_destroy(attributes);
    }
  }

  /** `char *[]` followed by its strings in one buffer, so that the table keeps the strings alive. */
  #stringTable(strings: readonly string[]): Buffer {
    const tableBytes = (strings.length + 1) * 8;
    const encoded = strings.map(cString);
    const table = Buffer.alloc(encoded.reduce((total, string) => total + string.length, tableBytes));
    const base = this.addressOf(table);
    let offset = tableBytes;
    for (const [index, string] of encoded.entries()) {
      table.writeBigUInt64LE(base + BigInt(offset), index * 8);
      offset += string.copy(table, offset);
    }
    return table;
  }

  #errorNumber(): number {
    return this.#ffi.getInt32(this.#errno);
  }

  #sized(result: bigint): number {
    return result >= 0n ? Number(result) : -this.#errorNumber();
  }

  #check(result: number, action: string): number {
    if (result >= 0) return result;
    throw failure(action, this.#errorNumber());
  }
}

const cString = (text: string): Buffer => Buffer.from(`${text}\0`);

/** Resource limits get their own code, because a person can raise them. */
function failure(action: string, errorNumber: number): LecternError {
  const name = getSystemErrorName(-errorNumber);
  const nextStep: Record<string, string> = {
    EMFILE: 'this process has too many open files: end sessions or raise "ulimit -n"',
    ENFILE: "the machine has too many open files: end other programs",
    ENOSPC: 'the machine has no terminal left: end sessions or raise "sysctl kernel.pty.max"',
  };
  const reason = nextStep[name];
  const code = reason === undefined ? "PTY_FAILED" : "LIMIT_EXCEEDED";
  return new LecternError(code, `Cannot ${action}: ${reason ?? name}`, { details: { errno: name } });
}

/** The library, or why it is not available, as `lectern doctor` prints it. */
export type LibcStatus =
  | { readonly libc: Libc; readonly reason: undefined }
  | { readonly libc: undefined; readonly reason: string };

let loaded: LibcStatus | undefined;

/**
 * Loads the C library once, at the first call. Never throws.
 *
 * @example
 * ```ts
 * const { libc, reason } = loadLibc();
 * console.log(libc ? "own backend" : `fallback: ${reason}`);
 * ```
 */
export function loadLibc(): LibcStatus {
  loaded ??= load();
  return loaded;
}

function load(): LibcStatus {
  if (platform.withoutFfi !== undefined) return unavailable(platform.withoutFfi);
  if (process.arch !== "x64" && process.arch !== "arm64")
    return unavailable(`needs x64 or arm64, this is ${process.arch}`);
  try {
    const ffi = withoutFfiWarning(() => process.getBuiltinModule("node:ffi"));
    // Contrary to its type, undefined in Node 24 and with --no-experimental-ffi.
    if ((ffi as Ffi | undefined) === undefined) return unavailable("needs Node >= 26.1 without --no-experimental-ffi");
    return { libc: new Libc(ffi, ffi.dlopen(null, signatures).functions), reason: undefined };
  } catch (error) {
    const { message } = error as Error;
    if ((error as NodeJS.ErrnoException).code === "ERR_ACCESS_DENIED")
      return unavailable("the permission model is on: start Node with --allow-ffi");
    return unavailable(`needs glibc >= 2.34: ${message}`);
  }
}

const unavailable = (reason: string): LibcStatus => ({ libc: undefined, reason });

/** Suppresses the warning that Node prints when FFI is loaded, and only that one. */
function withoutFfiWarning<T>(run: () => T): T {
  // oxlint-disable-next-line typescript/unbound-method -- called with its `this` below
  const original = process.emitWarning;
  const filtered = (warning: string | Error, ...rest: unknown[]): void => {
    if (String(warning).startsWith("FFI is an experimental feature")) return;
    Reflect.apply(original, process, [warning, ...rest]);
  };
  process.emitWarning = filtered;
  try {
    return run();
  } finally {
    process.emitWarning = original;
  }
}
