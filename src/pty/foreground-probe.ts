/**
 * Asks the kernel what the program in the foreground of a pty waits for. Linux only, through `/proc` and the C library.
 *
 * `syscall` and `mem` of `/proc` need the rights of a debugger: the same user and, if Yama restricts it, an ancestor. So only the
 * process that spawned the program probes it.
 */
import { isPlainNode, isShellProgram } from "../core/agents/command-line.ts";
import {
  decideForeground,
  noForeground,
  timerOf,
  type ForegroundLook,
  type ForegroundProcess,
  type ThreadState,
} from "../core/events/foreground.ts";
import { awaitsInput } from "../core/records.ts";
import { runsScript } from "../core/events/shell-arguments.ts";
import { loadLibc } from "./libc.ts";
import {
  argumentsOf,
  executableOf,
  msSince,
  readProc,
  readStat,
  threadsOf,
  userOf,
  type ProcStat,
} from "./proc-files.ts";
import type { Pty, TerminalModes } from "./pty.ts";
import { knowsMachine } from "./system-calls.ts";
import { ThreadReader } from "./thread-state.ts";

/** Of the foreground group, and of the process tree that is walked to find it; beyond these, a reading is `truncated`. */
const PROCESSES_MAX = 64;
const WALKED_MAX = 256;
/** Per process. V8 alone has a dozen. */
const THREADS_MAX = 64;
/**
 * Names of V8's helper threads in Node and Electron, which collect garbage and compile on behalf of the program. They are skipped, unless
 * the program has so few threads that reading all of them is cheap enough.
 */
const HELPER_THREAD = /^(node-)?(V8Worker|DelayedTaskSche|SignalInspector)/;
const THREADS_WORTH_NAMING = 6;
const NAMES_REMEMBERED_MAX = 512;
/** A shell that starts a command changes the group and the modes within microseconds; then the next look is of one moment. */
const LOOKS_MAX = 3;
/**
 * While a new process executes its program, the kernel denies everybody but root a look at it; on a busy machine this takes milliseconds. An
 * older process of this user that is hidden has chosen to be (`PR_SET_DUMPABLE`).
 */
const STARTING_MS_MAX = 1000;

/** The part of a `Pty` that is probed. */
export type ProbedPty = Pick<Pty, "pid" | "terminalPath" | "modes" | "queues" | "foregroundGroup" | "inputQueuedBytes">;

/** Probes the foreground of one pty. */
export class ForegroundProbe {
  readonly #pty: ProbedPty;
  readonly #isWrapped: boolean;
  readonly #reader: ThreadReader | undefined;
  /** Whether a thread is a helper, by its id. Names do not change, so this is valid while the same group is in the foreground. */
  readonly #helpers = new Map<number, boolean>();
  #namedGroup = 0;
  /** The last sleep of an event loop. */
  #sleep: { readonly pid: number | null; readonly ms: number; readonly endMs: number } = { pid: null, ms: 0, endMs: 0 };
  /** Why this pty cannot be probed; undefined if it can. */
  readonly unavailable: string | undefined;

  /** `isWrapped`: the pty's own program is the wrapper of a sandbox, which is not read. Default false. */
  constructor(pty: ProbedPty, { isWrapped = false }: { readonly isWrapped?: boolean } = {}) {
    this.#pty = pty;
    this.#isWrapped = isWrapped;
    const { libc, reason } = loadLibc();
    this.unavailable = reason ?? reasonOf(pty);
    if (libc !== undefined && pty.terminalPath !== undefined) this.#reader = new ThreadReader(libc, pty.terminalPath);
  }

  /** Takes about 100 µs and never throws. */
  look(): ForegroundLook {
    if (this.unavailable !== undefined || this.#reader === undefined)
      return noForeground("not-available", this.unavailable ?? "the terminal has no name");
    for (let attempt = 0; attempt < LOOKS_MAX; attempt += 1) {
      const look = this.#lookOnce(this.#reader);
      if (look !== undefined) return look;
    }
    return noForeground("unknown", "the terminal changes while it is read");
  }

  /** Undefined if another group came to the foreground meanwhile, or the modes changed: the parts of such a look are not of one moment. */
  #lookOnce(reader: ThreadReader): ForegroundLook | undefined {
    const group = this.#pty.foregroundGroup();
    const modes = this.#pty.modes();
    const before = this.#pty.queues();
    if (group === undefined || modes === undefined || before === undefined)
      return noForeground("unknown", "the terminal has no foreground job");
    const { processes, truncated } = this.#processesOf(group, reader);
    const after = this.#pty.queues();
    const { canonical, echo } = modes;
    const modesAfter = this.#pty.modes();
    const isOfOneMoment =
      this.#pty.foregroundGroup() === group && modesAfter?.canonical === canonical && modesAfter.echo === echo;
    if (!isOfOneMoment) return undefined;
    const look = decideForeground({
      group,
      canonical,
      echo,
      inputBytes: before.input + this.#pty.inputQueuedBytes,
      processes,
      outputBytes: after?.output ?? 0,
      truncated,
    });
    return {
      ...look,
      ...shellFacts(look),
      ...editorFacts(look, modes),
      ...this.#timerFacts(look.pid, timerOf(processes)),
    };
  }

  /** Each look at the same sleep sees the same argument of the call. */
  #timerFacts(pid: number | null, sleepMs: number | null): Pick<ForegroundLook, "timerAtMs"> {
    if (sleepMs === null) return {};
    const nowMs = Date.now();
    const isSame = this.#sleep.pid === pid && this.#sleep.ms === sleepMs && this.#sleep.endMs > nowMs;
    if (!isSame) this.#sleep = { pid, ms: sleepMs, endMs: nowMs + sleepMs };
    return { timerAtMs: this.#sleep.endMs };
  }

