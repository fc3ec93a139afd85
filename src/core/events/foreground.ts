/**
 * What the program in the foreground of a terminal waits for, decided from what the kernel says about its threads.
 *
 * The rule: it waits for a person when all input is consumed, AND a thread of the foreground group is blocked in a read of the terminal
 * (or in a poll, select or epoll that has it) while all others are quiet, AND all output is drained. The facts are gathered in this order: a program
 * that is blocked after it took its input writes nothing more, so an output queue that is empty afterwards stays empty.
 */

import type { ForegroundVerdict } from "../records.ts";

/** What one look at the foreground gave, plain data. */
export interface ForegroundLook {
  readonly verdict: ForegroundVerdict;
  /** The process that waits for the terminal, else the first of the foreground group. */
  readonly pid: number | null;
  /** The foreground process group. */
  readonly group: number | null;
  /** The name of that process as the kernel has it, at most 15 bytes (`comm`). */
  readonly program: string | null;
  /** Modes of the terminal; null where the backend cannot tell. */
  readonly echo: boolean | null;
  readonly canonical: boolean | null;
  /** Of a shell that reads: it runs a script, a given command or `read`, and has no prompt. Absent for other programs and where it is not known. */
  readonly runsScript?: boolean;
  /**
   * Of a program that takes each key: a line editor reads (readline, libedit, zsh, the REPL of Node). False: nothing shows one. Absent for others,
   * and in the reports of earlier versions.
   */
  readonly editsLine?: boolean;
  /** It hands what is typed to a program that cannot be seen, so whether that one reads is not known. Absent for other programs. */
  readonly isRelay?: true;
  /**
   * When its event loop (`epoll`) wakes up for a timer if no key comes before, in milliseconds since 1970. Absent for other programs, and
   * where there is none.
   */
  readonly timerAtMs?: number;
  /** Why, for people, the decisive one first. */
  readonly reasons: readonly string[];
}

/**
 * What a thread waits for beside the terminal.
 * - `terminal`: input of the session's terminal
 * - `internal`: pipes, event and timer descriptors, sockets within the machine: parts of one program talk through them
 * - `network`: sockets to other machines
 * - `inner-terminal`: the master of another terminal: what runs in it cannot be seen
 * - `file`: anything else
 */
export type WaitTarget = "terminal" | "internal" | "network" | "inner-terminal" | "file";

/** What a thread does now. `timeoutMs` is null where it waits without end. */
export type ThreadState =
  | { readonly type: "running" }
  | {
      readonly type: "waits";
      readonly for: readonly WaitTarget[];
      readonly timeoutMs: number | null;
      /** In `epoll`. */
      readonly isEventLoop?: true;
    }
  /** Waits for another thread, for a child or for a signal. */
  | { readonly type: "parked" }
  | { readonly type: "sleeps"; readonly timeoutMs: number }
  /** In another system call that takes long, such as a write to a terminal that nobody reads. */
  | { readonly type: "elsewhere"; readonly call: string }
  /** The kernel does not show it: a process of another user. */
  | { readonly type: "hidden" };

/** One living process of the foreground group. */
export interface ForegroundProcess {
  readonly pid: number;
  readonly name: string;
  readonly stopped: boolean;
  readonly threads: readonly ThreadState[];
}

/** What was read of the kernel, in this order: input queue, processes, output queue. */
export interface ForegroundFacts {
  readonly group: number;
  readonly canonical: boolean;
  readonly echo: boolean;
  /** Bytes that the program has not read; in canonical mode whole lines only. */
  readonly inputBytes: number;
  readonly processes: readonly ForegroundProcess[];
  /** Bytes that we have not read. */
  readonly outputBytes: number;
  /** True where there were more processes or threads than are looked at. */
  readonly truncated: boolean;
}

/** A program that waits for keys and wakes up more often than this may be about to write by itself. */
const TIMER_MS_MIN = 1000;

/** A look does not tell since when an event loop sleeps. */
const TIMER_TOLERANCE_MS = 500;

/** Their clients hand the terminal to a server, so that the terminal seems to be read by nobody. */
const multiplexers = /^(tmux|screen|dtach|abduco|zellij)\b/i;
/** They ask questions of their own line by line; while they take single keys, they hand them to a program elsewhere. */
const remoteClients =
  /^(?:ssh|slogin|mosh-client|telnet|docker|podman|nerdctl|kubectl|oc|lxc|incus|machinectl|picocom|minicom|cu)$/;

/** The verdict on a foreground group. Pure: the same facts give the same verdict. */
export function decideForeground(facts: ForegroundFacts): ForegroundLook {
  const waiting = facts.processes.find((process) => process.threads.some(readsTerminal));
  const shown = waiting ?? facts.processes.find(({ pid }) => pid === facts.group) ?? facts.processes[0];
  const [verdict, ...reasons] = judge(facts, waiting);
  return {
    verdict,
    pid: shown?.pid ?? null,
    group: facts.group,
    program: shown?.name ?? null,
    echo: facts.echo,
    canonical: facts.canonical,
    ...(isRelay(facts) && { isRelay: true }),
    reasons,
  };
}

