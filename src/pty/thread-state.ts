/** Reads from `/proc` what a thread waits for: its system call with its descriptors and timeout. Linux only. */
import type { ThreadState, WaitTarget } from "../core/events/foreground.ts";
import type { Libc } from "./libc.ts";
import { linkOfDescriptor, readMemory, readProc } from "./proc-files.ts";
import { asInt, parseCallLine, shapeOfCall, type CallShape } from "./system-calls.ts";
import { procPath } from "./platform.ts";

/** Limit of descriptors in one wait; real programs have fewer than twenty. */
const DESCRIPTORS_MAX = 256;
/** `POLLIN | POLLPRI | POLLRDNORM | POLLRDBAND`, the same bits in epoll. */
const READABLE = 0x01 | 0x02 | 0x40 | 0x80;
const POLLFD_BYTES = 8;
const TIMESPEC_BYTES = 16;
/** Identifiers of clocks, and operations of a futex; addresses are larger. */
const CLOCKS_MAX = 64n;
const OPERATIONS_MAX = 1024n;
const SOCKETS_REMEMBERED_MAX = 4096;

/** Reads threads of the processes on one terminal. */
export class ThreadReader {
  readonly #libc: Libc;
  readonly #terminalPath: string;
  readonly #machine: string;

  constructor(libc: Libc, terminalPath: string, machine: string = process.arch) {
    this.#libc = libc;
    this.#terminalPath = terminalPath;
    this.#machine = machine;
  }

  /** Undefined for a thread that has ended. */
  read(pid: number, thread: number): ThreadState | undefined {
    const read = readProc(`${pid}/task/${thread}/syscall`);
    if (read.text === undefined) return read.denied ? { type: "hidden" } : undefined;
    const line = parseCallLine(read.text);
    if (line.type === "running") return { type: "running" };
    if (line.type === "no-call") return { type: "elsewhere", call: "no system call" };
    const shape = shapeOfCall(this.#machine, line.number);
    const call = `system call ${line.number}`;
    if (shape === undefined) return { type: "elsewhere", call };
    return this.#stateOf(pid, shape, line.arguments) ?? { type: "elsewhere", call };
  }

  /** Undefined if the memory or the descriptors of the call cannot be read, so the wait is unknown. */
  #stateOf(pid: number, shape: CallShape, args: readonly bigint[]): ThreadState | undefined {
    const [first = 0n, second = 0n, third = 0n, fourth = 0n, fifth = 0n] = args;
    switch (shape.type) {
      case "parked":
        return { type: "parked" };
      case "descriptor":
        return this.#transfer(pid, asInt(first), shape.writes === true);
      case "poll": {
        const timeoutMs = shape.timeout === "milliseconds" ? endless(asInt(third)) : timespecMs(pid, third);
        return this.#waits(pid, polledDescriptors(pid, first, Number(second)), timeoutMs);
      }
      case "select":
        return this.#waits(pid, selectedDescriptors(pid, second, asInt(first)), timespecMs(pid, fifth));
      case "epoll": {
        const timeoutMs = shape.timeout === "milliseconds" ? endless(asInt(fourth)) : timespecMs(pid, fourth);
        const state = this.#waits(pid, epollDescriptors(pid, asInt(first)), timeoutMs);
        return state?.type === "waits" ? { ...state, isEventLoop: true } : state;
      }
      case "sleep": {
        const timeoutMs = timespecMs(pid, args[shape.at] ?? 0n);
        return timeoutMs === undefined || timeoutMs === null ? undefined : { type: "sleeps", timeoutMs };
      }
      case "restarted":
        if (first < CLOCKS_MAX) return this.#stateOf(pid, { type: "sleep", at: 2 }, args);
        if (second >= OPERATIONS_MAX) return this.#stateOf(pid, { type: "sleep", at: 0 }, args);
        return isPolled(pid, first, Number(second))
          ? this.#stateOf(pid, { type: "poll", timeout: "milliseconds" }, args)
          : { type: "parked" };
    }
  }

