/**
 * What a traced text did: its calls become effects on real paths. The tracer prints no folder for calls such as `mkdir("b")`, so the working
 * directory of each process is followed, and links are resolved as they are at the time of the call.
 *
 * Noise is left out ([why](../../docs/decisions/effects-oracle.md)): reads outside of the tree of canaries, failed reads, and what a
 * program writes for itself and removes.
 */
import { basename, dirname } from "node:path";
import { descriptorPath, quotedText, type Trace, type TracedCall } from "./strace-calls.ts";

export type ObservedKind =
  | "read"
  | "list"
  | "write"
  | "delete"
  | "mode"
  | "times"
  | "scratch"
  | "run"
  | "network"
  | "socket"
  | "kill"
  | "hidden";

export interface ObservedEffect {
  readonly kind: ObservedKind;
  /** A real path, an address, or a program. */
  readonly target: string;
  /** The programs from the shell to the one that did it, by their paths. */
  readonly programs: readonly string[];
  readonly line: string;
}

export interface ObservedText {
  readonly effects: readonly ObservedEffect[];
  /** Undefined: the trace has no end of the shell, so it is not whole. */
  readonly exitStatus: number | undefined;
}

/** The tree as it is before the text: its links with their targets, and its folders. */
export interface KnownTree {
  readonly workingDirectory: string;
  readonly links: ReadonlyMap<string, string>;
  readonly folders: ReadonlySet<string>;
  readonly files: ReadonlySet<string>;
}

interface TracedProcess {
  /** Shared by threads. */
  readonly place: { folder: string };
  programs: readonly string[];
}

const LINKS_MAX = 40;
/** Failures by which the text wanted an effect that the box forbids. */
const forbidden: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EROFS", "EFBIG", "ENOSPC"]);
/** Their reads are effects; all others belong to the loader, the locale and the like. */
const readsCountBelow = /^\/(?:users|tmp)(?:\/|$)/;
/** Not files of anyone. */
const devices =
  /^(?:\/dev\/(?:null|zero|full|tty|stdin|stdout|stderr|fd(?:\/.*)?|u?random|pts\/.*|ptmx)|\/proc\/(?:self|thread-self|\d+)\/(?:fd|task)\/.*|(?:pipe|socket|anon_inode):.*|\/tmp\/npm(?:\/.*)?|\/memfd:.*)$/;

export function observe(trace: Trace, tree: KnownTree): ObservedText {
  const observer = new Observer(tree);
  const first = trace.calls[0];
  if (first !== undefined) observer.begin(first.pid);
  const parents = parentsOf(trace.calls);
  for (const call of trace.calls) observer.apply(call, parents);
  const shell = trace.exits.find(({ pid }) => pid === first?.pid);
  return { effects: observer.effects, exitStatus: shell === undefined ? undefined : (shell.status ?? 255) };
}

const isFork = ({ name }: TracedCall): boolean => /^(?:clone3?|v?fork)$/.test(name);

function parentsOf(calls: readonly TracedCall[]): ReadonlyMap<number, TracedCall> {
  return new Map(calls.filter((call) => isFork(call) && call.value > 0).map((call) => [call.value, call]));
}

/** What a call does with a path: where its folder and its path are among the arguments. */
interface PathUse {
  readonly folder?: number;
  readonly path: number;
  readonly isLinkKept?: boolean;
}

class Observer {
  readonly #processes = new Map<number, TracedProcess>();
  readonly #links: Map<string, string>;
  readonly #folders: Set<string>;
  readonly #first: string;
  /** Made by the text under a name that was new, with the effects so far. */
  readonly #made = new Set<string>();
  #effects: ObservedEffect[] = [];

  constructor(tree: KnownTree) {
    this.#links = new Map(tree.links);
    this.#folders = new Set(tree.folders);
    this.#first = tree.workingDirectory;
  }

  get effects(): readonly ObservedEffect[] {
    return this.#effects;
  }

  begin(pid: number): void {
    this.#processes.set(pid, { place: { folder: this.#first }, programs: [] });
  }

  hasStarted(pid: number): boolean {
    return pid === 0 || this.#processes.has(pid);
  }