/** A look where nothing could be looked at. */
export function noForeground(verdict: "unknown" | "not-available", reason: string): ForegroundLook {
  return { verdict, pid: null, group: null, program: null, echo: null, canonical: null, reasons: [reason] };
}

/** True where two looks say the same to whoever waits: the reasons may differ. */
export function sameForeground(one: ForegroundLook, two: ForegroundLook): boolean {
  return (
    one.verdict === two.verdict &&
    one.pid === two.pid &&
    one.program === two.program &&
    one.echo === two.echo &&
    one.runsScript === two.runsScript &&
    one.editsLine === two.editsLine &&
    one.isRelay === two.isRelay &&
    sameTimer(one.timerAtMs, two.timerAtMs) &&
    one.canonical === two.canonical
  );
}

function isRelay({ canonical, processes }: ForegroundFacts): boolean {
  return processes.some(
    ({ name, threads }) =>
      multiplexers.test(name) ||
      (!canonical && remoteClients.test(name)) ||
      threads.some((thread) => thread.type === "waits" && thread.for.includes("inner-terminal")),
  );
}

type Judgement = readonly [verdict: ForegroundVerdict, ...reasons: string[]];

function judge(facts: ForegroundFacts, waiting: ForegroundProcess | undefined): Judgement {
  const { processes, inputBytes, outputBytes } = facts;
  if (processes.length === 0) return ["busy", "the foreground job has just ended"];
  if (processes.every(({ stopped }) => stopped)) return ["stopped", "every process of the foreground job is stopped"];
  if (inputBytes > 0) return ["busy", `${inputBytes} bytes of input are not read yet`];
  const multiplexer = processes.find(({ name }) => multiplexers.test(name));
  if (multiplexer !== undefined) return ["listening", `what runs inside of ${multiplexer.name} cannot be seen`];
  if (waiting === undefined) return judgeWithoutReader(facts);
  const running = processes.find(({ threads }) => threads.some(({ type }) => type === "running"));
  if (running !== undefined) return ["busy", `${running.name} computes`];
  const doubts = processes.flatMap((process) => doubtsAbout(process, process === waiting));
  if (facts.truncated) doubts.push("there are more processes or threads than are looked at");
  if (doubts.length > 0) return ["listening", ...doubts];
  if (outputBytes > 0) return ["busy", `${outputBytes} bytes of output are not read yet`];
  return [verdictOfModes(facts), `${waiting.name} is blocked in a read of the terminal`];
}

function verdictOfModes({ canonical, echo }: ForegroundFacts): ForegroundVerdict {
  if (!canonical) return "raw";
  return echo ? "prompt" : "password";
}

/** Nobody seems to read the terminal; a process of another user (su, sudo) may all the same. */
function judgeWithoutReader({ processes, canonical, echo, outputBytes, truncated }: ForegroundFacts): Judgement {
  const isHidden = processes.some(({ threads }) => threads.some(({ type }) => type === "hidden"));
  if (isHidden && canonical && !echo && outputBytes === 0)
    return ["password", "the echo is off, and the program of another user that did it cannot be looked into"];
  if (isHidden) return ["unknown", "the program runs as another user"];
  if (truncated) return ["unknown", "there are more processes or threads than are looked at"];
  return ["busy", "no thread of the foreground job reads the terminal"];
}

const readsTerminal = (thread: ThreadState): boolean => thread.type === "waits" && thread.for.includes("terminal");

/** For how long the event loop of the program that reads the terminal sleeps at most; null where it has none, or sleeps without end. */
export function timerOf(processes: readonly ForegroundProcess[]): number | null {
  const reading = processes.flatMap(({ threads }) => threads).find(readsTerminal);
  return reading?.type === "waits" && reading.isEventLoop === true ? reading.timeoutMs : null;
}

/** True for one timer that was looked at twice. */
export const sameTimer = (one: number | undefined, two: number | undefined): boolean =>
  one === two || (one !== undefined && two !== undefined && Math.abs(one - two) <= TIMER_TOLERANCE_MS);

/** Why a process may go on by itself. Its own threads may sleep long; another process that sleeps is work that goes on. */
function doubtsAbout({ name, threads, stopped }: ForegroundProcess, isReader: boolean): string[] {
  if (stopped) return [];
  return threads.flatMap((thread): string[] => {
    switch (thread.type) {
      case "parked":
      case "running":
        return [];
      case "hidden":
        return [`${name} runs as another user`];
      case "elsewhere":
        return [`${name} is in ${thread.call}`];
      case "sleeps":
        return isReader && thread.timeoutMs >= TIMER_MS_MIN ? [] : [`${name} sleeps for ${thread.timeoutMs} ms`];
      case "waits":
        return doubtsAboutWait(name, thread);
    }
  });
}

function doubtsAboutWait(name: string, wait: Extract<ThreadState, { type: "waits" }>): string[] {
  const doubts: string[] = [];
  if (wait.timeoutMs !== null && wait.timeoutMs < TIMER_MS_MIN)
    doubts.push(`${name} has a timer of ${wait.timeoutMs} ms`);
  if (wait.for.includes("network")) doubts.push(`${name} listens to the network`);
  if (wait.for.includes("inner-terminal")) doubts.push(`what runs in the terminal inside of ${name} cannot be seen`);
  return doubts;
}
