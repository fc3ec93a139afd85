/**
 * A program on three pipes instead of a terminal, with the interface of one: an agent that speaks a protocol. `onOutput` gets what a person
 * would read of the connection, rendered from both directions; `onMessages` gets the bytes themselves.
 *
 * Ordering law: that of `pty.ts`, and the bytes of a chunk are reported before its text.
 */
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { AcpFold } from "../core/acp/acp-fold.ts";
import { AcpLines, SHOWN_LINE_BYTES_MAX } from "../core/acp/acp-lines.ts";
import { AcpText } from "../core/acp/acp-text.ts";
import { LecternError } from "../core/errors.ts";
import { waits } from "../core/waits.ts";
import type { ExitStatus } from "../protocol/records.ts";
import { resolveCommand } from "./command.ts";
import type { Pty, PtyOptions } from "./pty.ts";
import { endSession } from "./session-processes.ts";
import { checkSize } from "./unix-pty.ts";

/** Processes that still hold the pipes after the program has ended are not waited for. */
const LINGER_MS = 1000;

export type PipeStream = "client" | "agent" | "stderr";

export interface PipedProgramOptions extends PtyOptions {
  /** What the program wrote, as `chunk` of `onOutput`. */
  readonly onMessages: (stream: Exclude<PipeStream, "client">, chunk: Uint8Array) => void;
}

export class PipedProgram implements Pty {
  readonly backend = "pipes";
  readonly terminalPath = undefined;
  readonly pid: number;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #options: PipedProgramOptions;
  readonly #fold = new AcpFold();
  readonly #text = new AcpText();
  /** A chunk may end inside of a character. */
  readonly #errors = new TextDecoder();
  readonly #lines = {
    client: new AcpLines(SHOWN_LINE_BYTES_MAX),
    agent: new AcpLines(SHOWN_LINE_BYTES_MAX),
  };
  readonly #closed = Promise.withResolvers<ExitStatus>();
  #status: ExitStatus | undefined;
  #isClosed = false;

  /** Throws as `spawnPty` does; then nothing is left behind. */
  constructor(options: PipedProgramOptions) {
    this.#options = options;
    const { arguments: words, file, workingDirectory } = resolveCommand(options);
    const [zero = file, ...rest] = words;
    // In a kernel session of its own, as on a terminal: it gets no signal of ours, and all of it can be ended.
    const child = spawn(file, rest, {
      argv0: zero,
      cwd: workingDirectory,
      env: options.environment,
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#child = child;
    child.on("error", () => undefined);
    if (child.pid === undefined) {
      throw new LecternError(
        "PTY_FAILED",
        `Cannot start "${zero}": the system has no process or descriptor left for it`,
      );
    }
    this.pid = child.pid;
    // The program may end, or close its input, before it has read everything.
    child.stdin.on("error", () => undefined);
    child.stdout.on("data", (chunk: Buffer) => this.#received("agent", chunk));
    child.stderr.on("data", (chunk: Buffer) => this.#received("stderr", chunk));
    child.on("exit", (code, signal) => this.#ended(code, signal));
    child.on("close", () => this.#close());
  }

  get inputQueuedBytes(): number {
    return this.#child.stdin.writableLength;
  }

  write(data: Uint8Array): void {
    this.#refuseAfterEnd("write");
    this.#child.stdin.write(Uint8Array.from(data));
    this.#render("client", data);
  }

  /** A pipe keeps everything. */
  assertKept(): void {}

  resize(size: { readonly columns: number; readonly rows: number }): void {
    checkSize(size);
  }

  signal(name: NodeJS.Signals): void {
    if (!Object.hasOwn(constants.signals, name))
      throw new LecternError("INVALID_INPUT", `Cannot send signal "${name}": wanted a name such as "SIGINT"`);
    this.#refuseAfterEnd("signal");
    try {
      process.kill(-this.pid, name);
    } catch (error) {
      // It ended in between.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }

  async kill({ graceMs = waits.graceMs }: { readonly graceMs?: number } = {}): Promise<ExitStatus> {
    if (!this.#isClosed) {
      this.resume();
      await endSession(this.pid, { graceMs, leaderIsReaped: () => this.#status !== undefined });
    }
    return this.#closed.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  pause(): void {
    this.#child.stdout.pause();
    this.#child.stderr.pause();
  }

  resume(): void {
    this.#child.stdout.resume();
    this.#child.stderr.resume();
  }

  modes(): undefined {}

  queues(): undefined {}

  foregroundGroup(): undefined {}

  #received(stream: "agent" | "stderr", chunk: Uint8Array): void {
    if (this.#isClosed) return;
    this.#options.onMessages(stream, chunk);
    if (stream === "agent") this.#render(stream, chunk);
    else this.#show(this.#text.write([{ type: "stderr", text: this.#errors.decode(chunk, { stream: true }) }]));
  }

  #render(side: "client" | "agent", chunk: Uint8Array): void {
    const events = this.#lines[side].feed(chunk).flatMap((line) => this.#fold.step(side, line));
    // Callbacks are called from the event loop, never from inside of `write`.
    const text = this.#text.write(events);
    if (side === "agent") this.#show(text);
    else if (text !== "") setImmediate(() => this.#show(text));
  }

  #show(text: string): void {
    if (text !== "" && !this.#isClosed) this.#options.onOutput(Buffer.from(text));
  }

  #ended(code: number | null, signal: NodeJS.Signals | null): void {
    this.#status =
      signal === null
        ? { reason: "exited", code: code ?? 0, signal: null }
        : { reason: "signaled", code: null, signal };
    // A process of the program may keep the pipes open.
    setTimeout(() => this.#close(), LINGER_MS);
  }

  #close(): void {
    if (this.#isClosed || this.#status === undefined) return;
    this.#isClosed = true;
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
    this.#options.onExit(this.#status);
    this.#closed.resolve(this.#status);
  }

  #refuseAfterEnd(action: string): void {
    if (this.#status === undefined) return;
    throw new LecternError("SESSION_ENDED", `Cannot ${action}: the program has ended; start it again`);
  }
}