  apply(call: TracedCall, parents: ReadonlyMap<number, TracedCall>): void {
    const process = this.#processOf(call.pid, parents);
    if (isFork(call)) {
      if (call.value > 0) this.#processOf(call.value, parents);
      return;
    }
    const handler = handlers[call.name];
    if (handler === undefined) throw new Error(`a traced call without a meaning: ${call.line}`);
    handler(this, call, process);
  }

  /** A child may be seen before its parent's call returns. */
  #processOf(pid: number, parents: ReadonlyMap<number, TracedCall>): TracedProcess {
    const known = this.#processes.get(pid);
    if (known !== undefined) return known;
    const fork = parents.get(pid);
    const parent = fork === undefined ? undefined : this.#processes.get(fork.pid);
    if (fork === undefined || parent === undefined) throw new Error(`the process ${pid} has no parent in the trace`);
    const isThread = /CLONE_FS/.test(fork.line);
    const process = {
      place: isThread ? parent.place : { folder: parent.place.folder },
      programs: parent.programs,
    };
    this.#processes.set(pid, process);
    return process;
  }

  /** The real path that a call names. */
  pathOf(call: TracedCall, process: TracedProcess, { folder, path, isLinkKept = false }: PathUse): string | undefined {
    const start = folder === undefined ? undefined : descriptorPath(call.arguments[folder]);
    const text = quotedText(call.arguments[path]);
    if (text === undefined || text === "") return start;
    const from = start ?? process.place.folder;
    return this.resolve(text.startsWith("/") ? text : `${from}/${text}`, isLinkKept || /NOFOLLOW/.test(call.line));
  }

  resolve(path: string, isLinkKept = false): string {
    return realPath(path, this.#links, isLinkKept);
  }

  add(kind: ObservedKind, target: string | undefined, call: TracedCall, process: TracedProcess): void {
    if (target === undefined || devices.test(target)) return;
    if ((kind === "read" || kind === "list") && !readsCountBelow.test(target)) return;
    // Who removes a file and makes it again replaces it.
    if (kind === "write")
      this.#effects = this.#effects.filter((known) => known.kind !== "delete" || known.target !== target);
    this.#effects.push({ kind, target, programs: process.programs, line: call.line });
  }

  open(call: TracedCall, process: TracedProcess, use: PathUse, flags: string): void {
    if (flags.includes("O_PATH")) return;
    const isWrite = /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/.test(flags);
    const path = call.resultPath ?? this.pathOf(call, process, use);
    if (path === undefined || (call.error !== undefined && !(isWrite && forbidden.has(call.error)))) return;
    // It has no name until it is linked.
    if (flags.includes("O_TMPFILE")) return;
    if (!isWrite) this.add(this.#isFolder(path, flags) ? "list" : "read", path, call, process);
    else {
      if (flags.includes("O_EXCL") && call.error === undefined) this.#made.add(path);
      if (flags.includes("O_RDWR") && !flags.includes("O_CREAT")) this.add("read", path, call, process);
      this.add("write", path, call, process);
    }
  }

  #isFolder(path: string, flags: string): boolean {
    return flags.includes("O_DIRECTORY") || this.#folders.has(path);
  }

  makeFolder(path: string | undefined, call: TracedCall, process: TracedProcess): void {
    if (path === undefined || !counts(call)) return;
    if (call.error === undefined) {
      this.#made.add(path);
      this.#folders.add(path);
    }
    this.add("write", path, call, process);
  }

  remove(path: string | undefined, call: TracedCall, process: TracedProcess): void {
    if (path === undefined || !counts(call)) return;
    if (call.error === undefined) this.#links.delete(path);
    if (this.#made.delete(path)) {
      this.#forget(path);
      this.add("scratch", dirname(path), call, process);
    } else this.add("delete", path, call, process);
  }

  rename(from: string | undefined, to: string | undefined, call: TracedCall, process: TracedProcess): void {
    if (from === undefined || to === undefined || !counts(call)) return;
    const isExchange = call.line.includes("RENAME_EXCHANGE");
    if (call.error === undefined) this.#move(from, to);
    if (this.#made.delete(from)) {
      this.#forget(from);
      this.#made.delete(to);
    } else this.add(isExchange ? "write" : "delete", from, call, process);
    this.add("write", to, call, process);
    // `shred` gives a file other names before it removes it.
    if (call.error === undefined && call.line.includes("RENAME_NOREPLACE")) this.#made.add(to);
  }

  #move(from: string, to: string): void {
    this.#links.delete(to);
    for (const [path, target] of this.#links) {
      if (path !== from && !path.startsWith(`${from}/`)) continue;
      this.#links.delete(path);
      this.#links.set(`${to}${path.slice(from.length)}`, target);
    }
    for (const path of this.#folders)
      if (path === from || path.startsWith(`${from}/`)) this.#folders.add(`${to}${path.slice(from.length)}`);
  }

  link(target: string | undefined, name: string | undefined, call: TracedCall, process: TracedProcess): void {
    if (name === undefined || target === undefined || !counts(call)) return;
    if (call.error === undefined) {
      this.#links.set(name, target);
      this.#made.add(name);
    }
    this.add("write", name, call, process);
  }

  /** What a program wrote for itself is no effect. */
  #forget(path: string): void {
    this.#effects = this.#effects.filter(({ target }) => target !== path && !target.startsWith(`${path}/`));
  }
}

