/**
 * The one interface to a pseudo-terminal. Two backends stand behind it, and one contract suite holds both.
 *
 * Ordering law: `onOutput` is called for every byte that the program wrote, in order; then `onExit` once; then nothing.
 */
import type { ExitStatus } from "../protocol/records.ts";

export interface PtyOptions {
  /** Program and arguments; the program is looked up in `environment.PATH` where it has no slash. Never a shell string. */
  readonly command: readonly [string, ...string[]];
  readonly workingDirectory: string;
  /** The whole environment of the program; see `cleanEnvironment`. */
  readonly environment: Readonly<Record<string, string>>;
  readonly columns: number;
  readonly rows: number;
  /** `exec` turns off the kernel's newline translation (OPOST) and echo, for programs that are not interactive. */
  readonly mode?: "interactive" | "exec";
  /** Input that the program has not read yet and that the kernel did not take; one byte more is refused. Default 4 MiB. */
  readonly inputQueueBytesMax?: number;
  /** `chunk` is valid only during the call: copy what is kept. Called synchronously for each read. */
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

/** Bytes that wait in the kernel: `input` not yet read by the program, `output` not yet read by us. */
export interface QueueLengths {
  readonly input: number;
  readonly output: number;
}

export interface Pty extends AsyncDisposable {
  readonly pid: number;
  readonly backend: "ffi" | "node-pty";
  /** Bytes accepted by `write` that the kernel has not taken yet. */
  readonly inputQueuedBytes: number;
  /** Accepts all or nothing and never blocks. Throws `LIMIT_EXCEEDED` when the queue is full, `SESSION_ENDED` after exit. */
  write(data: Uint8Array, options?: WriteOptions): void;
  /** Both 1 to 65,535. */
  resize(size: { readonly columns: number; readonly rows: number }): void;
  /** Sends a signal such as "SIGINT" to the foreground process group where it is known, else to the program's group. */
  signal(name: NodeJS.Signals): void;
  /** Ends the whole process group: SIGHUP and SIGTERM, then SIGKILL for whatever is left after `graceMs` (default 2,000). Resolves after `onExit`. */
  kill(options?: { readonly graceMs?: number }): Promise<ExitStatus>;
  /** Stops reading: the program blocks when the kernel's buffer is full. Nothing is lost, not even at exit. */
  pause(): void;
  resume(): void;
  /** Undefined where the backend cannot tell. */
  modes(): TerminalModes | undefined;
  queues(): QueueLengths | undefined;
  /** Process group id of the foreground job, undefined where the backend cannot tell. */
  foregroundGroup(): number | undefined;
}
