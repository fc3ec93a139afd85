/**
 * The program of a system call filter (seccomp, classic BPF), in the form that bubblewrap reads.
 *
 * It refuses what a program inside could do to the outside in spite of the mounts: typing into the terminal of its own session (`TIOCSTI`), new
 * user namespaces with their rights, sockets that are not in a network namespace (VSOCK), keys of the kernel, and the system calls of other ABIs
 * (i386, x32), whose numbers this filter does not know. The list follows Flatpak's.
 */

/** `struct seccomp_data`: number, architecture, instruction pointer, six arguments of 64 bits; little endian. */
const AT_NUMBER = 0;
const AT_ARCHITECTURE = 4;
const lowWordOf = (argument: number): number => 16 + 8 * argument;

const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;

const ALLOW = 0x7fff_0000;
const KILL_PROCESS = 0x8000_0000;
const failWith = (errno: number): number => 0x0005_0000 + errno;
const EPERM = 1;
const EAFNOSUPPORT = 97;
const ENOSYS = 38;

const CLONE_NEWUSER = 0x1000_0000;
const X32_BIT = 0x4000_0000;
/** The kernel reads the low 32 bits of the request only, so the filter does as well. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
/** AF_UNSPEC, AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. */
const families = [0, 1, 2, 10, 16] as const;

interface Machine {
  /** `AUDIT_ARCH_...` */
  readonly architecture: number;
  readonly refused: readonly number[];
  readonly ioctl: number;
  readonly socket: number;
  readonly socketpair: number;
  readonly clone: number;
  readonly unshare: number;
  readonly clone3: number;
}

/** The newer calls have one number everywhere: open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, mount_setattr, io_uring (3), quotactl_fd. */
const everywhere = [428, 429, 430, 431, 432, 433, 442, 425, 426, 427, 443] as const;

/** Numbers from the kernel's `syscall_64.tbl` and `asm-generic/unistd.h`. */
const machines: Readonly<Record<string, Machine>> = {
  x64: {
    architecture: 0xc000_003e,
    // mount, umount2, pivot_root, chroot, setns, keyctl, add_key, request_key, syslog, acct, uselib, quotactl, swapon, swapoff, reboot,
    // sethostname, setdomainname, init_module, finit_module, delete_module, kexec_load, kexec_file_load, perf_event_open, userfaultfd, bpf,
    // personality, open_by_handle_at
    refused: [
      165,
      166,
      155,
      161,
      308,
      250,
      248,
      249,
      103,
      163,
      134,
      179,
      167,
      168,
      169,
      170,
      171,
      175,
      313,
      176,
      246,
      320,
      298,
      323,
      321,
      135,
      304,
      ...everywhere,
    ],
    ioctl: 16,
    socket: 41,
    socketpair: 53,
    clone: 56,
    unshare: 272,
    clone3: 435,
  },
  arm64: {
    architecture: 0xc000_00b7,
    refused: [
      40,
      39,
      41,
      51,
      268,
      219,
      217,
      218,
      116,
      89,
      60,
      224,
      225,
      142,
      161,
      162,
      105,
      273,
      106,
      104,
      294,
      241,
      282,
      280,
      92,
      265,
      ...everywhere,
    ],
    ioctl: 29,
    socket: 198,
    socketpair: 199,
    clone: 220,
    unshare: 97,
    clone3: 435,
  },
};

type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, value: number];

/** The filter for a processor, as Node names it (`process.arch`); undefined for one whose system calls are not known. */
export function systemCallFilter(architecture: string): Uint8Array | undefined {
  const machine = Object.hasOwn(machines, architecture) ? machines[architecture] : undefined;
  return machine === undefined ? undefined : encode(programOf(machine));
}

function programOf(machine: Machine): readonly Instruction[] {
  const refuse = (errno: number): Instruction => [RETURN, 0, 0, failWith(errno)];
  /** If the system call is `number`, goes on with `body`, which ends in a return; else jumps over it. */
  const when = (number: number, body: readonly Instruction[]): readonly Instruction[] => [
    [JUMP_EQUAL, 0, body.length, number],
    ...body,
  ];
  const flags = (argument: number): readonly Instruction[] => [
    [LOAD, 0, 0, lowWordOf(argument)],
    [JUMP_ANY_BIT, 0, 1, CLONE_NEWUSER],
    refuse(EPERM),
    [RETURN, 0, 0, ALLOW],
  ];
  const family: readonly Instruction[] = [
    [LOAD, 0, 0, lowWordOf(0)],
    ...families.map((known, index): Instruction => [JUMP_EQUAL, families.length - index, 0, known]),
    refuse(EAFNOSUPPORT),
    [RETURN, 0, 0, ALLOW],
  ];
  return [
    [LOAD, 0, 0, AT_ARCHITECTURE],
    [JUMP_EQUAL, 1, 0, machine.architecture],
    [RETURN, 0, 0, KILL_PROCESS],
    [LOAD, 0, 0, AT_NUMBER],
    [JUMP_AT_LEAST, 0, 1, X32_BIT],
    refuse(ENOSYS),
    ...machine.refused.flatMap((number) => when(number, [refuse(EPERM)])),
    // Programs fall back to `clone`, whose flags are an argument and not in memory.
    ...when(machine.clone3, [refuse(ENOSYS)]),
    ...when(machine.ioctl, [
      [LOAD, 0, 0, lowWordOf(1)],
      [JUMP_EQUAL, 1, 0, TIOCSTI],
      [JUMP_EQUAL, 0, 1, TIOCLINUX],
      refuse(EPERM),
      [RETURN, 0, 0, ALLOW],
    ]),
    ...when(machine.clone, flags(0)),
    ...when(machine.unshare, flags(0)),
    ...when(machine.socket, family),
    ...when(machine.socketpair, family),
    [RETURN, 0, 0, ALLOW],
  ];
}

/** `struct sock_filter`: u16 code, u8 jump if true, u8 jump if false, u32 value; little endian. */
function encode(program: readonly Instruction[]): Uint8Array {
  const bytes = new Uint8Array(program.length * 8);
  const view = new DataView(bytes.buffer);
  program.forEach(([code, jumpTrue, jumpFalse, value], index) => {
    view.setUint16(index * 8, code, true);
    view.setUint8(index * 8 + 2, jumpTrue);
    view.setUint8(index * 8 + 3, jumpFalse);
    view.setUint32(index * 8 + 4, value, true);
  });
  return bytes;
}