  /** A blocked write to the terminal waits for us, so it is not a wait for input. One to a pipe waits for another process, which is probed itself. */
  #transfer(pid: number, descriptor: number, writes: boolean): ThreadState | undefined {
    const target = this.#targetOf(pid, descriptor);
    if (writes && target !== "internal") return undefined;
    return { type: "waits", for: [target], timeoutMs: null };
  }

  #waits(
    pid: number,
    descriptors: readonly number[] | undefined,
    timeoutMs: number | null | undefined,
  ): ThreadState | undefined {
    if (descriptors === undefined || timeoutMs === undefined) return undefined;
    const targets = new Set(descriptors.map((descriptor) => this.#targetOf(pid, descriptor)));
    return { type: "waits", for: [...targets], timeoutMs };
  }

  #targetOf(pid: number, descriptor: number): WaitTarget {
    const link = linkOfDescriptor(pid, descriptor) ?? "";
    if (link === this.#terminalPath || link === "/dev/tty") return "terminal";
    if (link.startsWith("pipe:") || link.startsWith("anon_inode:")) return "internal";
    if (link.startsWith("socket:")) return this.#socketTarget(pid, descriptor, link);
    if (link === "/dev/ptmx" || link.startsWith("/dev/pts/ptmx")) return "inner-terminal";
    return "file";
  }

  /** `socket:[inode]` does not contain the protocol; an extended attribute of the descriptor does, and never changes. */
  #socketTarget(pid: number, descriptor: number, link: string): WaitTarget {
    const known = sockets.get(link);
    if (known !== undefined) return known;
    const protocol = this.#libc.extendedAttribute(procPath(`${pid}/fd/${descriptor}`), "system.sockprotoname");
    const target = protocol === undefined || /^(UNIX|NETLINK)/.test(protocol) ? "internal" : "network";
    if (sockets.size >= SOCKETS_REMEMBERED_MAX) sockets.clear();
    if (protocol !== undefined) sockets.set(link, target);
    return target;
  }
}

/** By link: the kernel does not reuse a socket's inode number before its counter wraps around. */
const sockets = new Map<string, WaitTarget>();

const endless = (timeoutMs: number): number | null => (timeoutMs < 0 ? null : timeoutMs);

/** Milliseconds of a `struct timespec` or `timeval`, whose second field is smaller than a second in both. Null for no timeout. */
function timespecMs(pid: number, address: bigint): number | null | undefined {
  if (address === 0n) return null;
  const memory = readMemory(pid, address, TIMESPEC_BYTES);
  if (memory === undefined) return undefined;
  const seconds = Number(memory.readBigInt64LE(0));
  return seconds * 1000 + Math.floor(Number(memory.readBigInt64LE(8)) / 1_000_000);
}

/** The descriptors of a `struct pollfd[]` that wait for input. */
function polledDescriptors(pid: number, address: bigint, count: number): number[] | undefined {
  if (count > DESCRIPTORS_MAX) return undefined;
  if (count === 0) return [];
  const memory = readMemory(pid, address, count * POLLFD_BYTES);
  if (memory === undefined) return undefined;
  return Array.from({ length: count }, (_, index) => index * POLLFD_BYTES)
    .filter((at) => (memory.readInt16LE(at + 4) & READABLE) !== 0 && memory.readInt32LE(at) >= 0)
    .map((at) => memory.readInt32LE(at));
}

/** Whether this is an array of open descriptors. */
function isPolled(pid: number, address: bigint, count: number): boolean {
  const found = polledDescriptors(pid, address, count) ?? [];
  return found.length > 0 && found.every((descriptor) => linkOfDescriptor(pid, descriptor) !== undefined);
}

/** The descriptors in the `fd_set` for reading. */
function selectedDescriptors(pid: number, address: bigint, count: number): number[] | undefined {
  if (address === 0n || count <= 0) return [];
  if (count > DESCRIPTORS_MAX * 4) return undefined;
  const memory = readMemory(pid, address, Math.ceil(count / 64) * 8);
  if (memory === undefined) return undefined;
  const found: number[] = [];
  for (let index = 0; index < count; index++) {
    if (((memory[index >> 3] ?? 0) & (1 << (index & 7))) !== 0) found.push(index);
  }
  return found.length > DESCRIPTORS_MAX ? undefined : found;
}

/** From lines such as `tfd:  3 events:  19 data: ...` of an epoll descriptor (`proc_pid_fdinfo(5)`). */
function epollDescriptors(pid: number, descriptor: number): number[] | undefined {
  const { text } = readProc(`${pid}/fdinfo/${descriptor}`);
  if (text === undefined) return undefined;
  const found = [...text.matchAll(/^tfd:\s*(\d+) events:\s*([0-9a-f]+)/gm)]
    .filter(([, , events]) => (Number.parseInt(events ?? "0", 16) & READABLE) !== 0)
    .map(([, target]) => Number(target));
  return found.length > DESCRIPTORS_MAX ? undefined : found;
}
