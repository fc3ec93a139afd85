/**
 * The one interface to a pseudo-terminal. Two backends stand behind it, and one contract suite holds both.
 *
 * Ordering law: `onOutput` is called for every byte that the program wrote, in order; then `onExit` once; then nothing.
 * Callbacks are called from the event loop, never from inside `spawnPty`, `write`, `resume` or another method.
 */
import type { ExitStatus } from "../protocol/records.ts";

/** `ffi`: our own, over the C library. `node-pty`: the native part of `@lydell/node-pty`. */
export type PtyBackend = "ffi" | "node-pty";

export interface PtyOptions {
  /** Program and arguments; the program is looked up in `environment.PATH` where it has no slash. Never a shell string. */
  readonly command: readonly [string, ...string[]];
  readonly workingDirectory: string;
  /** The whole environment of the program; see `cleanEnvironment`. */
  readonly environment: Readonly<Record<string, string>>;
  /** Both 1 to 65,535. */
  readonly columns: number;
  readonly rows: number;
  /** `exec` turns off the kernel's newline translation (OPOST) and echo, for programs that are not interactive. */
  readonly mode?: "interactive" | "exec";
  /** Input that the program has not read yet and that the kernel did not take; one byte more is refused. Default 4 MiB. */
  readonly inputQueueBytesMax?: number;
  /**
   * How long background processes that still hold the terminal may write after the program itself has ended. `onExit` comes as soon
   * as the last of them lets go, at the latest after this time; then they are hung up. 0 is what tmux does. Default 1,000.
   */
  readonly lingerMs?: number;
  /** `chunk` is valid only during the call: copy what is kept. Called synchronously for each read; it must not throw. */
  readonly onOutput: (chunk: Uint8Array) => void;
  readonly onExit: (status: ExitStatus) => void;
}

export interface WriteOptions {
  /** Wrap in bracketed paste (`ESC [ 200 ~` ... `ESC [ 201 ~`), with the end marker removed from the text itself. */
  readonly paste?: boolean;
}

/** What the kernel says about the line discipline now. */
export interface TerminalModes {
  readonly canonical: boolean;
  readonly echo: boolean;
  /** Ctrl-C and friends are turned into signals. */
  readonly signals: boolean;
  readonly outputProcessing: boolean;
}

/** Bytes that wait in the kernel: `input` not yet read by the program (whole lines only in canonical mode), `output` not yet read by us. */
export interface QueueLengths {
  readonly input: number;
  readonly output: number;
}

export interface Pty extends AsyncDisposable {
  readonly pid: number;
  readonly backend: PtyBackend;
  /** The program's end by its name, such as `/dev/pts/3`; undefined where the backend cannot look into it. */
  readonly terminalPath: string | undefined;
  /** Bytes accepted by `write` that the kernel has not taken yet. */
  readonly inputQueuedBytes: number;
  /**
   * Accepts all or nothing and never blocks. While the terminal is in canonical mode (a shell's `read`, `cat`) the kernel keeps no more
   * than 4,095 bytes of one line, as on every terminal: longer lines want a program that reads raw. Throws `LIMIT_EXCEEDED` when the queue is full, `SESSION_ENDED` once the
   * program has ended.
   */
  write(data: Uint8Array, options?: WriteOptions): void;
  /** Both 1 to 65,535, else `INVALID_INPUT`. Nothing happens once the program has ended. */
  resize(size: { readonly columns: number; readonly rows: number }): void;
  /** Sends a signal such as "SIGINT" to the foreground process group where it is known, else to the program's group. Throws `SESSION_ENDED` once the program has ended. */
  signal(name: NodeJS.Signals): void;
  /**
   * Ends every process of the terminal's session: SIGHUP, SIGCONT and SIGTERM, then SIGKILL for whatever is left after `graceMs`
   * (default 2,000). Resolves after `onExit`. It also resumes a paused pty, because `onExit` comes after the last output.
   */
  kill(options?: { readonly graceMs?: number }): Promise<ExitStatus>;
  /**
   * Stops reading: the program blocks when the kernel's buffer is full. Nothing is lost, not even when the program ends meanwhile:
   * the rest (some 20 KB at most) waits in the kernel, and `onExit` comes after it, once `resume` is called.
   */
  pause(): void;
  resume(): void;
  /** Undefined where the backend cannot tell, and once the program has ended. */
  modes(): TerminalModes | undefined;
  queues(): QueueLengths | undefined;
  /** Process group id of the foreground job, undefined where the backend cannot tell, and once the program has ended. */
  foregroundGroup(): number | undefined;
}
