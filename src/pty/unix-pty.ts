/**
 * A pty on a Unix kernel: the laws that hold for both backends, on top of the few calls in which they differ (`PtyDriver`).
 *
 * Ownership
 * - The read stream owns the master: only destroying the stream closes it, and `read`, `write`, `resize` end before that.
 * - We keep one descriptor of the slave, the program's end, until the program is reaped and everything it wrote is read. While any
 *   slave is open the kernel never reports a hang-up, so "the program is gone" and "there is nothing more to read" cannot race.
 * - All sessions read into ONE buffer. A chunk is a view of it, valid during `onOutput`. So reading happens only at the top level
 *   of the event loop, never inside a method that a consumer might call from its `onOutput`.
 *
 * Ordering
 * - running -> ended (reaped, status known) -> closed (`onExit` called). In `ended` we read until the kernel has nothing, give our
 *   slave up, and go on until the kernel reports the hang-up: nobody can write any more. Then `onExit`, once, then nothing.
 * - A background process that still holds the slave delays that by `lingerMs` at most.
 * - While paused nothing is read and so nothing ends: the rest waits in the kernel, which bounds it.
 */
import { constants } from "node:os";
import { ReadStream } from "node:tty";
import { LecternError } from "../core/errors.ts";
import type { ExitStatus } from "../protocol/records.ts";
import { encodePaste } from "../core/input/paste.ts";
import { waits } from "../core/waits.ts";
import { InputQueue } from "./input-queue.ts";
import type { Pty, PtyBackend, PtyOptions, QueueLengths, TerminalModes, WriteOptions } from "./pty.ts";
import { endSession } from "./session-processes.ts";

/** One for all sessions: its size is the largest chunk, and it is the reason why a session costs no read buffer. */
export const readBuffer = Buffer.allocUnsafeSlow(64 * 1024);

/** `read` results that are no byte count. */
export const NOTHING_NOW = 0;
export const HANG_UP = -1;

/** The calls in which the backends differ, all non-blocking, on an open pty with a running program. */
export interface PtyDriver {
  readonly backend: PtyBackend;
  readonly pid: number;
  readonly terminalPath: string | undefined;
  /** Becomes the property of `UnixPty`. */
  readonly master: number;
  /** True where one more read costs little enough to gather what the kernel has in one chunk. */
  readonly readsAhead: boolean;
  /** Reads into `readBuffer` from `offset` on: the count, `NOTHING_NOW` or `HANG_UP`. */
  read(offset: number): number;
  write(data: Uint8Array): number | undefined;
  resize(columns: number, rows: number): void;
  closeSlave(): void;
  modes(): TerminalModes | undefined;
  queues(): QueueLengths | undefined;
  foregroundGroup(): number | undefined;
}

const defaults = { inputQueueBytesMax: 4 * 1024 * 1024, lingerMs: 1_000, graceMs: waits.graceMs };

/**
 * More than the kernel holds of one terminal (8 KB on the way, 4 KB at the reader's end, each rounded up): once this much was read
 * after the end of the program, all that the program wrote is out, and what still comes is a background process.
 */
const kernelBufferBytesMax = 256 * 1024;
/** A chunk that is smaller is what a program printed for a person: the kernel has no more, and to ask would hold it up. */
const floodBytesMin = 1024;
/** Below this much room a read would be cut: a chunk is delivered before it gets there. */
const readBytesMin = 4 * 1024;

export class UnixPty implements Pty {
  readonly #driver: PtyDriver;
  readonly #stream: ReadStream;
  readonly #input: InputQueue;
  readonly #onOutput: (chunk: Uint8Array) => void;
  readonly #onExit: (status: ExitStatus) => void;
  readonly #closed = Promise.withResolvers<ExitStatus>();
  readonly #lingerMs: number;
  #paused = false;
  /** Set once the program is reaped. */
  #status: ExitStatus | undefined;
  #isClosed = false;
  /** The stream closed the master: its number may already be another session's, so no call may use it. */
  #isHungUp = false;
  /** Our slave is still open: without it a hang-up could come before the last bytes. */
  #holdsSlave = true;
  #lingerUntilMs = Number.POSITIVE_INFINITY;
  #lingerTimer: NodeJS.Timeout | undefined;
  #bytesSinceEnd = 0;

