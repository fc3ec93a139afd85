/**
 * The interface to a pseudo-terminal. It has two backends, which share one contract suite.
 *
 * Ordering law: `onOutput` is called for every byte that the program wrote, in order; then `onExit` once; then nothing.
 * Callbacks are called from the event loop, never from inside `spawnPty`, `write`, `resume` or another method.
 */
import type { CommandRequest } from "./command.ts";
import type { ExitStatus } from "../protocol/records.ts";

/** `ffi`: our own, through the C library. `node-pty`: the native part of `@lydell/node-pty`. */
export type PtyBackend = "ffi" | "node-pty";

export interface PtyOptions extends CommandRequest {
  /** Both 1 to 65,535. */
  readonly columns: number;
  readonly rows: number;
  /** `exec` turns off the kernel's newline translation (OPOST) and echo, for programs that are not interactive. */
  readonly mode?: "interactive" | "exec";
  /** Limit of input that the kernel has not accepted yet; more is refused. Default 4 MiB. */
  readonly inputQueueBytesMax?: number;
  /**
   * How long background processes that still hold the terminal may write after the program itself has ended. `onExit` is called as soon
   * as the last of them closes it, at the latest after this time; then they get a hang-up. 0 is what tmux does. Default 1,000.
   */
  readonly lingerMs?: number;
  /** `chunk` is valid only during the call: copy what is kept. Called synchronously for each read; it must not throw. */
  readonly onOutput: (chunk: Uint8Array) => void;
  readonly onExit: (status: ExitStatus) => void;
}

export interface WriteOptions {
  /** Wrap in bracketed paste (`ESC [ 200 ~` ... `ESC [ 201 ~`), with end markers removed from the text. */
  readonly paste?: boolean;
}

/** The current modes of the line discipline. */
export interface TerminalModes {
  readonly canonical: boolean;
  /**
   * A line editor reads: readline, libedit and zsh take the key for the next character (`VLNEXT`) from the terminal while they edit a line, and
   * menus leave it. Linked statically they do the same, and what a program has loaded but does not use shows nothing.
   */
  readonly editsLine: boolean;
  readonly echo: boolean;
  /** Ctrl-C, Ctrl-Z and Ctrl-\ become signals. */
  readonly signals: boolean;
  readonly outputProcessing: boolean;
}

/** Bytes in the kernel: `input` not yet read by the program (whole lines only in canonical mode), `output` not yet read by us. */
export interface QueueLengths {
  readonly input: number;
  readonly output: number;
}

export interface Pty extends AsyncDisposable {
  readonly pid: number;
  /** `pipes`: no terminal, see `PipedProgram`. */
  readonly backend: PtyBackend | "pipes";
  /** Path of the slave, such as `/dev/pts/3`; undefined if the backend cannot probe it. */
  readonly terminalPath: string | undefined;
  /** Bytes accepted by `write` that the kernel has not accepted yet. */
  readonly inputQueuedBytes: number;
  /**
   * Accepts all or nothing and never blocks. Throws `LIMIT_EXCEEDED` when the queue is full, and for a line that the kernel would cut;
   * `SESSION_ENDED` once the program has ended.
   */
  write(data: Uint8Array, options?: WriteOptions): void;
  /**
   * Throws `LIMIT_EXCEEDED` where the terminal is in canonical mode (a shell's `read`, `cat`) and these bytes would make a line of more
   * than 4,095 bytes, which the kernel drops. Passes where the modes are not known.
   */
  assertKept(data: Uint8Array): void;
  /** Both 1 to 65,535, else `INVALID_INPUT`. Does nothing once the program has ended. */
  resize(size: { readonly columns: number; readonly rows: number }): void;
  /** Sends a signal such as "SIGINT" to the foreground process group if it is known, else to the program's group. Throws `SESSION_ENDED` once the program has ended. */
  signal(name: NodeJS.Signals): void;
  /**
   * Ends every process of the terminal's session: SIGHUP, SIGCONT and SIGTERM, then SIGKILL for those left after `graceMs`
   * (default 2,000). Resolves after `onExit`. Also resumes a paused pty, because `onExit` follows the last output.
   */
  kill(options?: { readonly graceMs?: number }): Promise<ExitStatus>;
  /**
   * Stops reading: the program blocks when the kernel's buffer is full. Nothing is lost, even if the program ends meanwhile:
   * the rest (about 20 KB at most) stays in the kernel, and `onExit` follows it once `resume` is called.
   */
  pause(): void;
  resume(): void;
  /** Undefined if the backend does not support it or the program has ended. */
  modes(): TerminalModes | undefined;
  queues(): QueueLengths | undefined;
  /** Process group id of the foreground job; undefined if the backend does not support it or the program has ended. */
  foregroundGroup(): number | undefined;
}
