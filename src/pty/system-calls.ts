/**
 * Reads the system call that a thread is blocked in from `/proc/P/task/T/syscall` (`proc_pid_syscall(5)`).
 * Numbers differ between machines (`asm/unistd_64.h`, `asm-generic/unistd.h`). Calls outside of the table are not relevant waits.
 */

/** How a call passes its descriptors and its timeout. */
export type CallShape =
  | { readonly type: "descriptor"; readonly writes?: boolean }
  | { readonly type: "poll"; readonly timeout: "milliseconds" | "timespec" }
  | { readonly type: "select" }
  | { readonly type: "epoll"; readonly timeout: "milliseconds" | "timespec" }
  | { readonly type: "parked" }
  /** `at`: index of the argument that points to the `timespec`. */
  | { readonly type: "sleep"; readonly at: number }
  /** Goes on with a call that a stop has interrupted, and has its arguments: a poll, a sleep or a futex. */
  | { readonly type: "restarted" };

/** The state of a thread. Arguments are 64-bit registers. */
export type CallLine =
  | { readonly type: "running" }
  /** Blocked outside of a system call, for example in a page fault. */
  | { readonly type: "no-call" }
  | { readonly type: "call"; readonly number: number; readonly arguments: readonly bigint[] };

const descriptor = { type: "descriptor" } as const;
const writes = { type: "descriptor", writes: true } as const;
const parked = { type: "parked" } as const;

/** The same on all machines: numbers from 424 on. */
const common: readonly (readonly [number, CallShape])[] = [
  [441, { type: "epoll", timeout: "timespec" }], // epoll_pwait2
  [449, parked], // futex_waitv
  [455, parked], // futex_wait
];

const shapes: Readonly<Record<string, ReadonlyMap<number, CallShape>>> = {
  x64: new Map<number, CallShape>([
    [0, descriptor], // read
    [1, writes], // write
    [7, { type: "poll", timeout: "milliseconds" }],
    [17, descriptor], // pread64
    [19, descriptor], // readv
    [20, writes], // writev
    [23, { type: "select" }],
    [34, parked], // pause
    [35, { type: "sleep", at: 0 }], // nanosleep
    [43, descriptor], // accept
    [45, descriptor], // recvfrom
    [47, descriptor], // recvmsg
    [61, parked], // wait4
    [128, parked], // rt_sigtimedwait
    [130, parked], // rt_sigsuspend
    [202, parked], // futex
    [219, { type: "restarted" }], // restart_syscall
    [230, { type: "sleep", at: 2 }], // clock_nanosleep
    [232, { type: "epoll", timeout: "milliseconds" }], // epoll_wait
    [247, parked], // waitid
    [270, { type: "select" }], // pselect6
    [271, { type: "poll", timeout: "timespec" }], // ppoll
    [281, { type: "epoll", timeout: "milliseconds" }], // epoll_pwait
    [288, descriptor], // accept4
    ...common,
  ]),
  arm64: new Map<number, CallShape>([
    [22, { type: "epoll", timeout: "milliseconds" }], // epoll_pwait
    [63, descriptor], // read
    [64, writes], // write
    [65, descriptor], // readv
    [66, writes], // writev
    [67, descriptor], // pread64
    [72, { type: "select" }], // pselect6
    [73, { type: "poll", timeout: "timespec" }], // ppoll
    [95, parked], // waitid
    [98, parked], // futex
    [101, { type: "sleep", at: 0 }], // nanosleep
    [115, { type: "sleep", at: 2 }], // clock_nanosleep
    [128, { type: "restarted" }], // restart_syscall
    [133, parked], // rt_sigsuspend
    [137, parked], // rt_sigtimedwait
    [202, descriptor], // accept
    [207, descriptor], // recvfrom
    [212, descriptor], // recvmsg
    [242, descriptor], // accept4
    [260, parked], // wait4
    ...common,
  ]),
};

/** Undefined for a call that is not in the table. */
export const shapeOfCall = (machine: string, number: number): CallShape | undefined => shapes[machine]?.get(number);

/** Whether the system call numbers of this machine are known. */
export const knowsMachine = (machine: string): boolean => Object.hasOwn(shapes, machine);

/** Reads `running`, `-1 SP PC` or `NUMBER 0xARG ... SP PC`. */
export function parseCallLine(line: string): CallLine {
  if (line.startsWith("running")) return { type: "running" };
  const [number = "-1", ...words] = line.trimEnd().split(" ");
  if (number === "-1") return { type: "no-call" };
  return { type: "call", number: Number(number), arguments: words.slice(0, 6).map(BigInt) };
}

/** A C `int` in a register, which is its low half. */
export const asInt = (argument: bigint): number => Number(BigInt.asIntN(32, argument));