  constructor(driver: PtyDriver, options: PtyOptions) {
    this.#driver = driver;
    this.#onOutput = options.onOutput;
    this.#onExit = options.onExit;
    this.#lingerMs = options.lingerMs ?? defaults.lingerMs;
    this.#input = new InputQueue(
      (data) => driver.write(data),
      options.inputQueueBytesMax ?? defaults.inputQueueBytesMax,
    );
    this.#stream = this.#openStream();
  }

  get pid(): number {
    return this.#driver.pid;
  }

  get backend(): PtyBackend {
    return this.#driver.backend;
  }

  get terminalPath(): string | undefined {
    return this.#driver.terminalPath;
  }

  get inputQueuedBytes(): number {
    return this.#input.queuedBytes;
  }

  get #isLive(): boolean {
    return this.#status === undefined && !this.#isHungUp;
  }

  write(data: Uint8Array, options: WriteOptions = {}): void {
    this.#refuseAfterEnd("write");
    this.#input.push(options.paste === true ? encodePaste(data) : data);
  }

  resize(size: { readonly columns: number; readonly rows: number }): void {
    checkSize(size);
    if (this.#isLive) this.#driver.resize(size.columns, size.rows);
  }

  signal(name: NodeJS.Signals): void {
    if (!Object.hasOwn(constants.signals, name)) {
      throw new LecternError("INVALID_INPUT", `Cannot send signal "${name}": wanted a name such as "SIGINT"`);
    }
    this.#refuseAfterEnd("signal");
    try {
      process.kill(-(this.foregroundGroup() ?? this.pid), name);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EPERM") {
        throw new LecternError(
          "FORBIDDEN",
          `Cannot send "${name}": the foreground job runs as another user; type its key`,
        );
      }
      // ESRCH: the job ended between the two calls, as if the signal had come a moment later.
      if (code !== "ESRCH") throw error;
    }
  }

  async kill(options: { readonly graceMs?: number } = {}): Promise<ExitStatus> {
    if (!this.#isClosed) {
      this.resume();
      await endSession(this.pid, {
        graceMs: options.graceMs ?? defaults.graceMs,
        leaderIsReaped: () => this.#status !== undefined,
      });
      // Whatever still holds the terminal left the session long ago: nobody waits for its output.
      this.#lingerUntilMs = 0;
      this.#settleSoon();
    }
    return this.#closed.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  pause(): void {
    if (this.#paused || this.#isClosed) return;
    this.#paused = true;
    this.#stream.pause();
  }

  resume(): void {
    if (!this.#paused || this.#isClosed) return;
    this.#paused = false;
    this.#stream.resume();
    this.#settleSoon();
  }

  modes(): TerminalModes | undefined {
    return this.#isLive ? this.#driver.modes() : undefined;
  }

  queues(): QueueLengths | undefined {
    return this.#isLive ? this.#driver.queues() : undefined;
  }

  foregroundGroup(): number | undefined {
    return this.#isLive ? this.#driver.foregroundGroup() : undefined;
  }

  /** For the backend: the program is reaped. Called once, from the event loop. */
  ended(status: ExitStatus): void {
    this.#status = status;
    this.#input.close();
    this.#lingerUntilMs = Math.min(this.#lingerUntilMs, performance.now() + this.#lingerMs);
    this.#settle();
    if (this.#isClosed) return;
    this.#lingerTimer = setTimeout(() => this.#settle(), this.#lingerMs + 1);
  }

  #openStream(): ReadStream {
    const { master } = this.#driver;
    // `onread` is an option of net.Socket that tty.ReadStream hands on; its own types do not know it.
    const options = {
      onread: { buffer: readBuffer, callback: (length: number): boolean => this.#received(length) },
    } as unknown as undefined;
    const stream = new ReadStream(master, options);
    // The hang-up arrives as EIO. Any other error ends reading as well: nothing more can come from this descriptor.
    stream.on("error", () => this.#hungUp());
    stream.on("end", () => this.#hungUp());
    // Not `resume`: it would start reading a second time in the next turn, even if the pty is paused by then.
    stream.read(0);
    return stream;
  }

  /** A chunk from the event loop: takes along what else the kernel has, because each chunk costs every consumer. */
  #received(length: number): boolean {
    const isFlood = this.#driver.readsAhead && length >= floodBytesMin;
    this.#deliver(isFlood ? this.#readAhead(length) : length);
    this.#settle();
    return true;
  }

  /** Reads behind the first `length` bytes while the kernel has more; how many there are then. */
  #readAhead(length: number): number {
    let filled = length;
    while (filled <= readBuffer.length - readBytesMin) {
      const more = this.#driver.read(filled);
      if (more <= 0) break;
      filled += more;
    }
    return filled;
  }

  #deliver(length: number): void {
    if (this.#status !== undefined) this.#bytesSinceEnd += length;
    this.#onOutput(readBuffer.subarray(0, length));
  }

  /** Between the end of the program and `onExit`: reads what is left and closes as soon as nothing more can or may come. */
  #settle(): void {
    if (this.#status === undefined || this.#isClosed || this.#paused) return;
    if (this.#isHungUp) return this.#close(this.#status);
    let outcome = this.#readAll();
    if (outcome === "nothing-now" && this.#holdsSlave) {
      this.#releaseSlave();
      outcome = this.#readAll();
    }
    if (outcome === "paused") return;
    const mayCut = outcome === "nothing-now" || this.#bytesSinceEnd >= kernelBufferBytesMax;
    if (outcome === "hang-up" || (mayCut && performance.now() >= this.#lingerUntilMs)) this.#close(this.#status);
  }

  /** Not now: the caller may be inside an `onOutput` that still looks at the read buffer. */
  #settleSoon(): void {
    if (this.#status !== undefined) setImmediate(() => this.#settle());
  }

  #readAll(): "nothing-now" | "hang-up" | "paused" | "limit" {
    let total = 0;
    while (total < kernelBufferBytesMax) {
      const length = this.#driver.read(0);
      if (length === HANG_UP) return "hang-up";
      if (length === NOTHING_NOW) return "nothing-now";
      total += length;
      this.#deliver(length);
      if (this.#paused) return "paused";
    }
    return "limit";
  }

  /** While our slave is open only a failing read brings this: then the status is still to come, and closes. */
  #hungUp(): void {
    this.#isHungUp = true;
    this.#input.close();
    this.#settle();
  }

  #close(status: ExitStatus): void {
    this.#isClosed = true;
    clearTimeout(this.#lingerTimer);
    this.#releaseSlave();
    this.#stream.destroy();
    this.#onExit(status);
    this.#closed.resolve(status);
  }

  #releaseSlave(): void {
    if (!this.#holdsSlave) return;
    this.#holdsSlave = false;
    this.#driver.closeSlave();
  }

  #refuseAfterEnd(action: string): void {
    if (this.#isLive) return;
    throw new LecternError("SESSION_ENDED", `Cannot ${action}: the program has ended; start it again`);
  }
}

/** Throws `INVALID_INPUT` unless both fit the kernel's 16 bits. */
export function checkSize(size: { readonly columns: number; readonly rows: number }): void {
  for (const [name, value] of Object.entries({ columns: size.columns, rows: size.rows })) {
    if (Number.isInteger(value) && value >= 1 && value <= 0xff_ff) continue;
    throw new LecternError("INVALID_INPUT", `Cannot set ${name} to "${value}": wanted a whole number from 1 to 65535`);
  }
}

const signalNames = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/** `code` counts only where there was no signal. */
export function exitStatus(code: number, signal: number): ExitStatus {
  if (signal === 0) return { reason: "exited", code, signal: null };
  return { reason: "signaled", code: null, signal: signalNames.get(signal) ?? `SIG${signal}` };
}