/** The path without links; the last part stays a link if it is kept. */
export function realPath(path: string, known: ReadonlyMap<string, string>, isLinkKept = false): string {
  const rest = path.split("/").toReversed();
  let current = "";
  let links = 0;
  for (let name = rest.pop(); name !== undefined; name = rest.pop()) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      current = current.slice(0, Math.max(0, current.lastIndexOf("/")));
      continue;
    }
    const next = `${current}/${name}`;
    const isLast = rest.every((part) => part === "" || part === ".");
    const target = isLast && isLinkKept ? undefined : known.get(next);
    if (target === undefined || links === LINKS_MAX) {
      current = next;
      continue;
    }
    links += 1;
    rest.push(...target.split("/").toReversed());
    if (target.startsWith("/")) current = "";
  }
  return current === "" ? "/" : current;
}

const counts = ({ error }: TracedCall): boolean => error === undefined || forbidden.has(error);

type Handler = (observer: Observer, call: TracedCall, process: TracedProcess) => void;

const nothing: Handler = () => {};

const changes =
  (kind: ObservedKind, use: PathUse): Handler =>
  (observer, call, process) => {
    if (counts(call)) observer.add(kind, observer.pathOf(call, process, use), call, process);
  };

/** By a file descriptor, which has a real path. */
const changesOpen =
  (kind: ObservedKind): Handler =>
  (observer, call, process) => {
    // What has no name any more is the program's own.
    if (counts(call) && call.arguments[0]?.endsWith("(deleted)") !== true)
      observer.add(kind, descriptorPath(call.arguments[0]), call, process);
  };

const opens =
  (use: PathUse, flags: number | string): Handler =>
  (observer, call, process) =>
    observer.open(call, process, use, typeof flags === "string" ? flags : (call.arguments[flags] ?? ""));

const removes =
  (use: PathUse): Handler =>
  (observer, call, process) =>
    observer.remove(observer.pathOf(call, process, { ...use, isLinkKept: true }), call, process);

const makesFolder =
  (use: PathUse): Handler =>
  (observer, call, process) =>
    observer.makeFolder(observer.pathOf(call, process, use), call, process);

const renames =
  (from: PathUse, to: PathUse): Handler =>
  (observer, call, process) =>
    observer.rename(
      observer.pathOf(call, process, { ...from, isLinkKept: true }),
      observer.pathOf(call, process, { ...to, isLinkKept: true }),
      call,
      process,
    );

const linksHard =
  (from: PathUse, to: PathUse): Handler =>
  (observer, call, process) => {
    if (!counts(call)) return;
    observer.add("read", observer.pathOf(call, process, { ...from, isLinkKept: true }), call, process);
    observer.add("write", observer.pathOf(call, process, { ...to, isLinkKept: true }), call, process);
  };