  #processesOf(group: number, reader: ThreadReader): { processes: ForegroundProcess[]; truncated: boolean } {
    const { members, truncated: walkedTooFar } = membersOf(
      group,
      { leader: this.#pty.pid, isWrapped: this.#isWrapped },
      (pid) => this.#threadsOf(group, pid),
    );
    let truncated = walkedTooFar;
    const processes = members.map(({ pid, stat, threads }): ForegroundProcess => {
      if (threads.length > THREADS_MAX) truncated = true;
      const read = stat.state === "T" ? [] : readThreads(reader, pid, threads.slice(0, THREADS_MAX));
      const states = read.map((state) => (state.type === "hidden" && isStarting(pid, stat) ? running : state));
      return { pid, name: nameOf(pid, stat), stopped: stat.state === "T", threads: states };
    });
    return { processes, truncated };
  }

  /** The threads of a process without helpers. */
  #threadsOf(group: number, pid: number): readonly number[] {
    const threads = threadsOf(pid);
    if (threads.length < THREADS_WORTH_NAMING) return threads;
    if (group !== this.#namedGroup || this.#helpers.size > NAMES_REMEMBERED_MAX) this.#helpers.clear();
    this.#namedGroup = group;
    return threads.filter((thread) => {
      const known = this.#helpers.get(thread);
      if (known !== undefined) return !known;
      // The main thread is never a helper, whatever its name.
      const isHelper = thread !== pid && HELPER_THREAD.test(readProc(`${pid}/task/${thread}/comm`).text ?? "");
      this.#helpers.set(thread, isHelper);
      return !isHelper;
    });
  }
}

const running: ThreadState = { type: "running" };

const isStarting = (pid: number, { startTicks }: ProcStat): boolean =>
  userOf(pid) === process.geteuid?.() && msSince(startTicks) < STARTING_MS_MAX;

function reasonOf(pty: ProbedPty): string | undefined {
  if (!knowsMachine(process.arch)) return `the system calls of ${process.arch} are not known`;
  if (pty.terminalPath === undefined) return "the backend of the terminal does not support it";
  if (readProc("self/syscall").text === undefined) return "this kernel does not show what programs wait for";
  return undefined;
}

/** A shell that reads input for a script asks a question; an interactive one is at its prompt, but for `read`, which in dash takes byte by byte. */
function shellFacts({ verdict, program, pid }: ForegroundLook): Pick<ForegroundLook, "runsScript"> {
  if (pid === null || program === null || !awaitsInput(verdict) || !isShellProgram(program)) return {};
  const words = argumentsOf(pid) ?? [];
  const asked = verdict === "prompt" ? readProc(`${pid}/syscall`).text?.split(" ")[3] : undefined;
  return words.length === 0 ? {} : { runsScript: asked === "0x1" || runsScript(words) };
}

/** The line editor of Node changes the modes like any menu in Node. */
function editorFacts(
  { verdict, pid, program }: ForegroundLook,
  { editsLine }: TerminalModes,
): Pick<ForegroundLook, "editsLine"> {
  if (verdict !== "raw" || pid === null) return {};
  return { editsLine: editsLine || (program === "node" && isPlainNode(argumentsOf(pid) ?? [])) };
}

const readThreads = (reader: ThreadReader, pid: number, threads: readonly number[]): ThreadState[] =>
  threads.map((thread) => reader.read(pid, thread)).filter((state) => state !== undefined);

interface Member {
  readonly pid: number;
  readonly stat: ProcStat;
  readonly threads: readonly number[];
}

/**
 * The running processes of a group. There is no index by group: the tree below the session leader is walked, and the group's
 * own leader is read as well, because its parent may have ended. The processes of a sandbox are left out: the pty's own program, the
 * first one inside, and the one that is about to become the program. They hand nothing on.
 */
function membersOf(
  group: number,
  { leader, isWrapped }: { readonly leader: number; readonly isWrapped: boolean },
  listThreads: (pid: number) => readonly number[],
): { members: Member[]; truncated: boolean } {
  const members: Member[] = [];
  const seen = new Set<number>();
  const sandbox = new Set<number>();
  const open = group === leader ? [leader] : [leader, group];
  for (let pid = open.shift(); pid !== undefined; pid = open.shift()) {
    if (seen.has(pid)) continue;
    seen.add(pid);
    const stat = readStat(pid);
    if (stat === undefined) continue;
    if (isWrapped && (pid === leader || (stat.name === "bwrap" && sandbox.has(stat.parent)))) sandbox.add(pid);
    const isMember = stat.group === group && stat.state !== "Z" && stat.state !== "X" && !sandbox.has(pid);
    const threads = isMember ? listThreads(pid) : [pid];
    if (isMember) members.push({ pid, stat, threads });
    for (const thread of threads) open.push(...childrenOf(pid, thread));
    if (members.length >= PROCESSES_MAX || seen.size >= WALKED_MAX) return { members, truncated: open.length > 0 };
  }
  return { members, truncated: false };
}

function childrenOf(pid: number, thread: number): number[] {
  const { text = "" } = readProc(`${pid}/task/${thread}/children`);
  return text === "" ? [] : text.trimEnd().split(" ").map(Number);
}

/** Node names its main thread, and thereby its process, "node-MainThread": the name of the executable is more useful. */
const nameOf = (pid: number, { name }: ProcStat): string =>
  name.endsWith("MainThread") ? (executableOf(pid) ?? name) : name;