const linksSoft =
  (to: PathUse): Handler =>
  (observer, call, process) =>
    observer.link(
      quotedText(call.arguments[0]),
      observer.pathOf(call, process, { ...to, isLinkKept: true }),
      call,
      process,
    );

const runs =
  (use: PathUse): Handler =>
  (observer, call, process) => {
    const path = observer.pathOf(call, process, use);
    if (path === undefined || call.error !== undefined) return;
    process.programs = [...process.programs, path];
    // The first is the shell of the text.
    if (process.programs.length > 1) observer.add("run", path, call, process);
  };

const connects: Handler = (observer, call, process) => {
  const address = call.arguments.find((argument) => argument.includes("sa_family=")) ?? "";
  const family = /sa_family=AF_(\w+)/.exec(address)?.[1];
  const path = /sun_path=(@?".*?")/.exec(address)?.[1];
  if (family === "INET" || family === "INET6") observer.add("network", address, call, process);
  if (family !== "UNIX" || path === undefined) return;
  const text = path.startsWith("@") ? path : (quotedText(path) ?? path);
  // The cache of names, which the C library asks, and the system's log.
  if (text !== "/var/run/nscd/socket" && text !== "/dev/log")
    observer.add("socket", text.startsWith("/") ? observer.resolve(text) : text, call, process);
};

const changesFolder: Handler = (observer, call, process) => {
  if (call.error !== undefined) return;
  const path = call.name === "fchdir" ? descriptorPath(call.arguments[0]) : observer.pathOf(call, process, { path: 0 });
  if (path !== undefined) process.place.folder = path;
};

const at = { folder: 0, path: 1 } as const;
const plain = { path: 0 } as const;

const handlers: Readonly<Record<string, Handler | undefined>> = {
  open: opens(plain, 1),
  openat: opens(at, 2),
  openat2: opens(at, 2),
  creat: opens(plain, "O_WRONLY|O_CREAT"),
  unlink: removes(plain),
  unlinkat: removes(at),
  rmdir: removes(plain),
  rename: renames(plain, { path: 1 }),
  renameat: renames(at, { folder: 2, path: 3 }),
  renameat2: renames(at, { folder: 2, path: 3 }),
  link: linksHard(plain, { path: 1 }),
  linkat: linksHard(at, { folder: 2, path: 3 }),
  symlink: linksSoft({ path: 1 }),
  symlinkat: linksSoft({ folder: 1, path: 2 }),
  mkdir: makesFolder(plain),
  mkdirat: makesFolder(at),
  mknod: changes("write", plain),
  mknodat: changes("write", at),
  chmod: changes("mode", plain),
  fchmodat: changes("mode", at),
  fchmod: changesOpen("mode"),
  chown: changes("mode", plain),
  lchown: changes("mode", { path: 0, isLinkKept: true }),
  fchownat: changes("mode", at),
  fchown: changesOpen("mode"),
  truncate: changes("write", plain),
  ftruncate: changesOpen("write"),
  setxattr: changes("mode", plain),
  lsetxattr: changes("mode", { path: 0, isLinkKept: true }),
  fsetxattr: changesOpen("mode"),
  utimensat: changes("times", at),
  utime: changes("times", plain),
  utimes: changes("times", plain),
  futimesat: changes("times", at),
  execve: runs(plain),
  execveat: runs(at),
  connect: connects,
  bind: connects,
  sendto: connects,
  mount: changes("write", { path: 1 }),
  ptrace: nothing,
  kill: (observer, call, process) => {
    if (!observer.hasStarted(Math.abs(Number(call.arguments[0]))))
      observer.add("kill", call.arguments[0], call, process);
  },
  io_uring_setup: (observer, call, process) => observer.add("hidden", "io_uring", call, process),
  chdir: changesFolder,
  fchdir: changesFolder,
};

/** What strace is to print. */
export const tracedCalls: readonly string[] = [...Object.keys(handlers), "clone", "clone3", "fork", "vfork"];

/** The name of the program that did it. */
export const programOf = ({ programs }: ObservedEffect): string => basename(programs.at(-1) ?? "");
